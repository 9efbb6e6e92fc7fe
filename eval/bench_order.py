#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the exact order search beside CP-SAT, in one run, and writes the tables eval/results/order*.

Usage: MEMPLAN_DATA=DIR eval/bench_order.py [--sets order,joint] [--only '*/darts*'] [--time-limit 60] [--report]
       MEMPLAN_DATA=DIR eval/bench_order.py --ablation [--work-limit N] [--report]

Needs Python 3.10; CP-SAT is what eval/peers/setup installs, and is left out where it has not been run. Of each graph one
line is kept in build/bench/: the peak of the given order, of the best heuristic's and of the best order of all, the
bounds by kind, states and times with one and with two threads, the certificate and its check, and CP-SAT's result. An
interrupted run goes on where it stopped; the lines of one file belong to one build of memplan. CP-SAT's order is walked
through twice, by its adapter and by memplan (`--order FILE`).

Times of memplan are those of the whole command, with the placement by first-fit-size; those of CP-SAT of its solver.

--ablation runs memplan with each technique of the order search switched off (`bench --without order-…`) and writes
eval/results/order_ablation.md.
"""

import argparse
import csv
import fnmatch
import os
import pathlib
import sys
import tempfile

import bench_lines
from bench_lines import GRACE_S, LICENCE, ROOT, execute, read_lines

PLACE = ["--place", "first-fit-size", "--no-progress"]
SETS = {"order": "order/*.json", "joint": "joint/*.json", "zoo": "zoo/graph/*.json"}
COLUMNS = (
    "graph operators given heuristic in_out cut search optimum bound proven states part time_1 time_2 certificate bytes"
    " check_s cp_peak cp_bound cp_proven cp_time"
).split()


class Order:
    def __init__(self, arguments):
        self.memplan = arguments.memplan.resolve()
        self.python = arguments.peers / "bin/python"
        self.limit_s = arguments.time_limit
        self.work_limit = arguments.work_limit
        self.lines = bench_lines.Lines(arguments.lines, self.memplan, arguments.restart)
        self.done = {line["graph"] for line in self.lines.found}

    def add(self, line):
        self.lines.add(line)
        print("  ".join(f"{key} {line[key]}" for key in ("graph", "optimum", "bound", "time_1") if key in line), flush=True)

    def run(self, *options, limit_s=None):
        """A command of memplan: its last line of JSON, or {}, and how it ended."""
        outcome = execute([self.memplan, *map(str, options)], 1.5 * (limit_s or self.limit_s) + GRACE_S)
        return outcome.result(), outcome

    def solve(self, path, order, *more):
        limits = ["--time-limit", f"{self.limit_s:g}s"]
        if self.work_limit is not None:
            limits += ["--work-limit", self.work_limit]
        return self.run("solve", path, "--order", order, *PLACE, *limits, "--format", "json", *more)

    def measure(self, path, graph, heuristics):
        told, _ = self.solve(path, "given")
        line = dict.fromkeys(COLUMNS) | {"graph": graph, "given": told.get("order_peak")}
        line["operators"] = told.get("input", {}).get("ops")
        peaks = [self.solve(path, name)[0].get("order_peak") for name in heuristics]
        line["heuristic"] = min((p for p in peaks if p is not None), default=None)
        self.bounds(path, line)
        for threads in (1, 2):
            told, outcome = self.solve(path, "optimal", "--threads", threads, "-v")
            line[f"time_{threads}"] = round(outcome.wall_s, 3)
            line[f"cpu_{threads}"] = round(outcome.cpu_s, 3)
            if threads == 1:
                line["optimum"], line["bound"] = told.get("order_peak"), told.get("order_lower_bound")
                line["proven"] = told.get("order_status") == "optimal"
                line["states"] = told.get("nodes")
                line["part"] = last_part(outcome.err)
            elif told.get("order_peak") is not None and line["proven"] and told["order_peak"] != line["optimum"]:
                line["error"] = "two threads find another peak than one"
        self.certificate(path, line)
        self.peer(path, line)
        return line

    def bounds(self, path, line):
        told, _ = self.run("bound", path, "--order", "optimal", "--time-limit", f"{self.limit_s:g}s", "--format", "json")
        by_kind = {bound["kind"]: bound["bytes"] for bound in told.get("bounds", ()) if bound["problem"] == "joint"}
        ends = [by_kind[kind] for kind in ("operator", "inputs", "outputs", "buffer") if kind in by_kind]
        line.update(in_out=max(ends, default=None), cut=by_kind.get("cut"), search=by_kind.get("search"))

    def certificate(self, path, line):
        with tempfile.TemporaryDirectory(prefix="memplan-bench-") as folder:
            proof = pathlib.Path(folder, "certificate")
            told, _ = self.solve(path, "optimal", "--threads", "1", "--certificate", proof)
            line["certificate"] = (told.get("certificate") or {}).get("kind")
            if proof.exists():
                _, checked = self.run("check", path, proof, limit_s=600)
                line.update(bytes=proof.stat().st_size, check_s=round(checked.wall_s, 3))
                if checked.code != 0:
                    line["error"] = "certificate refused: " + checked.err.strip()[:200]

    def peer(self, path, line):
        if not self.python.exists():
            return
        with tempfile.TemporaryDirectory(prefix="memplan-bench-") as folder:
            order = pathlib.Path(folder, "order.txt")
            command = [self.python, ROOT / "eval/peers/cpsat_order.py", path, "--plan", order]
            outcome = execute([*command, "--time-limit", f"{self.limit_s:g}"], 1.5 * self.limit_s + GRACE_S)
            told = outcome.result()
            if not told:
                line["cp_error"] = "killed" if outcome.code is None else f"exit code {outcome.code}"
                return
            line.update(cp_peak=told["order_peak"], cp_bound=told["order_lower_bound"], cp_time=told["time_s"])
            line.update(cp_proven=told["status"] == "optimal", cp_error=told["error"])
            if order.exists():
                walked = self.solve(path, order)[0].get("order_peak")
                if walked != told["order_peak"]:
                    line["error"] = f"CP-SAT's adapter and memplan disagree on its order: {told['order_peak']}, {walked}"
            known = (line["bound"], told["order_peak"]), (told["order_lower_bound"], line["optimum"])
            if any(low is not None and high is not None and low > high for low, high in known):
                line["error"] = "a bound of one passes a peak of the other"

    def ablate(self, path, graph, names):
        line = {"graph": graph, "runs": {}}
        for name in ("all on", *names):
            without = [] if name == "all on" else ["--without", name]
            limits = ["--time-limit", f"{self.limit_s:g}s"]
            if self.work_limit is not None:
                limits += ["--work-limit", self.work_limit]
            told, outcome = self.run("bench", path, "--order", "optimal", *PLACE, *limits, "--threads", "1", *without)
            kept = {key: told.get(key) for key in ("order_peak", "order_lower_bound", "order_status", "nodes")}
            line["runs"][name] = kept | {"cpu_s": round(outcome.cpu_s, 3)}
        return line


def last_part(log):
    """The source of the last row of solve -v before the placement's."""
    rows = [row.split() for row in log.splitlines()]
    sources = [" ".join(row[:-5]) for row in rows if len(row) > 5 and row[-1].endswith("s") and "+" not in row[0]]
    return sources[-1] if sources else None


