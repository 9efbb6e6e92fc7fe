#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OR-tools' CP-SAT on a MiniMalloc CSV file; to be run by the Python that eval/peers/setup makes.

Each buffer is a rectangle, fixed in time, movable in offset; no two overlap (add_no_overlap_2d). Sizes are divided by
their greatest common divisor, times replaced by their ranks, the height starts at the load and ends at the best first
fit, which is the hint too. With a capacity the height is that constant, there is no objective, and a first fit that is
higher is no hint (one that cannot be met misleads the search by far).
"""

import importlib.metadata
import math

import peer
from ortools.sat.python import cp_model

THREADS = 2


def first_fit(buffers, key):
    """Each buffer, by falling key, at the lowest offset at which it fits."""
    offsets = [0] * len(buffers)
    placed = []
    for i in sorted(range(len(buffers)), key=lambda i: (-key(buffers[i]), i)):
        b = buffers[i]
        beside = [j for j in placed if buffers[j].lower < b.upper and b.lower < buffers[j].upper]
        for offset, size in sorted((offsets[j], buffers[j].size) for j in beside):
            if offsets[i] + b.size <= offset:
                break
            offsets[i] = max(offsets[i], offset + size)
        placed.append(i)
    return offsets


def greedy(buffers):
    """The best of the first fits by size, by size x time and by time: peak, offsets."""
    keys = (lambda b: b.size, lambda b: b.size * (b.upper - b.lower), lambda b: b.upper - b.lower)
    plans = [first_fit(buffers, key) for key in keys]
    return min((max(o + b.size for o, b in zip(plan, buffers)), plan) for plan in plans)


def solve(buffers, arguments):
    if not buffers:
        return peer.Answer(peer.OPTIMAL, [], 0, True)
    unit = math.gcd(*(b.size for b in buffers))
    ranks = {t: i for i, t in enumerate(sorted({t for b in buffers for t in (b.lower, b.upper)}))}
    small = [peer.Buffer(b.id, ranks[b.lower], ranks[b.upper], b.size // unit) for b in buffers]
    load = peer.load_of(small)
    peak, hint = greedy(small)
    top = peak if arguments.capacity is None else arguments.capacity // unit
    if top < load:
        return peer.Answer(peer.INFEASIBLE, None, load * unit, True)

    model = cp_model.CpModel()
    height = model.new_int_var(load, top, "height")
    offsets, across, along = [], [], []
    for b, start in zip(small, hint):
        offset = model.new_int_var(0, top - b.size, "")
        offsets.append(offset)
        across.append(model.new_fixed_size_interval_var(b.lower, b.upper - b.lower, ""))
        along.append(model.new_fixed_size_interval_var(offset, b.size, ""))
        if arguments.capacity is None:
            model.add(offset + b.size <= height)
        if peak <= top:
            model.add_hint(offset, start)
    model.add_no_overlap_2d(across, along)
    if arguments.cumulative:
        model.add_cumulative(across, [b.size for b in small], height if arguments.capacity is None else top)
    if arguments.capacity is None:
        model.add_hint(height, peak)
        model.minimize(height)

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = arguments.threads
    solver.parameters.random_seed = arguments.seed
    solver.parameters.max_time_in_seconds = arguments.time_limit
    status = solver.solve(model)
    done = status in (cp_model.OPTIMAL, cp_model.INFEASIBLE)
    bound = load
    if arguments.capacity is None and status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        bound = math.ceil(solver.best_objective_bound - 1e-6)
    nodes = solver.num_branches
    if status == cp_model.INFEASIBLE:
        return peer.Answer(peer.INFEASIBLE, None, (top + 1) * unit, True, nodes)
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        found = [solver.value(offset) * unit for offset in offsets]
        reached = max(o + b.size for o, b in zip(found, buffers))
        proven = reached == bound * unit
        return peer.Answer(peer.OPTIMAL if proven else peer.FEASIBLE, found, bound * unit, done, nodes)
    if status == cp_model.MODEL_INVALID:
        raise ValueError(f"CP-SAT refuses the model: {model.validate()}")
    if arguments.capacity is None:
        return peer.Answer(peer.FEASIBLE, [start * unit for start in hint], load * unit, False, nodes)
    return peer.Answer(peer.UNKNOWN, None, load * unit, False, nodes)


def add_options(parser):
    parser.add_argument("--cumulative", action="store_true", help="state the redundant cumulative constraint too")


if __name__ == "__main__":
    peer.run("cp-sat", f"ortools {importlib.metadata.version('ortools')}", THREADS, solve, add_options)
