#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OR-tools' CP-SAT on order and offsets together, of a memplan-graph JSON file; to be run by the Python that
eval/peers/setup makes.

The intervals of cpsat_graph.py, each with its bytes a rectangle: no two overlap (add_no_overlap_2d), and they fill a
cumulative of the height. An offset is a multiple of its alignment, a chosen in-place pair fixes the distance of its two
buffers. The hint is the given order with the best first fit, which is the ceiling too, where pins leave it a place. The
plan is checked by graph_problem.py.
"""

import importlib.metadata
import math

import cpsat_graph
import peer
from ortools.sat.python import cp_model

THREADS = 2


def unit_of(problem):
    """What all sizes and fixed offsets are multiples of, and the period of each buffer's offset, 1 where each such
    multiple will do."""
    numbers = [b.size for b in problem.buffers] + [b.residue for b in problem.buffers]
    numbers += [b.pin or 0 for b in problem.buffers] + [v for pair in problem.pairs for v in (pair.saving, pair.delta)]
    unit = math.gcd(*numbers)
    while True:
        periods = [1 if b.residue == 0 and unit % b.period == 0 else b.period for b in problem.buffers]
        smaller = math.gcd(unit, *(period for period in periods if period > 1))
        if smaller == unit:
            return unit, [1 if period == 1 else period // unit for period in periods]
        unit = smaller


def ceiling(problem):
    """A peak that some plan does not pass, whatever the order, if there is a plan."""
    pins = max((b.pin + b.size for b in problem.buffers if b.pin is not None), default=0)
    return pins + sum(b.size + b.period - 1 for b in problem.buffers)


def add_offsets(timed, problem, periods, unit, top, fit):
    """The offset of each buffer as an expression."""
    offsets = []
    for index, b in enumerate(problem.buffers):
        if b.pin is not None:
            offsets.append(b.pin // unit)
            continue
        first, size = b.residue // unit, b.size // unit
        count = timed.model.new_int_var(0, max(0, (top - size - first) // periods[index]), "")
        if fit is not None:
            timed.model.add_hint(count, (fit[index] // unit - first) // periods[index])
        offsets.append(periods[index] * count + first)
    for k, chosen in timed.chosen.items():
        pair = problem.pairs[k]
        apart = offsets[pair.output] - offsets[pair.input]
        if isinstance(apart, int):
            if apart * unit != pair.delta:
                timed.model.add(chosen == 0)
        else:
            timed.model.add(apart == pair.delta // unit).only_enforce_if(chosen)
    return offsets


def add_rectangles(timed, problem, offsets, unit, height):
    along = []
    for piece in timed.pieces:
        low = offsets[piece.buffer]
        if piece.pair is not None:
            low = offsets[piece.buffer] + problem.pairs[piece.pair].saving // unit
        if piece.present is None:
            along.append(timed.model.new_fixed_size_interval_var(low, piece.size, ""))
        else:
            along.append(timed.model.new_optional_fixed_size_interval_var(low, piece.size, piece.present, ""))
    across = [piece.interval for piece in timed.pieces]
    timed.model.add_no_overlap_2d(across, along)
    timed.model.add_cumulative(across, [piece.size for piece in timed.pieces], height)
    for b, offset in zip(problem.buffers, offsets):
        timed.model.add(offset + b.size // unit <= height)


def solve(problem, arguments):
    given = list(range(problem.n))
    if not problem.buffers:
        return peer.GraphAnswer(peer.OPTIMAL, given, [], [], 0, True)
    unit, periods = unit_of(problem)
    peak, fit = problem.first_fit(given) or (None, None)
    top = (ceiling(problem) if peak is None else peak) // unit
    timed = cpsat_graph.Timed(problem, unit)
    height = timed.model.new_int_var(0, top, "height")
    if peak is not None:
        timed.model.add_hint(height, peak // unit)
    offsets = add_offsets(timed, problem, periods, unit, top, fit)
    add_rectangles(timed, problem, offsets, unit, height)
    timed.model.minimize(height)
    status, solver = timed.solve(arguments)
    nodes = solver.num_branches
    if status == cp_model.INFEASIBLE:
        return peer.GraphAnswer(peer.INFEASIBLE, None, [], None, ceiling(problem), True, nodes)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        known = peer.UNKNOWN if fit is None else peer.FEASIBLE
        return peer.GraphAnswer(known, None if fit is None else given, [], fit, 0, False, nodes)
    bound = cpsat_graph.bound_of(solver) * unit
    placed = [offset if isinstance(offset, int) else solver.value(offset) for offset in offsets]
    placed = [offset * unit for offset in placed]
    done = status == cp_model.OPTIMAL
    return peer.GraphAnswer(peer.FEASIBLE, timed.order(solver), timed.pairs(solver), placed, bound, done, nodes)


if __name__ == "__main__":
    peer.run_graph("cp-sat-joint", f"ortools {importlib.metadata.version('ortools')}", THREADS, solve, order_only=False)
