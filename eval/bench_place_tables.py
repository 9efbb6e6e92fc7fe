# SPDX-License-Identifier: Apache-2.0
"""The tables of eval/bench_place.py: place_runs.jsonl (each run), and of each set a table of instances (Markdown, CSV)
and, in place_summary.md, of tools; ablation.md of techniques switched off. A bound of one tool above a plan of another is
a wrong proof: an error."""

import csv
import json
import pathlib
import statistics
import sys
from collections import defaultdict

from bench_lines import LICENCE, read_lines

# Of a tool's own result line.
KEPT = (
    "tool version status peak lower_bound gap naive_bytes order_lower_bound method threads stop_reason time_s cpu_s"
    " nodes certificate reuse_cost error"
).split()
NOT_IN_RESULTS = {"key", "memplan_sha256"}
# Made once for an instance, outside the turns.
SINGLE_RUNS = ("heuristics", "certificate")
INVALID = "invalid plan"
REUSE_COST = "reuse cost"  # what some files of dsa ask to be least before any peak
# Columns that only some sets have.
MEMORY_SETS, LINEAR_SETS, RATED_SETS = ("million", "idealloc"), ("million",), ("minimalloc",)
RATED_NODES = 100000  # fewer say nothing of a rate
ABLATION_CPU_S = 10  # what a proof may take to count with one technique off


def proven(line):
    """Optimal; with a capacity: decided, either way."""
    if line["error"] or line["verified"] is False:
        return False
    if line["capacity"] is not None:
        return line["status"] in ("optimal", "feasible", "infeasible")
    if line.get("objective") == REUSE_COST and line["peak"] is not None:
        return not line.get("reuse_cost")
    return line["status"] in ("optimal", "infeasible")


def seconds(line):
    """memplan: of the whole command; peers: of the solver alone."""
    return line["wall_s"] if line["tool"] == "memplan" or line["time_s"] is None else line["time_s"]


def row_text(line):
    """A run as a row on the terminal."""
    state = f"{line['peak']} / {line['lower_bound']}"
    text = f"{line['instance']:40} {line['config']:14} seed {line['seed']}  {line['status']:10} {state:28}"
    text += f" {seconds(line):9.3f} s"
    if line["verified"] is False or line["error"]:
        text += f"  {line['error']}"
    return text


