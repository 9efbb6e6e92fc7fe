#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OmniMalloc's SuperMalloc on a MiniMalloc CSV file; to be run by the Python that eval/peers/setup makes.

Six threads: two for each of its three search orders, so that one of the two aims at the load; with fewer than three the
best of the orders starves. It has no seed.

With a capacity its search is asked for a peak below capacity + 1, as its own bound ladder does. It cannot be told to
stop at the first plan that fits, but goes on to lower ones until its time is up; hence rounds with longer and longer
times, of which only the last is reported: what the search needs, to a factor of GROWTH. "None" and "time is up" are the
same answer of it, so that time left is the proof.
"""

import importlib.metadata
import time

import peer
from omnimalloc._cpp import Allocation, Partition, try_solve_many
from omnimalloc.allocators.supermalloc import DEFAULT_HEURISTICS, SupermallocAllocator

THREADS = 6
FIRST_ROUND, GROWTH = 0.002, 1.4


def allocations_of(buffers):
    return tuple(Allocation(id=i, size=b.size, start=b.lower, end=b.upper) for i, b in enumerate(buffers))


def offsets_of(allocations, n):
    offsets = [None] * n
    for allocation in allocations:
        offsets[allocation.id] = allocation.offset
    return offsets


def minimise(buffers, arguments):
    allocator = SupermallocAllocator(timeout=arguments.time_limit, num_threads=arguments.threads)
    result = allocator.solve(allocations_of(buffers))
    proven = result.proved_optimal
    bound = result.peak if proven else result.lower_bound
    status = peer.OPTIMAL if proven else peer.FEASIBLE
    return peer.Answer(status, offsets_of(result.allocations, len(buffers)), bound, proven)


def fit(buffers, arguments):
    base = Partition.from_allocations(allocations_of(buffers))
    goal = arguments.capacity + 1
    members = [base.reorder("".join(heuristic)).with_bound(goal) for heuristic in DEFAULT_HEURISTICS]
    rules = dict.fromkeys(("canonical", "dominance", "floor_inference", "monotonic_floor", "decompose"), True)
    allowed = min(FIRST_ROUND, arguments.time_limit)
    while True:
        wall, cpu = time.perf_counter(), peer.cpu_seconds()
        solution = try_solve_many(members, goal, None, timeout=allowed, num_threads=arguments.threads, **rules)
        used = time.perf_counter() - wall, peer.cpu_seconds() - cpu
        if solution is not None:
            status = peer.OPTIMAL if solution.peak == base.lower_bound else peer.FEASIBLE
            offsets = offsets_of(solution.allocations, len(buffers))
            return peer.Answer(status, offsets, base.lower_bound, True, used=used)
        if used[0] < allowed:
            return peer.Answer(peer.INFEASIBLE, None, goal, True, used=used)
        if allowed >= arguments.time_limit:
            return peer.Answer(peer.UNKNOWN, None, base.lower_bound, False, used=used)
        allowed = min(allowed * GROWTH, arguments.time_limit)


def solve(buffers, arguments):
    return (minimise if arguments.capacity is None else fit)(buffers, arguments)


if __name__ == "__main__":
    peer.run("supermalloc", f"omnimalloc {importlib.metadata.version('omnimalloc')}", THREADS, solve)