def cell(value):
    return "" if value is None else "yes" if value is True else "no" if value is False else str(value)


def write_tables(lines, out):
    rows = read_lines(lines)
    rows.sort(key=lambda row: row["graph"])
    with open(out / "order.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        table.writerows([cell(row[key]) for key in COLUMNS] for row in rows)
    proven = [row for row in rows if row["proven"]]
    peers = [row for row in rows if row["cp_peak"] is not None]
    text = [LICENCE + "# Exact orders\n"]
    text.append(f"{len(proven)} of {len(rows)} graphs proven; CP-SAT {sum(r['cp_proven'] for r in peers)} of {len(peers)}.\n")
    text.append("| " + " | ".join(COLUMNS) + " |")
    text.append("|" + "---|" * len(COLUMNS))
    text += ["| " + " | ".join(cell(row[key]) for key in COLUMNS) + " |" for row in rows]
    still = [row for row in rows if not row["proven"] and row["optimum"]]
    text.append("\n## Open\n" if still else "\nNone is open.")
    for row in still:
        text.append(f"* {row['graph']}: [{row['bound']}, {row['optimum']}], {100 * (1 - row['bound'] / row['optimum']):.2f} %")
    (out / "order.md").write_text("\n".join(text) + "\n", encoding="utf-8")
    wrong = [f"{row['graph']}: {row['error']}" for row in rows if row.get("error")]
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


def write_ablation(lines, out):
    rows = read_lines(lines)
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
    bench_lines.add_arguments(parser, "order.jsonl", "graphs, as in '*/darts*'")
    peers = bench_lines.peers_folder()
    parser.add_argument("--peers", default=peers, type=pathlib.Path, help="the folder that eval/peers/setup made")
    parser.add_argument("--sets", default="order", help="of " + ", ".join(SETS) + " (%(default)s)")
    parser.add_argument("--time-limit", type=float, default=60, help="seconds of one run (%(default)s)")
    parser.add_argument("--work-limit", type=int, help="ticks of one run of memplan (its own default)")
    parser.add_argument("--ablation", action="store_true", help="memplan alone, with each technique switched off")
    arguments = parser.parse_args()
    if arguments.lines is None:
        arguments.lines = ROOT / "build/bench" / ("order_ablation.jsonl" if arguments.ablation else "order.jsonl")
    return arguments


def main():
    arguments = arguments_of()
    if arguments.report:
        sys.exit((write_ablation if arguments.ablation else write_tables)(arguments.lines, arguments.out))
    data = os.environ.get("MEMPLAN_DATA")
    if not data:
        sys.exit("bench_order.py: MEMPLAN_DATA is not set: there are no graphs")
    bench = Order(arguments)
    names = [name for name in bench_lines.techniques_of(bench.memplan) if name.startswith("order-")]
    heuristics = [name for name in bench_lines.methods_of(bench.memplan, "order") if name != "given"]
    if not bench.python.exists() and not arguments.ablation:
        print(f"bench_order.py: no CP-SAT: {bench.python} is not there (eval/peers/setup makes it)", file=sys.stderr)
    for name in arguments.sets.split(","):
        for path in sorted(pathlib.Path(data).glob(SETS[name])):
            graph = path.relative_to(data).as_posix()
            if fnmatch.fnmatch(graph, arguments.only) and graph not in bench.done:
                measured = bench.ablate(path, graph, names) if arguments.ablation else bench.measure(path, graph, heuristics)
                bench.add(measured)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
