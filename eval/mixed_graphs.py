#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a graph that has everything of the model mixed, from a plain one: views, buffers that several operators write
piece by piece, in-place pairs, workspaces, alignments of 1, 4, 64 and 256 bytes, and pins.

Usage: eval/mixed_graphs.py FILE [--seed N] [-o FILE]

Needs Python 3.10; FILE is memplan-graph JSON without pools. Equal files and seeds give equal graphs everywhere. What the
file states already is kept. Sizes below 256 bytes throughout are taken 32 times, so that alignments do not decide alone.
A view stands for an output that is no larger than an input; pieces for the inputs of an operator that fill its output
and are not read elsewhere. Pins are offsets of a first fit on the given order, so that there is a plan.
"""

import argparse
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "peers"))
import graph_problem

ALIGNMENTS = (1, 4, 64, 256)
SMALL, SCALE = 256, 32
MOST_PINS = 4
MASK = (1 << 64) - 1


class Draw:
    """SplitMix64 (Steele, Lea and Flood 2014)."""

    def __init__(self, seed):
        self.state = seed & MASK

    def below(self, limit):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
        return (z ^ z >> 31) % limit

    def chance(self, percent):
        return self.below(100) < percent


class Mixer:
    def __init__(self, graph, seed):
        self.graph, self.draw = graph, Draw(seed)
        self.tensors = {tensor["id"]: tensor for tensor in graph["tensors"]}
        self.readers = {name: 0 for name in self.tensors}
        self.makers = {name: [] for name in self.tensors}
        self.joined = set()  # tensors of pieces, of which none need write the end
        for op in graph["ops"]:
            for name in set(op.get("in", ())):
                self.readers[name] += 1
            for name in op.get("out", ()):
                self.makers[name].append(op)

    def is_plain(self, name):
        """A tensor of its own that one operator makes, without a role."""
        tensor = self.tensors[name]
        return len(self.makers[name]) == 1 and "view" not in tensor and not tensor.get("roles") and tensor["bytes"] > 0

    def scale(self):
        if max((tensor["bytes"] for tensor in self.graph["tensors"]), default=0) >= SMALL:
            return
        for tensor in self.graph["tensors"]:
            tensor["bytes"] *= SCALE
            tensor.pop("shape", None)
            if "view" in tensor:
                tensor["view"]["offset"] = tensor["view"].get("offset", 0) * SCALE
        for op in self.graph["ops"]:
            if op.get("workspace"):
                op["workspace"] *= SCALE

    def add_pieces(self):
        for op in self.graph["ops"]:
            ins, outs = sorted(set(op.get("in", ()))), op.get("out", ())
            if len(outs) != 1 or len(ins) < 2 or "view" in self.tensors[outs[0]] or outs[0] in ins:
                continue
            only = all(self.is_plain(name) and self.readers[name] == 1 for name in ins)
            total = sum(self.tensors[name]["bytes"] for name in ins)
            if only and len(self.makers[outs[0]]) == 1 and total <= self.tensors[outs[0]]["bytes"] and self.draw.chance(40):
                self.joined.add(outs[0])
                offset = 0
                for name in ins:
                    self.tensors[name]["view"] = {"of": outs[0], "offset": offset}
                    offset += self.tensors[name]["bytes"]
                op.pop("inplace", None)

    def add_views(self):
        for op in self.graph["ops"]:
            outs = op.get("out", ())
            if len(outs) != 1 or op.get("writes") or not self.is_plain(outs[0]) or not self.draw.chance(15):
                continue
            size = self.tensors[outs[0]]["bytes"]
            able = [
                name
                for name in op.get("in", ())
                if not self.tensors[name].get("roles") and self.tensors[name]["bytes"] >= size and name not in outs
            ]
            able = [n for n in able if len(self.makers[n]) == 1 and "view" not in self.tensors[n] and n not in self.joined]
            if able:
                base = able[self.draw.below(len(able))]
                room = (self.tensors[base]["bytes"] - size) // 64
                self.tensors[outs[0]]["view"] = {"of": base, "offset": 64 * self.draw.below(room + 1)}
                op.pop("inplace", None)

    def add_pairs(self):
        for op in self.graph["ops"]:
            if "inplace" in op or not op.get("out") or not self.draw.chance(40):
                continue
            output = op["out"][0]
            fits = [n for n in op.get("in", ()) if self.tensors[n]["bytes"] >= self.tensors[output]["bytes"]]
            if fits and "view" not in self.tensors[output] and output not in op["in"]:
                op["inplace"] = [[output, fits[self.draw.below(len(fits))]]]

    def add_workspaces(self):
        for op in self.graph["ops"]:
            largest = max((self.tensors[name]["bytes"] for name in op.get("out", ())), default=0)
            if not op.get("workspace") and largest >= 8 and self.draw.chance(20):
                op["workspace"] = 4 * (1 + self.draw.below(largest // 8))
                op["workspace_align"] = ALIGNMENTS[self.draw.below(len(ALIGNMENTS))]

    def add_alignments(self):
        for tensor in self.graph["tensors"]:
            if "view" not in tensor and "align" not in tensor:
                tensor["align"] = ALIGNMENTS[self.draw.below(len(ALIGNMENTS))]

    def add_pins(self):
        with tempfile.TemporaryDirectory(prefix="memplan-mixed-") as folder:
            path = pathlib.Path(folder, "graph.json")
            path.write_text(json.dumps(self.graph), encoding="utf-8")
            problem = graph_problem.Problem(path, graph_problem.Options())
        fit = problem.first_fit(list(range(problem.n)))
        if fit is None:
            return
        able = [i for i, b in enumerate(problem.buffers) if b.tensor is not None and b.pin is None]
        for _ in range(min(MOST_PINS, 1 + len(able) // 40) if able else 0):
            index = able.pop(self.draw.below(len(able)))
            self.tensors[problem.buffers[index].tensor]["pin"] = fit[1][index]


def mixed(graph, seed):
    """The graph, changed."""
    mixer = Mixer(graph, seed)
    mixer.scale()
    mixer.add_pieces()
    mixer.add_views()
    mixer.add_pairs()
    mixer.add_workspaces()
    mixer.add_alignments()
    mixer.add_pins()
    graph["name"] = f"{graph.get('name', 'graph')}-mixed{seed}"
    graph["source"] = f"{graph.get('source', '')}; mixed by seed {seed}".removeprefix("; ")
    return graph


def write(path, seed, out):
    graph = mixed(json.loads(pathlib.Path(path).read_text(encoding="utf-8")), seed)
    text = json.dumps(graph, separators=(",", ":")) + "\n"
    if out is None:
        sys.stdout.write(text)
    else:
        pathlib.Path(out).write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output")
    arguments = parser.parse_args()
    try:
        write(arguments.file, arguments.seed, arguments.output)
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"mixed_graphs.py: {error}")


if __name__ == "__main__":
    main()
