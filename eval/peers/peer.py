# SPDX-License-Identifier: Apache-2.0
"""What the adapters of the peers share: the problem, an independent check of a placement, and the result line.

The check shares no code with memplan or a peer: it sweeps over time with the live buffers sorted by offset. As these
are disjoint, a buffer that enters without touching its two neighbours touches none: n log n comparisons suffice.
"""

import argparse
import bisect
import csv
import json
import resource
import sys
import time
from dataclasses import dataclass

OPTIMAL, FEASIBLE, INFEASIBLE, UNKNOWN = "optimal", "feasible", "infeasible", "unknown"
# As memplan's own: 0 where the goal is met, optimal or (with a capacity) fitting.
EXIT_CODES = {OPTIMAL: 0, FEASIBLE: 10, INFEASIBLE: 20, UNKNOWN: 30}
EXIT_INPUT, EXIT_FAILURE = 2, 5


@dataclass(frozen=True)
class Buffer:
    """Lives in the steps [lower, upper)."""

    id: str
    lower: int
    upper: int
    size: int


@dataclass
class Answer:
    """offsets: one for each buffer, or None. lower_bound: bytes. done: the search ended by itself. used: seconds of
    wall and CPU, where they are less than all that solve took."""

    status: str
    offsets: list | None
    lower_bound: int
    done: bool
    nodes: int | None = None
    used: tuple | None = None


def read_buffers(path):
    """The rows of a MiniMalloc CSV file. ValueError says what a peer could not see: it would place something else."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        missing = {"id", "lower", "upper", "size"} - set(rows.fieldnames or ())
        if missing:
            raise ValueError(f"{path}: the columns {', '.join(sorted(missing))} are missing (MiniMalloc CSV is needed)")
        buffers = []
        for row in rows:
            where = f"{path}:{rows.line_num}"
            if (row.get("alignment") or "1") != "1" or row.get("gaps"):
                raise ValueError(f"{where}: the peers know neither alignments nor gaps")
            try:
                buffer = Buffer(row["id"], int(row["lower"]), int(row["upper"]), int(row["size"]))
            except (TypeError, ValueError):
                raise ValueError(f"{where}: lower, upper and size have to be integers") from None
            if buffer.lower >= buffer.upper or buffer.size <= 0:
                raise ValueError(f"{where}: the peers need a lifetime and a size that are not empty")
            buffers.append(buffer)
    if len({buffer.id for buffer in buffers}) < len(buffers):
        raise ValueError(f"{path}: two rows have the same id")
    return buffers


def load_of(buffers):
    """The largest sum of sizes that live at one time: a lower bound of every peak."""
    events = sorted([(b.upper, -b.size) for b in buffers] + [(b.lower, b.size) for b in buffers])
    live = most = 0
    for _, change in events:
        live += change
        most = max(most, live)
    return most


def check_offsets(buffers, offsets):
    """The peak of a placement; ValueError names two buffers that share a byte."""
    if any(offset is None or offset < 0 for offset in offsets):
        raise ValueError("a buffer has no offset, or a negative one")
    events = sorted((b.upper, 0, i) for i, b in enumerate(buffers)) + [(b.lower, 1, i) for i, b in enumerate(buffers)]
    live = []
    for _, enters, index in sorted(events):
        place = (offsets[index], index)
        at = bisect.bisect_left(live, place)
        if not enters:
            del live[at]
            continue
        for neighbour in live[max(at - 1, 0) : at + 1]:
            other = neighbour[1]
            low = max(place[0], neighbour[0])
            high = min(place[0] + buffers[index].size, neighbour[0] + buffers[other].size)
            if low < high:
                raise ValueError(f"'{buffers[index].id}' and '{buffers[other].id}' both use the bytes [{low}, {high})")
        live.insert(at, place)
    return max((o + b.size for o, b in zip(offsets, buffers)), default=0)


def write_plan(path, buffers, offsets):
    """A MiniMalloc CSV file with offsets, as `memplan verify` reads it."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["id", "lower", "upper", "size", "offset"])
        rows.writerows([b.id, b.lower, b.upper, b.size, o] for b, o in zip(buffers, offsets))


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def run(tool, version, threads, solve, add_options=None):
    """Reads the command line, runs solve(buffers, arguments) -> Answer, checks it and prints the result line. The time
    is that of solve alone: neither Python's start nor reading the file counts."""
    parser = argparse.ArgumentParser(description=f"Places the buffers of a MiniMalloc CSV file with {tool}, {version}.")
    parser.add_argument("file")
    parser.add_argument("--plan", help="write the offsets to this CSV file")
    parser.add_argument("--time-limit", type=float, default=60, help="seconds")
    parser.add_argument("--threads", type=int, default=threads)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--capacity", help="bytes, or `load`: only ask whether the buffers fit")
    if add_options:
        add_options(parser)
    arguments = parser.parse_args()
    line = {"tool": tool, "version": version, "input": {"path": arguments.file, "format": "csv", "fingerprint": None}}
    line["input"].update(ops=None, tensors=None, buffers=None)
    keys = "status fits peak lower_bound gap order_peak order_lower_bound order_status naive_bytes reuse_ratio".split()
    line.update(dict.fromkeys(keys), status=UNKNOWN, method=tool, seed=arguments.seed, threads=arguments.threads)
    line.update(stop_reason="failed", time_s=None, cpu_s=None, nodes=None, certificate=None, instance=arguments.file)
    line.update(order=None, place=tool, limits={}, error=None)
    code = EXIT_FAILURE
    try:
        buffers = read_buffers(arguments.file)
        load, naive = load_of(buffers), sum(b.size for b in buffers)
        line["input"]["buffers"] = len(buffers)
        line.update(lower_bound=load, order_peak=load, order_lower_bound=load, order_status=OPTIMAL, naive_bytes=naive)
        if arguments.capacity is not None:
            arguments.capacity = load if arguments.capacity == "load" else int(arguments.capacity)
        limits = {"time_ms": round(arguments.time_limit * 1000), "threads": arguments.threads, "seed": arguments.seed}
        line["limits"] = limits | {"capacity": arguments.capacity}
        wall, cpu = time.perf_counter(), cpu_seconds()
        answer = solve(buffers, arguments)
        wall, cpu = answer.used or (time.perf_counter() - wall, cpu_seconds() - cpu)
        line.update(time_s=round(wall, 6), cpu_s=round(cpu, 6), nodes=answer.nodes)
        line.update(lower_bound=max(load, answer.lower_bound), stop_reason="done" if answer.done else "time")
        if answer.offsets is not None:
            peak = check_offsets(buffers, answer.offsets)
            line.update(peak=peak, gap=round((peak - line["lower_bound"]) / peak, 6) if peak else 0.0)
            line["reuse_ratio"] = round(1 - peak / naive, 6) if naive else 0.0
            if arguments.plan:
                write_plan(arguments.plan, buffers, answer.offsets)
        line["status"] = answer.status
        fits = arguments.capacity is not None and answer.offsets is not None
        if arguments.capacity is not None and answer.status != UNKNOWN:
            line["fits"] = fits
        code = EXIT_CODES[OPTIMAL if fits else answer.status]
    except (OSError, ValueError) as error:
        line["error"], code = str(error), EXIT_INPUT
    except (MemoryError, RuntimeError, TypeError) as error:
        line["error"] = f"{type(error).__name__}: {error}"
    print(json.dumps(line, separators=(",", ":")))
    sys.exit(code)


