#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the exact order search beside CP-SAT, in one run, and writes the tables eval/results/order*.

Usage: MEMPLAN_DATA=DIR eval/bench_order.py [--sets order,joint] [--only '*/darts*'] [--time-limit 60]
       eval/bench_order.py --report [--lines FILE]...
       MEMPLAN_DATA=DIR eval/bench_order.py --ablation [--work-limit N] [--report]

Needs Python 3.10; CP-SAT is what eval/peers/setup installs, and is left out where it has not been run. Of each graph one
line is kept in build/bench/: the peak of the given order, of the best heuristic's and of the best order of all, the
bounds by kind, states and times with one and with two threads, the certificate and its check, and CP-SAT's result. An
interrupted run goes on where it stopped; the lines of one file belong to one build of memplan. CP-SAT's order is walked
through twice, by its adapter and by memplan (`--order FILE`), and its plan is verified. `--tools cp-sat --lines FILE`
measures CP-SAT alone; `--report --lines ... --lines FILE` then puts it beside the other lines.

Sets: order, joint and zoo, graphs of these folders, with their in-place pairs; zoo-off, those of zoo without them
(`--inplace none`); onnx, the models of onnx-light, onnx-real and zoo/onnx as eval/bench_data.py lists them, without
CP-SAT; training, some of zoo that are large and hard, for an ablation. The column bound is the highest that any run of the
row proved; probe, what probing reached in the run with one thread, where it ran; search, what `bound` proved by searching;
aim, what is asked of that graph: a proof within so many seconds, of some graphs a gap of less than 0.5 % instead; met,
whether the run with two threads kept it (open: it was ended before that time).

Times of memplan are those of the whole command, with the placement by first-fit-size; those of CP-SAT of its solver.

