#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OR-tools' CP-SAT on order and offsets together, of a memplan-graph JSON file; to be run by the Python that
eval/peers/setup makes.

Each operator has an integer step, all different; each tensor and each workspace is a rectangle whose ends in time follow
from the steps of the operators that touch it (add_no_overlap_2d, add_cumulative over the steps). The hint is the given
order with the best first fit. Graphs with views, in-place pairs, several writers of a tensor, alignments, pins, pools,
groups or asynchronous operators are refused: they would be another problem. The answer is checked by peer.py. Prints one
JSON line.
"""

import argparse
import importlib.metadata
import json
import math
import sys
import time

import peer
from cpsat import greedy
from ortools.sat.python import cp_model

REFUSED_TENSOR = ("view", "pin", "pools")
REFUSED_OP = ("inplace", "writes", "group", "async_until", "workspace_pools")


class Graph:
    """Items: (id, bytes, operator that makes it or None, operators that touch it, kept to the end)."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            graph = json.load(file)
        ops = graph["ops"]
        if "pools" in graph:
            raise ValueError(f"{path}: pools are more than this adapter knows")
        index = {op["id"]: v for v, op in enumerate(ops)}
        writers, readers = {}, {}
        for v, op in enumerate(ops):
            for key in REFUSED_OP:
                if op.get(key):
                    raise ValueError(f"{path}: operator '{op['id']}' has {key}, which this adapter does not know")
            for tensor in op.get("out", []):
                writers.setdefault(tensor, []).append(v)
            for tensor in set(op.get("in", [])):
                readers.setdefault(tensor, []).append(v)
        self.n = len(ops)
        self.before = {(index[a], v) for v, op in enumerate(ops) for a in op.get("after", [])}
        self.items = [
            (f"{op['id']}#workspace", op["workspace"], v, [v], False) for v, op in enumerate(ops) if op.get("workspace")
        ]
        for tensor in graph["tensors"]:
            name, roles = tensor["id"], set(tensor.get("roles", []))
            made, read = writers.get(name, []), readers.get(name, [])
            if any(key in tensor for key in REFUSED_TENSOR) or tensor.get("align", 1) != 1:
                raise ValueError(f"{path}: tensor '{name}' is a view, aligned, pinned or bound to pools")
            if len(made) > 1 or "variable" in roles or (made and "input" in roles):
                raise ValueError(f"{path}: tensor '{name}' is written more than once")
            self.before |= {(v, w) for v in made for w in read}
            if "weight" not in roles and tensor["bytes"] > 0 and (made or read or "input" in roles):
                self.items.append((name, tensor["bytes"], made[0] if made else None, made + read, "output" in roles))

    def buffers(self, step):
        """The placement problem of an order; step: by operator."""
        found = []
        for name, size, maker, touchers, kept in self.items:
            lower = 0 if maker is None else step[maker]
            upper = self.n if kept else 1 + max((step[v] for v in touchers), default=0)
            found.append(peer.Buffer(name, lower, upper, size))
        return found


def solve(graph, arguments):
    unit = math.gcd(*(size for _, size, *_ in graph.items))
    n = graph.n
    given = graph.buffers(range(n))
    top, hint = greedy([peer.Buffer(b.id, b.lower, b.upper, b.size // unit) for b in given])
    model = cp_model.CpModel()
    step = [model.new_int_var(0, n - 1, "") for _ in range(n)]
    model.add_all_different(step)
    for v, w in sorted(graph.before):
        model.add(step[v] < step[w])
    height = model.new_int_var(0, top, "height")
    offsets, across, along = [], [], []
    for (_, size, maker, touchers, kept), start in zip(graph.items, hint):
        lower = 0 if maker is None else step[maker]
        upper = n if kept else model.new_int_var(1, n, "")
        for v in touchers if not kept else []:
            model.add(upper >= step[v] + 1)
        duration = model.new_int_var(1, n, "")
        offset = model.new_int_var(0, top - size // unit, "")
        across.append(model.new_interval_var(lower, duration, upper, ""))
        along.append(model.new_fixed_size_interval_var(offset, size // unit, ""))
        model.add(offset + size // unit <= height)
        model.add_hint(offset, start)
        offsets.append(offset)
    model.add_no_overlap_2d(across, along)
    model.add_cumulative(across, [size // unit for _, size, *_ in graph.items], height)
    for v in range(n):
        model.add_hint(step[v], v)
    model.minimize(height)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = arguments.threads
    solver.parameters.random_seed = arguments.seed
    solver.parameters.max_time_in_seconds = arguments.time_limit
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return peer.FEASIBLE, peer.check_offsets(given, [start * unit for start in hint]), 0
    buffers = graph.buffers([solver.value(s) for s in step])
    peak = peer.check_offsets(buffers, [solver.value(offset) * unit for offset in offsets])
    bound = math.ceil(solver.best_objective_bound - 1e-6) * unit
    return (peer.OPTIMAL if peak == bound else peer.FEASIBLE), peak, bound


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--time-limit", type=float, default=60, help="seconds")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    line = {"tool": "cp-sat-joint", "version": f"ortools {importlib.metadata.version('ortools')}"}
    line.update(status=peer.UNKNOWN, peak=None, lower_bound=None, time_s=None, cpu_s=None, error=None)
    try:
        graph = Graph(arguments.file)
        wall, cpu = time.perf_counter(), peer.cpu_seconds()
        line["status"], line["peak"], line["lower_bound"] = solve(graph, arguments)
        line.update(time_s=round(time.perf_counter() - wall, 6), cpu_s=round(peer.cpu_seconds() - cpu, 6))
        code = peer.EXIT_CODES[line["status"]]
    except (OSError, ValueError, KeyError) as error:
        line["error"], code = str(error), peer.EXIT_INPUT
    print(json.dumps(line, separators=(",", ":")))
    sys.exit(code)


if __name__ == "__main__":
    main()