def references(data):
    """(set, file) -> proven optimum, from the index.csv files of the data."""
    found = {}
    if data is None:
        return found
    for index in sorted(data.glob("*/index.csv")):
        with open(index, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row.get("file") and (row.get("optimum") or "").isdigit():
                    found[f"{index.parent.name}/{row['file']}"] = int(row["optimum"])
    return found


def number(value):
    return "" if value is None else str(value)


def time_text(value):
    return f"{value:.3f}" if value < 100 else f"{value:.0f}"


def summarise(runs):
    """The turns of one tool on one instance as one row."""
    proofs = [line for line in runs if proven(line)]
    plans = [line["peak"] for line in runs if line["peak"] is not None and line["verified"] is not False]
    times = [seconds(line) for line in runs]
    cpu = [line["cpu_s"] for line in runs if line["cpu_s"] is not None]
    nodes = [line["nodes"] for line in runs if line["nodes"] is not None]
    kinds = {(line.get("certificate") or {}).get("kind") for line in proofs if line["tool"] == "memplan"} - {None}
    return {
        "runs": len(runs),
        "proven": len(proofs),
        "peak": min(plans, default=None),
        "lower_bound": max((line["lower_bound"] for line in runs if line["lower_bound"] is not None), default=None),
        "min_s": min(times),
        "median_s": statistics.median(times),
        "max_s": max(times),
        "cpu_s": statistics.median(cpu) if cpu else None,
        "nodes": int(statistics.median(nodes)) if nodes else None,
        "max_rss_bytes": max((line["max_rss_bytes"] for line in runs if line.get("max_rss_bytes")), default=None),
        "reuse_cost": min((line["reuse_cost"] for line in runs if line.get("reuse_cost") is not None), default=None),
        "proof": "+".join(sorted(kinds)),
        "errors": sorted({line["error"] for line in runs if line["error"]}),
    }


def state_text(cell):
    """What a tool reached: proven k of n and its times, or the bracket."""
    if cell is None:
        return ""
    if cell["errors"] and cell["peak"] is None and cell["proven"] == 0:
        return "failed: " + cell["errors"][0][:60].replace("|", "/")
    times = f"{time_text(cell['min_s'])} / {time_text(cell['median_s'])}"
    if cell["cpu_s"] is not None:
        times += f" ({time_text(cell['cpu_s'])})"
    if cell["proven"] == cell["runs"]:
        return times
    bracket = f"[{number(cell['lower_bound'])}, {number(cell['peak'])}]"
    if cell["proven"]:
        return f"{cell['proven']} of {cell['runs']}: {times}"
    return f"{bracket} {times}"


def answer_of(lines):
    """What memplan's runs prove where a file's own objective decides, which no bracket of peaks tells; or None."""
    good = [line for line in lines if line["tool"] == "memplan" and line["capacity"] is None and proven(line)]
    for line in good:
        if line["status"] == "infeasible":
            return "no plan fits"
        if line.get("objective") == REUSE_COST:
            return f"{line['peak']}, no lower reuse cost"
        if (line["certificate"] or {}).get("kind") == "pools":
            return f"{line['peak']}, optimal by the objective"
    return None


def stem(instance):
    return pathlib.PurePosixPath(instance).stem


def micro_text(seconds_each):
    return f"{1e6 * seconds_each:.2f}"


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


class Table:
    """All lines of one set."""

    def __init__(self, lines, optimum):
        self.cells = defaultdict(dict)  # instance -> tool -> summary
        self.once = defaultdict(dict)  # instance -> heuristics, certificate -> line
        groups = defaultdict(list)
        for line in lines:
            if line["config"] in SINGLE_RUNS:
                self.once[line["instance"]][line["config"]] = line
            else:
                groups[line["instance"], line["config"]].append(line)
        for (instance, config), runs in groups.items():
            self.cells[instance][config] = summarise(runs)
        self.tools = list(dict.fromkeys(config for _, config in groups))
        self.name = lines[0]["set"]
        self.answers = defaultdict(list)  # instance -> lines
        for line in lines:
            if line["config"] not in SINGLE_RUNS:
                self.answers[line["instance"]].append(line)
        self.first = {}
        for line in lines:
            if line["config"] not in SINGLE_RUNS and (line["instance"] not in self.first or line["tool"] == "memplan"):
                self.first[line["instance"]] = line
        self.optimum = optimum
        self.capacity = next((line["capacity"] for line in lines if line["capacity"] is not None), None)
        self.limit_s = max(line["limit_s"] for line in lines if line["limit_s"] is not None)

    def known(self, instance):
        """The least peak and the highest bound that any tool reached, and the reference."""
        cells = self.cells[instance].values()
        peak = min((c["peak"] for c in cells if c["peak"] is not None), default=None)
        bound = max((c["lower_bound"] for c in cells if c["lower_bound"] is not None), default=None)
        return peak, bound, self.optimum.get(instance)

    def contradictions(self):
        for instance in self.cells:
            peak, bound, optimum = self.known(instance)
            if peak is not None and bound is not None and bound > peak:
                yield f"{instance}: a bound of {bound} and a plan of {peak}"
            if optimum is not None and self.capacity is None:
                if bound is not None and bound > optimum:
                    yield f"{instance}: a bound of {bound} above the reference {optimum}"
                if peak is not None and peak < optimum:
                    yield f"{instance}: a plan of {peak} below the reference {optimum}"
            for tool, cell in self.cells[instance].items():
                yield from (f"{instance}: {tool}: {e}" for e in cell["errors"] if e.startswith(INVALID))
            line = self.once[instance].get("certificate")
            if line and line["error"]:
                yield f"{instance}: {line['error']}"

    def instances(self):
        for instance in self.cells:
            peak, bound, optimum = self.known(instance)
            line = self.first[instance]
            answer = str(peak) if peak is not None and peak == bound else f"[{number(bound)}, {number(peak)}]"
            if optimum is not None:
                answer = str(optimum)
            yield instance, line, answer_of(self.answers[instance]) or answer

    def extra(self, own, buffers):
        """(head, cell) of the columns that this set has besides: of memplan on one thread."""
        own = own or {}
        nodes, cpu = own.get("nodes"), own.get("cpu_s")
        if self.name in RATED_SETS:
            rated = nodes is not None and nodes >= RATED_NODES and cpu
            yield "nodes per CPU s", f"{nodes / cpu:.0f}" if rated else ""
            yield "CPU µs per node", micro_text(cpu / nodes) if rated else ""
        if self.name in LINEAR_SETS:
            yield "CPU µs per buffer", micro_text(cpu / buffers) if cpu and buffers else ""
        if any(cell["reuse_cost"] is not None for cells in self.cells.values() for cell in cells.values()):
            yield "reuse cost", number(own.get("reuse_cost"))

    def markdown(self):
        header = ["instance", "buffers", "load", "heuristics", "optimum or [bound, best]", "proof", "certificate bytes"]
        header += ["check s", "nodes", *(head for head, _ in self.extra(None, None))]
        header += [f"{tool}: s min / median (CPU)" for tool in self.tools]
        memory = self.tools if self.name in MEMORY_SETS else []
        header += [f"{tool}: max_rss_bytes" for tool in memory]
        rows = []
        for instance, line, answer in self.instances():
            cells, once = self.cells[instance], self.once[instance]
            own = next((cells[tool] for tool in self.tools if tool.startswith("memplan") and tool in cells), None)
            proof = once.get("certificate") or {}
            row = [pathlib.PurePosixPath(instance).name, number(line["buffers"]), number(line["order_lower_bound"])]
            row += [number((once.get("heuristics") or {}).get("peak")), answer, own["proof"] if own else ""]
            row += [number(proof.get("certificate_bytes")), number(proof.get("check_s")), number(own and own["nodes"])]
            row += [cell for _, cell in self.extra(own, line["buffers"])]
            row += [state_text(cells.get(tool)) for tool in self.tools]
            rows.append(row + [number(cells[tool]["max_rss_bytes"] if tool in cells else None) for tool in memory])
        return markdown(header, rows)

    def summary(self):
        """A row for each tool, with the time of the first tool (memplan on one thread) on what it proves."""
        header = ["tool", "instances", "proven each time", "proven once", "median s of the proven", "sum of minima"]
        header += ["sum of medians", "of the proven", f"{self.tools[0]} on the same", "nodes"]
        rows = []
        for tool in self.tools:
            cells = {i: self.cells[i][tool] for i in self.cells if tool in self.cells[i]}
            always = {i: c for i, c in cells.items() if c["proven"] == c["runs"]}
            once = sum(c["proven"] > 0 for c in cells.values())
            sums = [sum(c[k] for c in cells.values()) for k in ("min_s", "median_s")]
            row = [tool, len(cells), len(always), once]
            row.append(time_text(statistics.median(c["median_s"] for c in always.values())) if always else "")
            row += [*map(time_text, sums), time_text(sum(c["median_s"] for c in always.values()))]
            rows.append([*row, self.same_text(always), sum(c["nodes"] or 0 for c in cells.values())])
        return markdown(header, rows)

    def ablation(self):
        """A row for each technique: instances proven within ABLATION_CPU_S in all turns and in some, CPU time, nodes;
        all rows are of the same instances, those that every row has run."""
        header = ["off", "instances", "proven each time", "proven once", "CPU s", "nodes", "proven by `all on` alone"]
        shared = [i for i, cells in self.cells.items() if len(cells) == len(self.tools)]
        proofs = defaultdict(list)  # instance, tool -> of each run: is it a proof in time
        for instance in shared:
            for line in self.answers[instance]:
                in_time = line["cpu_s"] is not None and line["cpu_s"] <= ABLATION_CPU_S
                proofs[instance, line["config"]].append(in_time and proven(line))
        rows = []
        for tool in self.tools:
            each = sum(all(proofs[i, tool]) for i in shared)
            once = sum(any(proofs[i, tool]) for i in shared)
            lost = [i for i in shared if any(proofs[i, self.tools[0]]) and not any(proofs[i, tool])]
            cpu = time_text(sum(min(self.cells[i][tool]["cpu_s"] or 0, ABLATION_CPU_S) for i in shared))
            nodes = sum(self.cells[i][tool]["nodes"] or 0 for i in shared)
            rows.append([tool, len(shared), each, once, cpu, nodes, " ".join(sorted(map(stem, lost)))])
        left_out = len(self.cells) - len(shared)
        note = f"; left out, for not each row has run them: {left_out}" if left_out else ""
        limits = f"A proof counts that took at most {ABLATION_CPU_S} s of CPU time; no instance is counted with more than"
        stopped = any(line["stop_reason"] == "work" for lines in self.answers.values() for line in lines)
        work = ", or at a limit of work" if stopped else ""
        limits += f" that. Runs ended after {self.limit_s:g} s{work}{note}.\n\n"
        return limits + markdown(header, rows)

    def same_text(self, instances):
        """The first tool's sum of medians on some instances, and on how many of them it has no proof each time."""
        cells = [self.cells[i].get(self.tools[0]) for i in instances]
        if not cells or None in cells:
            return ""
        left = sum(c["proven"] < c["runs"] for c in cells)
        return time_text(sum(c["median_s"] for c in cells)) + (f" ({left} not proven)" if left else "")

    def csv_rows(self):
        for instance, line, _ in self.instances():
            for tool, cell in self.cells[instance].items():
                row = {"instance": instance, "buffers": line["buffers"], "load": line["order_lower_bound"]}
                row |= {"optimum": self.optimum.get(instance), "tool": tool, "limit_s": self.limit_s} | cell
                row = {k: round(v, 6) if isinstance(v, float) else v for k, v in row.items()}
                yield row | {"errors": ";".join(cell["errors"])}


def read_runs(path, out, name):
    """The runs in `path`, copied to the results under a name of theirs; None if there are none."""
    try:
        lines = read_lines(path)
    except OSError as error:
        print(f"bench_place.py: {error}", file=sys.stderr)
        return None
    out.mkdir(parents=True, exist_ok=True)
    with open(out / name, "w", encoding="utf-8") as file:
        for line in lines:
            kept = {k: v for k, v in line.items() if k not in NOT_IN_RESULTS}
            file.write(json.dumps(kept, separators=(",", ":")) + "\n")
    return lines


def tell(faults):
    for fault in faults:
        print(f"bench_place.py: {fault}", file=sys.stderr)
    return 1 if faults else 0


def write_ablation(path, out, data):
    """The table of techniques; 0, or 1 if two results contradict each other."""
    lines = read_runs(path, out, "ablation_runs.jsonl")
    if lines is None:
        return 2
    optimum = references(data)
    text = LICENCE + "# Exact placement with one technique off\n"
    faults = []
    for name in dict.fromkeys(line["set"] for line in lines):
        table = Table([line for line in lines if line["set"] == name], optimum)
        faults += table.contradictions()
        text += f"\n## {name}\n\n{table.ablation()}"
    (out / "ablation.md").write_text(text, encoding="utf-8")
    return tell(faults)


def write(path, out, data):
    """Writes the tables of the runs in `path`; 0, or 1 if two results contradict each other."""
    lines = read_runs(path, out, "place_runs.jsonl")
    if lines is None:
        return 2
    optimum = references(data)
    faults = []
    summary = []
    for name in dict.fromkeys(line["set"] for line in lines):
        rows = [line for line in lines if line["set"] == name]
        if all(line["config"] in SINGLE_RUNS for line in rows):
            continue
        table = Table(rows, optimum)
        faults += table.contradictions()
        question = f", does it fit in {table.capacity} bytes" if table.capacity else ""
        title = f"{name}: {table.limit_s:g} s each{question}"
        summary.append(f"## {title}\n\n{table.summary()}")
        (out / f"place_{name}.md").write_text(f"{LICENCE}# {title}\n\n{table.markdown()}", encoding="utf-8")
        with open(out / f"place_{name}.csv", "w", newline="", encoding="utf-8") as file:
            rows = list(table.csv_rows())
            writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    text = LICENCE + "# Placement: memplan beside its peers\n\n" + "\n".join(summary)
    (out / "place_summary.md").write_text(text, encoding="utf-8")
    return tell(faults)
