#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of README.md that show measurements, from eval/results/*.csv.

Usage: eval/readme_tables.py [--check]

A table stands between `<!-- results: NAME -->` and `<!-- end -->`. With --check nothing is written; the exit code is 1 if
a table is not what the results say. Needs Python 3.10.
"""

import csv
import difflib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
# Rows of eval/results/joint.csv: networks that a better order helps, training steps, graphs whose least arena lies above
# the least order peak, and one that is open.
MODELS = {
    "zoo/onnx/timm-nasnetalarge-ts13.onnx": "NASNet-A large",
    "order/randwire-n64-c1-s2.json": "RandWire, 64 nodes",
    "order/darts-cifar-k6-f36.json": "DARTS",
    "zoo/graph/t-unetpp-b4-none.json": "UNet++, training",
    "zoo/graph/t-gpt2_2-b4s128-sgdm-eager.json": "GPT-2, training",
    "zoo/graph/t-lstm20_2l-b16-adam.json": "LSTM, training",
    "gen gap --n 100 --seed 0": "`gen gap --n 100`",
    "gen gap --n 400 --seed 0": "`gen gap --n 400`",
    "zoo/graph/t-gru20-b16-sgdm.json": "GRU, training",
}


def rows_of(name):
    with open(ROOT / "eval/results" / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def table(head, alignment, rows):
    return ["| " + " | ".join(head) + " |", "|" + "|".join(alignment) + "|"] + [f"| {' | '.join(row)} |" for row in rows]


def count(text):
    return f"{int(text):,}"


def interval(low, high):
    return count(high) if low == high else f"[{count(low)}, {count(high)}]"


def seconds(text):
    return f"{float(text):.2f}" if float(text) >= 0.1 else f"{float(text):.3f}"


def proof_of(line):
    """Certificate and time of its check, of what is proven optimal."""
    if line["status"] != "optimal":
        return ["", ""]
    kib = max(1, round(int(line["certificate_bytes"]) / 1024))
    return [f"{line['certificate_kind']}, {kib:,} KiB", seconds(line["check_s"])]


def joint():
    lines = {row["model"]: row for row in rows_of("joint.csv")}
    rows = []
    for model, label in MODELS.items():
        line = lines[model]
        rows.append([
            label,
            count(line["ops"]),
            count(line["given_order_peak"]),
            interval(line["order_lower_bound"], line["order_peak"]),
            count(line["heuristic_peak"]),
            count(line["peak"]),
            count(line["lower_bound"]),
            seconds(line["wall_s"]),
            *proof_of(line),
        ])
    head = ["model", "operators", "peak of the given order", "least order peak", "best arena of heuristics", "arena", "bound"]
    return table([*head, "s", "certificate", "s to check"], ["---", *["---:"] * 7, "---", "---:"], rows)


def minimalloc():
    tools = ("memplan-1", "memplan-2", "supermalloc")
    found = {}
    for row in rows_of("place_minimalloc.csv"):
        found.setdefault(row["instance"].split("/")[1].split(".")[0], {})[row["tool"]] = row
    rows = []
    for name, runs in found.items():
        best = min((runs[tool] for tool in tools[:2]), key=lambda run: int(run["peak"]))
        times = [f"{float(runs[tool]['median_s']):.3f}" if runs[tool]["proven"] == runs[tool]["runs"] else "" for tool in tools]
        rows.append([name, best["buffers"], count(best["load"]), interval(best["lower_bound"], best["peak"]), *times])
    head = ["", "buffers", "load", "arena", "memplan, 1 thread", "2 threads", "SuperMalloc"]
    return table(head, ["---", *["---:"] * 6], rows)


def main():
    text = README.read_text(encoding="utf-8")
    made = text
    for name, make in (("joint", joint), ("minimalloc", minimalloc)):
        start, end = f"<!-- results: {name} -->\n", "<!-- end -->"
        block = start + "\n".join(make()) + "\n" + end
        made, found = re.subn(re.escape(start) + ".*?" + re.escape(end), lambda _, block=block: block, made, flags=re.S)
        if found != 1:
            sys.exit(f"readme_tables.py: README.md has {found} tables '{start.strip()}' instead of one")
    if sys.argv[1:] == ["--check"]:
        difference = difflib.unified_diff(text.splitlines(), made.splitlines(), "README.md", "eval/results", lineterm="")
        told = "\n".join(difference)
        sys.exit(f"{told}\nREADME.md is not what the results say: run eval/readme_tables.py" if told else 0)
    README.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
