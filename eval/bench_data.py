#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every method on every model of the test data and writes the tables of eval/results/.

Usage: MEMPLAN_DATA=DIR eval/bench_data.py [--memplan build/release/memplan] [--out eval/results]

Needs Python 3 alone. The models are those of onnx-light, onnx-real and zoo (both folders); symbolic dimensions and input
shapes are the ones of their index.csv. Paths in the results are relative to the data. Result lines are kept in
build/bench/, so that an interrupted run goes on where it stopped.
"""

import argparse
import csv
import os
import pathlib
import subprocess
import sys

WORK = "10000000"  # of each exact search: about a second, the same on every machine


def options_of(row):
    """The options that bind a model's dimensions, from its row in index.csv."""
    options = []
    for dim in filter(None, (row.get("dims") or "").split(";")):
        options += ["--dim", dim]
    shapes = row.get("input_shapes") or ""
    for name, dims in parse_shapes(shapes):
        options += ["--shape", f"{name}={'x'.join(dims) if dims else 'scalar'}"]
    return options


def parse_shapes(text):
    """"a=[1  2] b=[]" as pairs of name and dimensions."""
    for piece in filter(None, (part.strip() for part in text.split("]"))):
        name, _, dims = piece.partition("=[")
        yield name.strip(), dims.split()


def models(data):
    for path in sorted((data / "onnx-light").glob("*.onnx")):
        yield path.relative_to(data), []
    for folder in ("onnx-real", "zoo/onnx", "zoo/graph"):
        with open(data / folder / "index.csv", newline="") as index:
            for row in csv.DictReader(index):
                yield pathlib.Path(folder) / row["file"], options_of(row)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    root = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--memplan", default=root / "build/release/memplan", type=pathlib.Path)
    parser.add_argument("--out", default=root / "eval/results", type=pathlib.Path)
    arguments = parser.parse_args()
    if "MEMPLAN_DATA" not in os.environ:
        sys.exit("bench_data.py: MEMPLAN_DATA is not set; it names the folder of the test data")
    data = pathlib.Path(os.environ["MEMPLAN_DATA"]).resolve()
    memplan = arguments.memplan.resolve()
    out = arguments.out.resolve()
    lines = root / "build/bench/methods.jsonl"
    lines.parent.mkdir(parents=True, exist_ok=True)
    out.mkdir(parents=True, exist_ok=True)
    for path, options in models(data):
        # Exit code 4: the model was refused; its row says why.
        code = subprocess.run(
            [memplan, "bench", path, *options, "--threads", "1", "--work-limit", WORK, "-o", lines, "-q"], cwd=data, check=False
        ).returncode
        if code not in (0, 4):
            sys.exit(f"bench_data.py: memplan bench {path} ended with code {code}")
    for rows, style, name in (
        ("runs", "csv", "methods.csv"),
        ("instances", "md", "methods-instances.md"),
        ("methods", "md", "methods-summary.md"),
    ):
        subprocess.run(
            [memplan, "table", lines, "--rows", rows, "--format", style, "-o", out / name], cwd=data, check=True
        )
        if style == "md":  # the licence of a file that is committed; what `table` prints has none
            text = (out / name).read_text(encoding="utf-8")
            (out / name).write_text(f"<!-- SPDX-License-Identifier: Apache-2.0 -->\n\n{text}", encoding="utf-8")


if __name__ == "__main__":
    main()
