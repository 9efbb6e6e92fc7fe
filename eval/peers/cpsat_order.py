#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OR-tools' CP-SAT on the order of a memplan-graph JSON file; to be run by the Python that eval/peers/setup makes.

The intervals of cpsat_graph.py fill a cumulative of the least height; the given order's peak is the ceiling. Alignments
do not touch loads, and are left out; pins are refused. The peak of the order found is counted by graph_problem.py; the
plan that is written is a first fit on it.
"""

import importlib.metadata
import math

import cpsat_graph
import peer
from ortools.sat.python import cp_model

THREADS = 2


def answer_of(problem, status, order, bound, done, nodes):
    fit = problem.first_fit(order)
    return peer.GraphAnswer(status, order, [], None if fit is None else fit[1], bound, done, nodes)


def solve(problem, arguments):
    if any(b.pin is not None for b in problem.buffers):
        raise ValueError(f"{problem.path} has pins, which bind orders; this adapter does not know them")
    given = list(range(problem.n))
    if not problem.buffers:
        return answer_of(problem, peer.OPTIMAL, given, 0, True, 0)
    sizes = [b.size for b in problem.buffers]
    unit = math.gcd(*sizes, *(pair.saving for pair in problem.pairs))
    timed = cpsat_graph.Timed(problem, unit)
    plain = problem.order_peak(given, inplace=False) // unit
    height = timed.hinted(0, plain, plain)
    timed.model.add_cumulative([piece.interval for piece in timed.pieces], [piece.size for piece in timed.pieces], height)
    timed.model.minimize(height)
    status, solver = timed.solve(arguments)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return answer_of(problem, peer.FEASIBLE, given, 0, False, solver.num_branches)  # the hint
    order, bound = timed.order(solver), cpsat_graph.bound_of(solver) * unit
    done = status == cp_model.OPTIMAL
    return answer_of(problem, peer.FEASIBLE, order, bound, done, solver.num_branches)


if __name__ == "__main__":
    version = f"ortools {importlib.metadata.version('ortools')}"
    peer.run_graph("cp-sat", version, THREADS, solve, order_only=True)