def run_order(tool, version, threads, read, walk, solve, write):
    """As run, for orders of graphs: read(path) -> problem, solve(problem, arguments) -> Answer whose offsets are the
    order, walk(*problem, order) -> its peak, write(path, problem, order)."""
    parser = argparse.ArgumentParser(description=f"Orders a memplan-graph JSON file with {tool}, {version}.")
    parser.add_argument("file")
    parser.add_argument("--plan", help="write the order to this file, one operator id a line")
    parser.add_argument("--time-limit", type=float, default=60, help="seconds")
    parser.add_argument("--threads", type=int, default=threads)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    line = {"tool": tool, "version": version, "status": UNKNOWN, "order_peak": None, "order_lower_bound": None}
    line.update(method=tool, seed=arguments.seed, threads=arguments.threads, stop_reason="failed", time_s=None)
    line.update(cpu_s=None, nodes=None, given_peak=None, instance=arguments.file, error=None)
    code = EXIT_FAILURE
    try:
        problem = read(arguments.file)
        line["given_peak"] = walk(*problem, range(len(problem[0].ops)))
        wall, cpu = time.perf_counter(), cpu_seconds()
        answer = solve(problem, arguments)
        line.update(time_s=round(time.perf_counter() - wall, 6), cpu_s=round(cpu_seconds() - cpu, 6))
        line.update(nodes=answer.nodes, stop_reason="done" if answer.done else "time", status=answer.status)
        line["order_lower_bound"] = answer.lower_bound
        if answer.offsets is not None:
            line["order_peak"] = walk(*problem, answer.offsets)
            if arguments.plan:
                write(arguments.plan, problem, answer.offsets)
        code = EXIT_CODES[answer.status]
    except (OSError, ValueError, KeyError) as error:
        line["error"], code = str(error), EXIT_INPUT
    except (MemoryError, RuntimeError, TypeError) as error:
        line["error"] = f"{type(error).__name__}: {error}"
    print(json.dumps(line, separators=(",", ":")))
    sys.exit(code)
