#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the example models into the folder of this script, and nothing else; the same bytes at each run.

Needs Python 3.9 or later and the package `onnx` (https://pypi.org/project/onnx, written with 1.23.2). Best in an
environment of its own:

    python3 -m venv ENV && ENV/bin/pip install onnx && ENV/bin/python make_examples.py

The ONNX files hold no weights: see onnx_writer.py. Each model is checked before it is written.
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True

import onnx_writer  # noqa: E402
from example_nasnet import nasnet_cells  # noqa: E402
from example_sequence import control_flow, transformer_kv  # noqa: E402
from example_training import training_step  # noqa: E402
from example_vision import inception_like, mobilenet_like, unet_like  # noqa: E402

LARGEST_FILE = 100_000


def main():
    files = {}
    for make in (mobilenet_like, inception_like, unet_like, transformer_kv, control_flow):
        model = make().build()
        onnx_writer.check(model)
        files[f"{make.__name__}.onnx"] = model.SerializeToString(deterministic=True)
    for make in (nasnet_cells, training_step):
        files[f"{make.__name__}.json"] = make().text().encode()
    for name, data in files.items():
        if len(data) >= LARGEST_FILE:
            sys.exit(f"{name}: {len(data)} bytes, must stay below {LARGEST_FILE}; shorten names or drop a layer")
    folder = Path(__file__).resolve().parent
    for name, data in files.items():
        (folder / name).write_bytes(data)
        print(f"{name}: {len(data)} bytes")


if __name__ == "__main__":
    main()
