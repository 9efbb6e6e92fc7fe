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

import graph_problem

OPTIMAL, FEASIBLE, INFEASIBLE, UNKNOWN = "optimal", "feasible", "infeasible", "unknown"
# As memplan's own: 0 where the goal is met, optimal or (with a capacity) fitting.
EXIT_CODES = {OPTIMAL: 0, FEASIBLE: 10, INFEASIBLE: 20, UNKNOWN: 30}
EXIT_INPUT, EXIT_FAILURE = 2, 5
# Of a line of `memplan bench`, in its order; null: a peer does not know it. And the CPU seconds of the solver.
KEYS = (
    "tool version input status peak lower_bound gap order_peak order_lower_bound order_status naive_bytes reuse_ratio"
    " method seed threads stop_reason time_s nodes certificate capacity fits weight_bytes external_bytes fragmentation"
    " free_space_fragmentation device_memory device_share reuse_cost floating_bound instance order place options limits"
    " error cpu_s"
).split()


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


@dataclass
class GraphAnswer:
    """As Answer, of a graph_problem.Problem: the order, the pairs chosen, offsets by buffer."""

    status: str
    order: list | None
    pairs: list
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


def write_plan(path, line, problem, offsets, order=(), inplace=()):
    """A memplan-plan; offsets: by id, problem: the options that the file was read with."""
    plan = {"format": "memplan-plan", "version": 1, "tool": f"{line['tool']} {line['version']}"}
    plan.update(fingerprint=line["input"]["fingerprint"] or "", problem=problem, status=line["status"])
    plan.update(peak=line["peak"], lower_bound=min(line["lower_bound"], line["peak"]), order=list(order))
    plan.update(inplace=[list(pair) for pair in inplace], offsets=offsets)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(plan, file, indent=1)
        file.write("\n")


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def parser_of(what, threads):
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("file")
    parser.add_argument("--plan", help="write a memplan-plan to this file")
    parser.add_argument("--fingerprint", help="of the problem, as memplan tells it, for the plan")
    parser.add_argument("--time-limit", type=float, default=60, help="seconds")
    parser.add_argument("--threads", type=int, default=threads)
    parser.add_argument("--seed", type=int, default=0)
    return parser


def new_line(tool, version, arguments, form):
    line = dict.fromkeys(KEYS) | {"tool": tool, "version": version, "status": UNKNOWN, "method": tool}
    line["input"] = {"path": arguments.file, "format": form, "fingerprint": arguments.fingerprint}
    line["input"].update(ops=None, tensors=None, buffers=None)
    line.update(seed=arguments.seed, threads=arguments.threads, stop_reason="failed", instance=arguments.file)
    limits = {"time_ms": round(arguments.time_limit * 1000), "threads": arguments.threads, "seed": arguments.seed}
    line["limits"] = limits | {"capacity": None}
    return line


def ratio(part, whole):
    return round(part / whole, 6) if whole else 0.0


def note_peak(line, peak):
    line.update(peak=peak, gap=ratio(peak - line["lower_bound"], peak))
    line["reuse_ratio"] = ratio(line["naive_bytes"] - peak, line["naive_bytes"])
    if line["order_peak"] is not None:
        line["fragmentation"] = peak - line["order_peak"]


def finish(line, attempt):
    """Prints the line that attempt() fills and ends with the exit code that it returns."""
    code = EXIT_FAILURE
    try:
        code = attempt()
    except (OSError, ValueError, KeyError) as error:
        told = f"the key {error} is missing" if isinstance(error, KeyError) else str(error)
        line["error"], code = told, EXIT_INPUT
    except (MemoryError, RuntimeError, TypeError) as error:
        line["error"] = f"{type(error).__name__}: {error}"
    print(json.dumps(line, separators=(",", ":")))
    sys.exit(code)


def timed(line, solve, problem, arguments):
    wall, cpu = time.perf_counter(), cpu_seconds()
    answer = solve(problem, arguments)
    wall, cpu = answer.used or (time.perf_counter() - wall, cpu_seconds() - cpu)
    line.update(time_s=round(wall, 6), cpu_s=round(cpu, 6), nodes=answer.nodes, status=answer.status)
    line["stop_reason"] = "done" if answer.done else "time"
    return answer