--ablation runs memplan with each technique of the order search switched off (`bench --without order-…`) and writes
eval/results/order_ablation.md; `--sets order,training` takes graphs of training in.
"""

import argparse
import csv
import fnmatch
import os
import pathlib
import statistics
import sys
import tempfile
from dataclasses import dataclass

import bench_lines
from bench_data import models
from bench_lines import GRACE_S, LICENCE, ROOT, execute

PLACE = ["--place", "first-fit-size", "--no-progress"]
HARD_TRAINING = "bert6_plain dlrm resnet50 ssm swin_tiny".split()
SETS = {
    "order": ["order/*.json"],
    "joint": ["joint/*.json"],
    "zoo": ["zoo/graph/*.json"],
    "zoo-off": ["zoo/graph/*.json"],
    "training": [f"zoo/graph/t-{name}-*.json" for name in HARD_TRAINING],
}
ONNX = "onnx"
ONNX_FOLDERS = ("onnx-light", "onnx-real", "zoo/onnx")
OFF = " --inplace none"  # behind the name of a graph of zoo-off
COLUMNS = (
    "graph operators given heuristic in_out cut probe search optimum bound proven states part time_1 time_2 certificate"
    " bytes check_s cp_peak cp_bound cp_proven cp_time"
).split()
SHOWN = [*COLUMNS, "aim", "met"]
SAID = "graph optimum bound time_1 cp_peak cp_bound cp_time".split()  # while it runs


@dataclass(frozen=True)
class Aim:
    """What is asked of the graphs of a pattern; the first pattern that fits counts."""

    pattern: str
    seconds: float
    optimum: int | None = None
    most_gap: float = 0  # percent that does as well as a proof


AIMS = (
    Aim("order/nasnet-cifar-k6-f32.json", 0.5, 2031616),
    Aim("order/amoebanet-cifar-k6-f36.json", 0.5, 1474560),
    Aim("order/darts-cifar-k6-f36.json", 0.2, 1622016),
    Aim("order/pnas-imagenet-k3-f54.json", 0.5, 17059840),
    Aim("order/randwire-n32-c3-s2.json", 1, 3913728),
    Aim("order/randwire-n48-c2-s2.json", 0.6, 4892160),
    Aim("order/randwire-n64-c1-s2.json", 1, 7338240),
    Aim("order/randwire-n64-c1-s3.json", 1, 6849024),
    Aim("order/random_layered_n250_*", 1, 105170),
    Aim("order/random_layered_n500_*", 1, 247960),
    Aim("order/random_layered_n1000_*", 300, None, 0.5),
    Aim("order/*_MLSys_*", 1),
    Aim("order/train-*", 1),
    Aim("joint/layered-n100-s0.json", 0.5),
    Aim("zoo/graph/f-*", 0.5),
    Aim("zoo/graph/t-*", 60, None, 0.5),
)


class Order:
    def __init__(self, arguments):
        self.memplan = arguments.memplan.resolve()
        self.python = arguments.peers / "bin/python"
        self.tools = arguments.tools
        self.limit_s = arguments.time_limit
        self.limits = ["--time-limit", f"{self.limit_s:g}s"]
        for name in ("work_limit", "memory_limit"):
            value = getattr(arguments, name)
            self.limits += [] if value is None else [f"--{name.replace('_', '-')}", value]
        path = bench_lines.only_file(arguments, "order_ablation.jsonl" if arguments.ablation else "order.jsonl")
        self.lines = bench_lines.Lines(path, self.memplan, arguments.restart)
        self.done = {line["graph"] for line in self.lines.found}

    def add(self, line):
        self.lines.add(line)
        print("  ".join(f"{key} {line[key]}" for key in SAID if key in line), flush=True)

    def run(self, *options, limit_s=None):
        """A command of memplan: its last line of JSON, or {}, and how it ended."""
        outcome = execute([self.memplan, *map(str, options)], 1.5 * (limit_s or self.limit_s) + GRACE_S)
        return outcome.result(), outcome

    def solve(self, model, order, *more):
        return self.run("solve", *model, "--order", order, *PLACE, *self.limits, "--format", "json", *more)

    def measure(self, model, graph, heuristics):
        """`model`: the file and the options that say how it is read."""
        told, outcome = self.solve(model, "given")
        line = dict.fromkeys(COLUMNS) | {"graph": graph, "given": told.get("order_peak"), "limit_s": self.limit_s}
        line["operators"] = told.get("input", {}).get("ops")
        if not told:
            line["exit_code"] = outcome.code
            line["refused"] = (outcome.err.strip().splitlines() or ["killed"])[-1][:200]
            return line
        peaks = [self.solve(model, name)[0].get("order_peak") for name in heuristics]
        line["heuristic"] = min((p for p in peaks if p is not None), default=None)
        self.bounds(model, line)
        for threads in (1, 2):
            told, outcome = self.solve(model, "optimal", "--threads", threads, "-v")
            line[f"time_{threads}"] = round(outcome.wall_s, 3)
            line[f"cpu_{threads}"] = round(outcome.cpu_s, 3)
            if threads == 1:
                line["optimum"], line["bound"] = told.get("order_peak"), told.get("order_lower_bound")
                line["proven"] = told.get("order_status") == "optimal"
                line["states"] = told.get("nodes")
                line["part"], line["probe"] = last_part(outcome.err), probing_bound(outcome.err)
            elif told.get("order_peak") is not None and line["proven"] and told["order_peak"] != line["optimum"]:
                line["error"] = "two threads find another peak than one"
            if threads == 2:
                line["bound_2"] = told.get("order_lower_bound")
        self.certificate(model, line)
        self.peer(model, line)
        return line

    def bounds(self, model, line):
        told, _ = self.run("bound", *model, "--order", "optimal", *self.limits, "--format", "json")
        by_kind = {bound["kind"]: bound["bytes"] for bound in told.get("bounds", ()) if bound["problem"] == "joint"}
        ends = [by_kind[kind] for kind in ("operator", "inputs", "outputs", "buffer") if kind in by_kind]
        line.update(in_out=max(ends, default=None), cut=by_kind.get("cut"), search=by_kind.get("search"))

    def certificate(self, model, line):
        with tempfile.TemporaryDirectory(prefix="memplan-bench-") as folder:
            proof = pathlib.Path(folder, "certificate")
            told, _ = self.solve(model, "optimal", "--threads", "1", "--certificate", proof)
            line["certificate"] = (told.get("certificate") or {}).get("kind")
            if proof.exists():
                _, checked = self.run("check", model[0], proof, *model[1:], limit_s=600)
                line.update(bytes=proof.stat().st_size, check_s=round(checked.wall_s, 3))
                if checked.code != 0:
                    line["error"] = "certificate refused: " + checked.err.strip()[:200]

    def peer_alone(self, model, graph):
        line = {"graph": graph, bench_lines.PEERS_ONLY: True, "limit_s": self.limit_s}
        self.peer(model, line)
        return line

    def peer(self, model, line):
        if bench_lines.CP_SAT not in self.tools or not self.python.exists() or model[0].suffix != ".json":
            return
        with tempfile.TemporaryDirectory(prefix="memplan-bench-") as folder:
            plan = pathlib.Path(folder, "plan.json")
            command = [self.python, ROOT / "eval/peers/cpsat_order.py", *model, "--plan", plan]
            command += ["--fingerprint", bench_lines.fingerprint_of(self.memplan, model) or ""]
            outcome = execute([*command, "--time-limit", f"{self.limit_s:g}"], 1.5 * self.limit_s + GRACE_S)
            told = outcome.result()
            if not told:
                line["cp_error"] = "killed" if outcome.code is None else f"exit code {outcome.code}"
                return
            line.update(cp_peak=told["order_peak"], cp_bound=told["order_lower_bound"], cp_time=told["time_s"])
            line.update(cp_proven=told["order_status"] == "optimal", cp_error=told["error"])
            if plan.exists():
                line["cp_error"] = bench_lines.refusal_of(self.memplan, model, plan)
                walked = self.solve(model, plan)[0].get("order_peak")
                if walked != told["order_peak"]:
                    line["cp_error"] = f"adapter and memplan disagree on its order: {told['order_peak']}, {walked}"

    def ablate(self, model, graph, names):
        line = {"graph": graph, "runs": {}}
        for name in ("all on", *names):
            without = [] if name == "all on" else ["--without", name]
            run = ["bench", *model, "--order", "optimal", *PLACE, *self.limits, "--threads", "1", *without]
            told, outcome = self.run(*run)
            kept = {key: told.get(key) for key in ("order_peak", "order_lower_bound", "order_status", "nodes")}
            line["runs"][name] = kept | {"cpu_s": round(outcome.cpu_s, 3)}
        return line


def log_rows(log):
    """Source and bound of the rows of solve -v that come from the order search."""
    for row in log.splitlines():
        source, *numbers = row.rsplit(None, 6)
        if len(numbers) == 6 and numbers[4] == "%" and source.startswith("order, "):
            yield source, int(numbers[1])


def last_part(log):
    """The part of the order search that closed it, or came last."""
    return next((source for source, _ in reversed(list(log_rows(log)))), None)


def probing_bound(log):
    """The highest bound that came from probing."""
    return max((bound for source, bound in log_rows(log) if source == "order, probing"), default=None)


def cell(value):
    return "" if value is None else "yes" if value is True else "no" if value is False else str(value)


def best_bound(row):
    """Of all runs of memplan that the row was made from."""
    kinds = ("bound", "bound_2", "in_out", "cut", "probe", "search")
    return max((row[kind] for kind in kinds if row.get(kind) is not None), default=None)


def gap_of(row):
    """In percent; None without a plan."""
    if not row["optimum"] or row["bound"] is None:
        return None
    return 100 * (1 - row["bound"] / row["optimum"])


def judge(row):
    """Adds what is asked of the graph, and whether it is met."""
    if row["part"]:
        row["part"] = row["part"].rstrip("0123456789 ")  # lines of older builds carry the states there
    row["bound"] = best_bound(row)
    known = (row["bound"], row["cp_peak"]), (row["cp_bound"], row["optimum"]), (row["bound"], row["optimum"])
    if any(low is not None and high is not None and low > high for low, high in known):
        row["error"] = "a bound passes a peak"
    if row.get("cp_error") and row["cp_peak"] is not None:
        row["error"] = f"CP-SAT: {row['cp_error']}"
    aim = next((aim for aim in AIMS if fnmatch.fnmatch(row["graph"].removesuffix(OFF), aim.pattern)), None)
    row["aim"] = row["met"] = None
    if aim is None:
        return
    row["aim"] = f"{aim.seconds:g} s" + (f" or {aim.most_gap:g} %" if aim.most_gap else "")
    gap, time = gap_of(row), row["time_2"]
    reached = row["proven"] or (gap is not None and gap < aim.most_gap)
    if time is not None:
        row["met"] = time <= aim.seconds if reached else "open" if time < aim.seconds else False
    if aim.optimum is not None and row["proven"] and row["optimum"] != aim.optimum:
        row["error"] = f"the known optimum is {aim.optimum}"


def set_of(graph):
    """The row of the summary that a graph belongs to."""
    if graph.startswith(ONNX_FOLDERS):
        return "onnx"
    if not graph.startswith("zoo/"):
        return graph.partition("/")[0]
    kind = "forward" if pathlib.PurePosixPath(graph).name.startswith("f-") else "training"
    return f"zoo, {kind}" + (", in-place off" if graph.endswith(OFF) else "")


def summary(rows):
    """A row for each set: what is proven, how far the others are, the times with two threads."""
    heads = ["set", "files", "not readable", "proven", "proven or < 0.5 %", "median s", "most s", "aims met", "of"]
    yield "| " + " | ".join(heads) + " |"
    yield "|" + "---|" * len(heads)
    for name in dict.fromkeys(set_of(row["graph"]) for row in rows):
        own = [row for row in rows if set_of(row["graph"]) == name]
        read = [row for row in own if row["given"] is not None]
        near = sum(bool(row["proven"]) or (gap_of(row) or 100) < 0.5 for row in read)
        times = [row["time_2"] for row in read if row["time_2"] is not None]
        asked = [row for row in own if row["aim"] is not None]
        cells = [name, len(own), len(own) - len(read), sum(bool(row["proven"]) for row in read), near]
        cells += [f"{statistics.median(times):.3f}", f"{max(times):.3f}"] if times else ["", ""]
        cells += [sum(row["met"] is True for row in asked), len(asked)]
        yield "| " + " | ".join(map(str, cells)) + " |"


def write_tables(paths, out):
    rows = [dict.fromkeys(COLUMNS) | row for row in bench_lines.merged(paths, "graph", ("cp_",))]
    rows = [row for row in rows if not row.get(bench_lines.PEERS_ONLY)]
    rows.sort(key=lambda row: row["graph"])
    for row in rows:
        judge(row)
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "order.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow([*SHOWN, "build"])
        table.writerows([*(cell(row[key]) for key in SHOWN), bench_lines.build_of(row)] for row in rows)
    read = [row for row in rows if row["given"] is not None]
    proven = [row for row in read if row["proven"]]
    peers = [row for row in rows if row["cp_peak"] is not None]
    text = [LICENCE + "# Exact orders\n"]
    counts = f"{len(proven)} of {len(rows)} graphs proven"
    counts += f", {len(rows) - len(read)} cannot be read" if len(read) < len(rows) else ""
    text.append(f"{counts}; CP-SAT {sum(r['cp_proven'] for r in peers)} of {len(peers)}.\n")
    text += [*summary(rows), ""]
    text.append("| " + " | ".join(SHOWN) + " |")
    text.append("|" + "---|" * len(SHOWN))
    text += ["| " + " | ".join(cell(row[key]) for key in SHOWN) + " |" for row in read]
    still = [row for row in read if not row["proven"] and row["optimum"]]
    text.append("\n## Open\n" if still else "\nNone is open.")
    text += [f"* {row['graph']}: [{row['bound']}, {row['optimum']}], {gap_of(row):.2f} %" for row in still]
    (out / "order.md").write_text("\n".join(text) + "\n", encoding="utf-8")
    wrong = [f"{row['graph']}: {row['error']}" for row in rows if row.get("error")]
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


def write_ablation(paths, out):
    rows = bench_lines.merged(paths, "graph")
    names = list(rows[0]["runs"]) if rows else []
    text = [LICENCE + "# Order search: each technique switched off\n"]
    text.append("CPU seconds, and in brackets the states; a gap where the optimum is not proven.\n")
    text.append("| graph | " + " | ".join(names) + " |")
    text.append("|" + "---|" * (len(names) + 1))
    wrong = 0
    for row in sorted(rows, key=lambda row: row["graph"]):
        cells, optima = [], {r["order_peak"] for r in row["runs"].values() if r["order_status"] == "optimal"}
        wrong += len(optima) > 1
        for name in names:
            run = row["runs"].get(name, {})
            mark = ""
            if run.get("order_status") != "optimal" and run.get("order_peak"):
                mark = f", gap {100 * (1 - run['order_lower_bound'] / run['order_peak']):.2f} %"
            cells.append(f"{run.get('cpu_s')} ({cell(run.get('nodes'))}){mark}")
        text.append(f"| {row['graph']} | " + " | ".join(cells) + " |")
    (out / "order_ablation.md").write_text("\n".join(text) + "\n", encoding="utf-8")
    return 1 if wrong else 0


def arguments_of():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    bench_lines.add_arguments(parser, "order.jsonl", "graphs, as in '*/darts*'", several=True)
    peers = bench_lines.peers_folder()
    parser.add_argument("--peers", default=peers, type=pathlib.Path, help="the folder that eval/peers/setup made")
    bench_lines.add_tools(parser, ",".join(bench_lines.TOOLS))
    parser.add_argument("--sets", default="order", help="of " + ", ".join((*SETS, ONNX)) + " (%(default)s)")
    parser.add_argument("--time-limit", type=float, default=60, help="seconds of one run (%(default)s)")
    parser.add_argument("--work-limit", type=int, help="ticks of one run of memplan (its own default)")
    parser.add_argument("--memory-limit", help="of one run of memplan, as in 8GiB (its own default)")
    parser.add_argument("--ablation", action="store_true", help="memplan alone, with each technique switched off")
    return parser.parse_args()


def instances(data, name):
    """(file and options, name in the results) of every graph of a set."""
    if name == ONNX:
        for path, options in models(data):
            if path.as_posix().startswith(ONNX_FOLDERS):
                yield [data / path, *options], path.as_posix()
        return
    off = name == "zoo-off"
    for path in sorted(path for pattern in SETS[name] for path in data.glob(pattern)):
        yield [path, *(OFF.split() if off else [])], path.relative_to(data).as_posix() + (OFF if off else "")


def main():
    arguments = arguments_of()
    if arguments.report:
        default = "order_ablation.jsonl" if arguments.ablation else "order.jsonl"
        write = write_ablation if arguments.ablation else write_tables
        sys.exit(write(arguments.lines or [ROOT / "build/bench" / default], arguments.out))
    data = os.environ.get("MEMPLAN_DATA")
    if not data:
        sys.exit("bench_order.py: MEMPLAN_DATA is not set: there are no graphs")
    unknown = set(arguments.sets.split(",")) - {*SETS, ONNX}
    if unknown:
        sys.exit(f"bench_order.py: there is no set {min(unknown)}; there are: {', '.join((*SETS, ONNX))}")
    bench = Order(arguments)
    names = [name for name in bench_lines.techniques_of(bench.memplan) if name.startswith("order-")]
    heuristics = [name for name in bench_lines.methods_of(bench.memplan, "order") if name != "given"]
    if not bench.python.exists() and not arguments.ablation:
        print(f"bench_order.py: no CP-SAT: {bench.python} is not there (eval/peers/setup makes it)", file=sys.stderr)
    for name in arguments.sets.split(","):
        for model, graph in instances(pathlib.Path(data), name):
            if not fnmatch.fnmatch(graph, arguments.only) or graph in bench.done:
                continue
            if arguments.ablation:
                bench.add(bench.ablate(model, graph, names))
            elif bench_lines.MEMPLAN in arguments.tools:
                bench.add(bench.measure(model, graph, heuristics))
            elif model[0].suffix == ".json":
                bench.add(bench.peer_alone(model, graph))
    if bench_lines.MEMPLAN not in arguments.tools:
        sys.exit(bench_lines.tell_refused(bench.lines.found, "graph", "cp_"))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
