#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the integer programs on small graphs beside the exact search, and writes the tables eval/results/ilp*.

Usage: [MEMPLAN_DATA=DIR] eval/bench_ilp.py [--sizes 8,10,12,15,20,25] [--forms ilp-joint,...] [--ablation]
       eval/bench_ilp.py --report

Needs Python 3.10 and a build with GLPK. The graphs are those that `memplan gen layered` and `memplan gen gap` make (for
each size the seeds 0 to --count - 1), and, with MEMPLAN_DATA, the layered and gadget graphs of the same sizes in joint/.
Each form runs alone, on one thread, within the time limit; beside it the exact search of the same problem: of order and
placement together (joint), of the order (order), of the placement on the given order (place). Plans are verified by
memplan itself. Runs are kept as JSON lines in build/bench/, so that an interrupted run goes on where it stopped; the
lines of one file belong to one build of memplan.

Solved: GLPK has said, in floating point, that nothing is better than the plan. The joint programs begin from nothing,
without the plan and the bound that other methods find (`bench --without ilp-known`). Times are CPU seconds of the whole
command. --ablation: the program ilp-joint with each of its techniques switched off, too, on up to --ablation-size
operators and within --ablation-limit seconds.

Sizes grow. A form that has left --patience graphs of a family open is not tried on the rest of that family, which are
not in the tables then: so that all of it ends in minutes.
"""

import argparse
import collections
import csv
import fnmatch
import os
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
import bench_lines
from bench_lines import GRACE_S, LICENCE, ROOT, execute, read_lines

PLACE = ["--place", "first-fit-size"]
EXACT_ORDER, GIVEN = ["--order", "optimal"], ["--order", "given"]
ANEW = ["--without", "ilp-known"]
ABLATED = [
    *["ilp-probing", "ilp-guide", "ilp-windows", "ilp-rounding", "ilp-lazy", "ilp-at-once", "ilp-circles", "ilp-stacks"],
    *["ilp-mir", "ilp-guide and ilp-gomory", "ilp-guide and ilp-cliques", "ilp-guide and ilp-covers"],
]
# form: (its options, those of the exact search, the peak that it minimises, that peak's state)
FORMS = {
    "ilp-joint": (["--method", "ilp-joint", *ANEW], [], "peak", "status"),
    "ilp-joint-steps": (["--method", "ilp-joint-steps", *ANEW], [], "peak", "status"),
    "ilp-order": (["--order", "ilp-order", *PLACE], [*EXACT_ORDER, *PLACE], "order_peak", "order_status"),
    "ilp-order-steps": (["--order", "ilp-order-steps", *PLACE], [*EXACT_ORDER, *PLACE], "order_peak", "order_status"),
    "ilp-place": ([*GIVEN, "--place", "ilp-place"], [*GIVEN, "--place", "optimal"], "peak", "status"),
}
ABLATION = {
    f"ilp-joint without {names}": (
        ["--method", "ilp-joint", *ANEW, *(word for name in names.split(" and ") for word in ("--without", name))],
        *([], "peak", "status"),
    )
    for names in ABLATED
}
ALL = FORMS | ABLATION
COLUMNS = "graph family operators form peak bound stop solved nodes wall_s cpu_s exact_peak exact_proven exact_cpu_s".split()


class Bench:
    def __init__(self, arguments):
        self.memplan = arguments.memplan.resolve()
        self.limit_s = arguments.time_limit
        self.ablation_limit_s = min(arguments.ablation_limit, arguments.time_limit)
        self.exact = {}

    def run(self, path, options, limit_s):
        """A line of `bench`, or of `solve` by its default, and how the command ended."""
        command = [self.memplan, *(["bench", path] if options else ["solve", "--format", "json", path]), *options]
        command += ["--threads", "1", "--time-limit", f"{limit_s:g}s", "--work-limit", str(10**15), "--no-progress"]
        outcome = execute(command, 1.5 * limit_s + GRACE_S)
        return outcome.result(), outcome

    def exactly(self, path, graph, options, peak, state):
        key = graph, *options
        if key not in self.exact:
            told, outcome = self.run(path, options, self.limit_s)
            self.exact[key] = told.get(peak), told.get(state) == "optimal", round(outcome.cpu_s, 3)
        return self.exact[key]

    def measure(self, path, graph, family, size, form):
        options, exact, peak, state = ALL[form]
        limit_s = self.ablation_limit_s if form in ABLATION else self.limit_s
        told, outcome = self.run(path, options, limit_s)
        line = {"graph": graph, "family": family, "operators": size, "form": form}
        line.update(peak=told.get(peak), bound=told.get("floating_bound"), nodes=told.get("nodes"))
        line.update(wall_s=round(outcome.wall_s, 3), cpu_s=round(outcome.cpu_s, 3), error=None)
        line["stop"] = told.get("stop_reason")
        line["solved"] = line["peak"] is not None and line["bound"] == line["peak"] and line["stop"] == "done"
        line["exact_peak"], line["exact_proven"], line["exact_cpu_s"] = self.exactly(path, graph, exact, peak, state)
        if line["peak"] is None:
            line["error"] = (outcome.err.strip().splitlines() or ["killed"])[-1][:200]
        elif line["exact_proven"] and (
            line["peak"] < line["exact_peak"]
            or (line["solved"] and line["peak"] != line["exact_peak"])
            or (line["bound"] or 0) > line["exact_peak"]
        ):
            line["error"] = "the exact search says otherwise"
        return line


def graphs(arguments, folder):
    """(family, operators, path, name in the results) of every graph; generated ones are written into the folder."""
    for size in arguments.sizes.split(","):
        for family, more in (("layered", []), ("gap", ["--fill", "100"])):
            if family == "gap" and int(size) < 7:
                continue
            for seed in range(arguments.count):
                name = f"gen {family} --n {size} {' '.join(more)}{' ' if more else ''}--seed {seed}"
                path = pathlib.Path(folder, f"{family}-{size}-{seed}.json")
                execute([arguments.memplan, *name.split(), "-o", path], 60)
                yield family, int(size), path, name
        data = os.environ.get("MEMPLAN_DATA")
        for family in ("layered", "gadget"):
            path = pathlib.Path(data or "", "joint", f"{family}-n{int(size):02}-s0.json")
            if data and path.exists():
                yield family, int(size), path, f"joint/{path.name}"


def cell(value):
    return "" if value is None else "yes" if value is True else "no" if value is False else str(value)


def summary(lines):
    """A row for each form, family and size."""
    forms = list(ALL)
    for index, family, size in sorted({(forms.index(row["form"]), row["family"], row["operators"]) for row in lines}):
        rows = [r for r in lines if (r["form"], r["family"], r["operators"]) == (forms[index], family, size)]
        solved = [row for row in rows if row["solved"]]
        times = sorted(row["cpu_s"] for row in solved)
        exact = sorted(row["exact_cpu_s"] for row in rows)
        yield [
            forms[index],
            family,
            size,
            f"{len(solved)} of {len(rows)}",
            f"{times[len(times) // 2]} / {times[-1]}" if times else "",
            max((row["nodes"] for row in solved if row["nodes"] is not None), default=""),
            f"{exact[len(exact) // 2]} / {exact[-1]}",
        ]


def write_tables(lines, out):
    out.mkdir(parents=True, exist_ok=True)
    lines = sorted(lines, key=lambda row: (list(ALL).index(row["form"]), row["graph"]))
    with open(out / "ilp.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        table.writerows([cell(row[key]) for key in COLUMNS] for row in lines)
    heads = ["form", "family", "operators", "solved", "CPU s, median / most", "most nodes", "exact search"]
    text = [LICENCE + "# Integer programs by GLPK\n"]
    text.append("Solved within the time limit, by GLPK's word; beside it the exact search, which proves. CPU seconds.\n")
    text += ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    text += ["| " + " | ".join(map(str, row)) + " |" for row in summary(lines)]
    (out / "ilp.md").write_text("\n".join(text) + "\n", encoding="utf-8")
    wrong = [f"{row['graph']}, {row['form']}: {row['error']}" for row in lines if row["error"]]
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    bench_lines.add_arguments(parser, "ilp.jsonl", "graphs, as in 'gen gap*'")
    parser.add_argument("--sizes", default="8,10,12,15,20,25", help="operators (%(default)s)")
    parser.add_argument("--count", default=4, type=int, help="generated graphs of each family and size (%(default)s)")
    parser.add_argument("--forms", default=",".join(FORMS), help="of %(default)s")
    parser.add_argument("--ablation", action="store_true", help="ilp-joint with each technique switched off, too")
    parser.add_argument("--ablation-size", type=int, default=20, help="operators at most (%(default)s)")
    parser.add_argument("--ablation-limit", type=float, default=10, help="seconds of one run (%(default)s)")
    parser.add_argument("--patience", type=int, default=2, help="graphs of a family left open (%(default)s)")
    parser.add_argument("--time-limit", type=float, default=60, help="seconds of one run (%(default)s)")
    arguments = parser.parse_args()
    if arguments.lines is None:
        arguments.lines = ROOT / "build/bench/ilp.jsonl"
    if arguments.report:
        sys.exit(write_tables(read_lines(arguments.lines), arguments.out))
    forms = [*filter(None, arguments.forms.split(",")), *(ABLATION if arguments.ablation else ())]
    bench = Bench(arguments)
    lines = bench_lines.Lines(arguments.lines, bench.memplan, arguments.restart)
    done = {(line["graph"], line["form"]) for line in lines.found}
    left_open = collections.Counter((line["family"], line["form"]) for line in lines.found if not line["solved"])
    with tempfile.TemporaryDirectory(prefix="memplan-bench-") as folder:
        for family, size, path, graph in graphs(arguments, folder):
            for form in forms:
                if (graph, form) in done or not fnmatch.fnmatch(graph, arguments.only):
                    continue
                if left_open[family, form] >= arguments.patience or (form in ABLATION and size > arguments.ablation_size):
                    continue
                line = bench.measure(path, graph, family, size, form)
                lines.add(line)
                left_open[family, form] += not line["solved"]
                print(f"{graph:40} {form:32} {line['bound']} / {line['peak']} {line['nodes']} nodes {line['cpu_s']} s", flush=True)
    sys.exit(write_tables(lines.found, arguments.out))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