def run(tool, version, threads, solve, add_options=None):
    """Reads the command line, runs solve(buffers, arguments) -> Answer, checks it and prints the result line. The time
    is that of solve alone: neither Python's start nor reading the file counts."""
    parser = parser_of(f"Places the buffers of a MiniMalloc CSV file with {tool}, {version}.", threads)
    parser.add_argument("--capacity", help="bytes, or `load`: only ask whether the buffers fit")
    if add_options:
        add_options(parser)
    arguments = parser.parse_args()
    line = new_line(tool, version, arguments, "csv")
    line["place"] = tool

    def attempt():
        buffers = read_buffers(arguments.file)
        load, naive = load_of(buffers), sum(b.size for b in buffers)
        line["input"]["buffers"] = len(buffers)
        line.update(order_peak=load, order_lower_bound=load, order_status=OPTIMAL, naive_bytes=naive, weight_bytes=0)
        line.update(external_bytes=0)
        if arguments.capacity is not None:
            arguments.capacity = load if arguments.capacity == "load" else int(arguments.capacity)
        line["capacity"] = line["limits"]["capacity"] = arguments.capacity
        answer = timed(line, solve, buffers, arguments)
        line["lower_bound"] = max(load, answer.lower_bound)
        if answer.offsets is not None:
            note_peak(line, check_offsets(buffers, answer.offsets))
            if arguments.plan:
                offsets = {b.id: o for b, o in zip(buffers, answer.offsets)}
                write_plan(arguments.plan, line, {"lifetimes": "half-open"}, offsets)
        fits = answer.offsets is not None
        if arguments.capacity is None or answer.status != UNKNOWN:
            line["fits"] = fits
        return EXIT_CODES[OPTIMAL if fits and arguments.capacity is not None else answer.status]

    finish(line, attempt)


def run_graph(tool, version, threads, solve, order_only):
    """As run, for memplan-graph JSON files: solve(problem, arguments) -> GraphAnswer. order_only: the tool looks for the
    least order peak; the plan is then a first fit on its order, and the exit code speaks of the order."""
    what = "Orders" if order_only else "Orders and places"
    parser = parser_of(f"{what} a memplan-graph JSON file with {tool}, {version}.", threads)
    parser.add_argument("--io", choices=graph_problem.IO, default="arena")
    parser.add_argument("--weights", choices=graph_problem.WEIGHTS, default="external")
    parser.add_argument("--inplace", choices=graph_problem.INPLACE, default="safe")
    parser.add_argument("--inputs-writable", action="store_true")
    parser.add_argument("--align", type=int, default=1)
    arguments = parser.parse_args()
    line = new_line(tool, version, arguments, "graph-json")
    line.update(order=tool, place="first-fit" if order_only else tool)

    def attempt():
        options = graph_problem.Options(
            **{key: getattr(arguments, key) for key in graph_problem.Options.__dataclass_fields__}
        )
        problem = graph_problem.Problem(arguments.file, options)
        line["input"].update(ops=problem.n, tensors=len(problem.tensors), buffers=problem.n_buffers)
        line.update(options=options.told(problem.name), naive_bytes=problem.naive_bytes)
        line.update(weight_bytes=problem.weight_bytes, external_bytes=problem.external_bytes)
        answer = timed(line, solve, problem, arguments)
        line["lower_bound"] = answer.lower_bound
        if order_only:
            line["order_lower_bound"] = answer.lower_bound
        line["fits"] = answer.offsets is not None
        if answer.order is not None:
            line["order_peak"] = problem.order_peak(answer.order)
        if order_only:
            proven = line["order_peak"] == answer.lower_bound
            line["order_status"] = OPTIMAL if proven else answer.status
        if answer.offsets is not None:
            note_peak(line, problem.check_plan(answer.order, answer.pairs, answer.offsets))
            proven = line["peak"] == answer.lower_bound
            line["status"] = OPTIMAL if proven else FEASIBLE
            if arguments.plan:
                offsets = {b.id: o for b, o in zip(problem.buffers, answer.offsets)} | problem.empty
                order = [problem.ops[v] for v in answer.order]
                write_plan(arguments.plan, line, line["options"], offsets, order, [p.names for p in answer.pairs])
        return EXIT_CODES[line["order_status" if order_only else "status"]]

    finish(line, attempt)
