#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures order and placement together on models, and writes the table eval/results/joint.md (and joint.csv).

Usage: MEMPLAN_DATA=DIR eval/bench_joint.py [--sets order,joint,models,gap,mixed] [--only PATTERN] [--threads 2]
           [--tools memplan,cp-sat]
       eval/bench_joint.py --report [--lines FILE]...
       MEMPLAN_DATA=DIR eval/bench_joint.py --ablation [--sets joint,gap,layered] [--work-limit N] [--report]

Needs Python 3.10. For each model: the order peak of the given order; the best arena of the heuristics (every order
method without proof, each placed by all placement methods); what `memplan solve` finds by default, with its bounds and
times, in all and of each stage; kind and size of its certificate, the time of the run that writes it and of
its replay. The tool cp-sat, where eval/peers/setup has been run, is CP-SAT on the same graph; its plan is verified by
memplan, as each of its own is. Runs are kept as JSON lines in build/bench/, so that an interrupted run goes on where it
stopped; the lines of one file belong to one build of memplan. `--tools cp-sat --lines FILE` measures CP-SAT alone, and
`--report --lines ... --lines FILE` puts it beside the other lines.

Sets: order and joint, the folders of that name with their known optima; models, those of eval/bench_data.py; gap and
layered, graphs of GAP_SIZES and LAYERED_SIZES operators that `memplan gen` makes, which need no data; mixed, what
eval/mixed_graphs.py makes of the graphs of order and joint; joined, large nets of the folder order with a gadget beside
them or tied to them, whose arena needs more than its order (JOINED).

--ablation runs memplan by one thread with one part of the joint search switched off (`--without`), and writes
eval/results/joint_ablation.md: the parts of the default in runs of the default, and the rules of clause learning in
runs of the engine alone, which is told no plan and no bound.
"""

import argparse
import csv
import fnmatch
import json
import os
import pathlib
import sys
import tempfile

import bench_lines
import mixed_graphs
from bench_data import models
from bench_lines import GRACE_S, LICENCE, ROOT, execute

UNREAD_CODES = (3, 4)  # memplan's exit codes for files that it cannot read, or whose models it cannot plan
MEMPLAN_S = 900  # memplan ends by its work limit; a run this long is killed
REFUSED = "certificate refused"  # what the error of a line begins with if `memplan check` does not take a certificate
SETS = ("order", "joint", "models", "gap", "mixed", "joined")
GAP_SIZES = (40, 100, 200, 400)
LAYERED_SIZES = (30, 60, 100)
ABLATION_SETS = ("joint", "gap", "layered", "joined")
GADGET = ((2, ()), (2, (0,)), (1, (1,)), (1, (1, 2)), (1, (2, 3)), (2, (3, 4)), (2, (5,)))  # units, and what it reads
JOINED = (  # a net of order/, bytes of a unit, and after how many percent of the operators the gadget reads from it
    ("nasnet-cifar-k6-f32", 507904, None),
    ("nasnet-cifar-k6-f32", 400000, 50),
    ("nasnet-cifar-k6-f32", 450000, 70),
    ("pnas-imagenet-k3-f54", 3500000, 50),
    ("amoebanet-cifar-k6-f36", 320000, 50),
)
PARTS = ("joint-engine", "joint-windows", "joint-slices", "joint-nogoods", "joint-smoothing", "joint-choices")
RULES = "joint-load joint-probing overload edges symmetry minimisation bound-branching".split()
ALONE = ["--method", "joint-engine", "--without", "ilp-known"]
OPTIMA = {"order": "optimum_order_peak", "joint": "joint_optimum"}
STAGES = ("bounds", "orders", "placement", "engine", "windows", "nogoods")  # of `stages_s` in memplan's report
COLUMNS = {
    "model": "model",
    "ops": "ops",
    "given_order_peak": "given order",
    "heuristic_peak": "best heuristic arena",
    "order_peak": "order peak",
    "order_lower_bound": "order bound",
    "peak": "arena",
    "lower_bound": "bound",
    "status": "status",
    "optimum": "known optimum",
    "certificate_kind": "certificate",
    "certificate_bytes": "its bytes",
    "certified_s": "wall s with it",
    "check_s": "check s",
    "wall_s": "wall s",
    "cpu_s": "CPU s",
    **{f"{stage}_s": f"{stage} s" for stage in STAGES},
    "cpsat_peak": "CP-SAT arena",
    "cpsat_bound": "its bound",
    "cpsat_s": "its wall s",
    "cpsat_cpu_s": "its CPU s",
}


def known_optima(data, name):
    with open(data / name / "index.csv", newline="", encoding="utf-8") as file:
        return {row["file"]: row[OPTIMA[name]] for row in csv.DictReader(file) if row.get(OPTIMA[name])}


def generated(memplan, family, sizes, seeds, folder):
    """The graphs of a family of every size, made in `folder`."""
    for n in sizes:
        for seed in range(seeds):
            path = pathlib.Path(folder, f"{family}-n{n}-s{seed}.json")
            made = execute([memplan, "gen", family, "--n", str(n), "--seed", str(seed), "-o", path], 60)
            if made.code != 0:
                sys.exit(f"bench_joint.py: {made.err.strip()}")
            yield f"gen {family} --n {n} --seed {seed}", path, [], None


def mixed_set(data, seeds, folder):
    """What is made of the graphs of order and joint."""
    for name in ("joint", "order"):
        for path in sorted((data / name).glob("*.json")):
            for seed in range(seeds):
                out = pathlib.Path(folder, f"mixed-{name}-{seed}-{path.name}")
                mixed_graphs.write(path, seed, out)
                yield f"mixed {name}/{path.name} --seed {seed}", out, [], None


def joined(data, folder):
    """The nets of JOINED with their gadgets; 30 operators after the one that a gadget reads from it is read itself."""
    for net, unit, percent in JOINED:
        graph = json.loads((data / "order" / f"{net}.json").read_text(encoding="utf-8"))
        ops = graph["ops"]
        at = len(ops) if percent is None else len(ops) * percent // 100 + 1
        gadget = [
            {"id": f"gop{k}", "in": [f"gap{i}" for i in reads], "out": [f"gap{k}"]} for k, (_, reads) in enumerate(GADGET)
        ]
        if percent is not None:
            gadget[0]["in"] = ops[at - 1]["out"][:1]
            ops[min(at + 29, len(ops) - 1)]["in"].append(f"gap{len(GADGET) - 1}")
        graph["tensors"] += [{"id": f"gap{k}", "bytes": size * unit} for k, (size, _) in enumerate(GADGET)]
        ops[at:at] = gadget
        path = pathlib.Path(folder, f"{net}-{unit}.json")
        path.write_text(json.dumps(graph), encoding="utf-8")
        yield f"joined {net} {unit}" + ("" if percent is None else f" at {percent} %"), path, [], None


def instances(data, name, arguments, folder):
    """(name in the results, path, options, known optimum or None) of a set; what is made goes into `folder`."""
    if name in ("gap", "layered"):
        sizes = GAP_SIZES if name == "gap" else LAYERED_SIZES
        yield from generated(arguments.memplan, name, sizes, arguments.gap_seeds, folder)
    elif name == "mixed":
        yield from mixed_set(data, arguments.mixed_seeds, folder)
    elif name == "models":
        for path, options in models(data):
            yield str(path), data / path, options, None
    elif name == "joined":
        yield from joined(data, folder)
    else:
        optima = known_optima(data, name)
        for path in sorted((data / name).glob("*.json")):
            yield f"{name}/{path.name}", path, [], optima.get(path.name)


class Bench:
    def __init__(self, arguments):
        self.memplan = arguments.memplan.resolve()
        self.tools = arguments.tools
        self.python = arguments.peers_folder / "bin/python"
        if bench_lines.CP_SAT in self.tools and not self.python.exists():
            sys.exit(f"bench_joint.py: no CP-SAT: {self.python} is not there (eval/peers/setup makes it)")
        self.threads = ["--threads", str(arguments.threads)]
        self.limit_s = arguments.time_limit
        self.work = [] if arguments.work_limit is None else ["--work-limit", str(arguments.work_limit)]
        self.orders = bench_lines.methods_of(self.memplan, "order")

    def solve(self, path, options, more, threads=None):
        more = [*more, *(threads or self.threads), "--format", "json", "--no-progress"]
        command = [self.memplan, "solve", path, *options, *more]
        outcome = execute(command, MEMPLAN_S)
        return outcome, outcome.result()

    def heuristics(self, path, options, line):
        """The best arena of the heuristics, and the peak of the given order."""
        peaks = []
        for order in self.orders:
            _, result = self.solve(path, options, ["--order", order])
            if result.get("peak") is not None:
                peaks.append(result["peak"])
            if order == "given":
                line["given_order_peak"] = result.get("order_peak")
        line["heuristic_peak"] = min(peaks, default=None)

    def default(self, path, options, line):
        """The default, and the proof that it can write."""
        with tempfile.TemporaryDirectory(prefix="memplan-bench-") as folder:
            outcome, result = self.solve(path, options, [])
            line["ops"] = result.get("input", {}).get("ops")
            line.update((key, result.get(key)) for key in ("peak", "lower_bound", "order_peak", "order_lower_bound"))
            line.update(status=result.get("status", "failed"), method=result.get("method"))
            line.update(wall_s=round(outcome.wall_s, 3), cpu_s=round(outcome.cpu_s, 3))
            line.update((f"{stage}_s", round(result["stages_s"][stage], 3)) for stage in STAGES if result)
            if not result:
                told = outcome.err.strip().splitlines()
                line["error"] = told[-1][:300] if told and outcome.code is not None else "killed"
                line["exit_code"] = outcome.code
                return
            proof = pathlib.Path(folder, "certificate")
            certified, result = self.solve(path, options, ["--certificate", proof])
            line["certified_s"] = round(certified.wall_s, 3)
            line["certificate_kind"] = (result.get("certificate") or {}).get("kind")
            if proof.exists():
                checked = execute([self.memplan, "check", path, proof, *options], 600)
                line.update(certificate_bytes=proof.stat().st_size, check_s=round(checked.wall_s, 3))
                if checked.code != 0:
                    line["error"] = f"{REFUSED}: " + (checked.out + checked.err).strip()[:300]

    def peer(self, path, options, line):
        if bench_lines.CP_SAT not in self.tools or path.suffix != ".json" or options:
            return
        with tempfile.TemporaryDirectory(prefix="memplan-bench-") as folder:
            plan = pathlib.Path(folder, "plan.json")
            command = [self.python, ROOT / "eval/peers/cpsat_joint.py", path, "--time-limit", str(self.limit_s)]
            command += ["--plan", plan, "--fingerprint", bench_lines.fingerprint_of(self.memplan, [path]) or ""]
            result = execute([*command, *self.threads], 2 * self.limit_s + GRACE_S).result()
            line["cpsat_error"] = result.get("error") if result else "killed"
            if result.get("peak") is not None:
                line.update(cpsat_peak=result["peak"], cpsat_bound=result["lower_bound"], cpsat_s=result["time_s"])
                line.update(cpsat_cpu_s=result["cpu_s"], cpsat_error=bench_lines.refusal_of(self.memplan, [path], plan))

    def measure(self, name, path, options, optimum):
        line = {"model": name, "optimum": int(optimum) if optimum else None, "error": None}
        if bench_lines.MEMPLAN in self.tools:
            self.heuristics(path, options, line)
            self.default(path, options, line)
        else:
            line[bench_lines.PEERS_ONLY] = True
        self.peer(path, options, line)
        return line

    def ablate(self, name, path, options, optimum, set_name):
        """All on, and without each part and each rule."""
        line = {"model": name, "set": set_name, "optimum": int(optimum) if optimum else None, "status": "ran", "runs": {}}
        for mode, off in (("default", PARTS), ("alone", RULES)):
            for technique in ("all on", *off):
                more = [*(ALONE if mode == "alone" else []), *self.work]
                more += [] if technique == "all on" else ["--without", technique]
                outcome, told = self.solve(path, options, more, ["--threads", "1"])
                kept = {key: told.get(key) for key in ("peak", "lower_bound", "status", "nodes")}
                line["runs"][f"{mode}, {technique}"] = kept | {"cpu_s": round(outcome.cpu_s, 3)}
        return line


def wrong(line):
    """What contradicts a known optimum or another tool's plan, or is refused, or None. An order's optimum is a bound."""
    if (line.get("error") or "").startswith(REFUSED):
        return line["error"]
    peak, bound, best = line.get("peak"), line.get("lower_bound"), line.get("optimum")
    if peak is None or bound is None:
        return None
    if best is not None and peak < best:
        return "a plan below the known optimum"
    if line["model"].startswith("joint/") and best is not None and bound > best:
        return "a bound above the known optimum"
    if line.get("cpsat_peak") is not None and line.get("cpsat_error"):
        return f"CP-SAT: {line['cpsat_error']}"
    if line.get("cpsat_peak") is not None and (bound > line["cpsat_peak"] or line["cpsat_bound"] > peak):
        return "CP-SAT says otherwise"
    return None


def write_tables(lines, out):
    lines = [line for line in lines if not line.get(bench_lines.PEERS_ONLY)]
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "joint.csv", "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow([*COLUMNS, "build"])
        for line in lines:
            rows.writerow(["" if line.get(key) is None else line[key] for key in COLUMNS] + [bench_lines.build_of(line)])
    solved = [line for line in lines if line["status"] != "failed"]
    proven = [line for line in solved if line["status"] == "optimal"]
    text = [f"{LICENCE}# Order and placement together", ""]
    failed = [line for line in lines if line["status"] == "failed"]
    unread = sum(line.get("exit_code", UNREAD_CODES[0]) in UNREAD_CODES for line in failed)
    ended = len(lines) - len(solved) - unread
    counts = f"Proven optimal: {len(proven)} of {len(lines)} files; {unread} of them cannot be read"
    counts += f", {ended} ended without a plan" if ended else ""
    text += [f"{counts}. Bytes; - : not there.", ""]
    text += ["| " + " | ".join(COLUMNS.values()) + " |", "|" + "---|" * len(COLUMNS)]
    for line in solved:
        text.append("| " + " | ".join(str(line.get(key) if line.get(key) is not None else "-") for key in COLUMNS) + " |")
    (out / "joint.md").write_text("\n".join(text) + "\n", encoding="utf-8")
    faults = [(line["model"], wrong(line) or line["error"]) for line in lines if wrong(line) or line["error"]]
    for model, fault in faults:
        print(f"{model}: {fault}", file=sys.stderr)
    return 1 if any(wrong(line) for line in lines) else 0


def write_ablation(paths, out):
    lines = bench_lines.merged(paths, "model")
    sets = list(dict.fromkeys(line["set"] for line in lines))
    text = [LICENCE + "# Order and placement together: one part switched off\n"]
    text.append("Graphs proven optimal, CPU seconds of all, and in brackets conflicts and states of all; by set.\n")
    text.append("| without | " + " | ".join(f"{name} ({sum(line['set'] == name for line in lines)})" for name in sets) + " |")
    text.append("|" + "---|" * (len(sets) + 1))
    wrong = 0
    for key in lines[0]["runs"] if lines else ():
        cells = []
        for name in sets:
            runs = [line["runs"][key] for line in lines if line["set"] == name]
            proven = sum(run["status"] == "optimal" for run in runs)
            cells.append(f"{proven}, {sum(run['cpu_s'] for run in runs):.2f} s ({sum(run['nodes'] or 0 for run in runs)})")
        text.append(f"| {key} | " + " | ".join(cells) + " |")
    for line in lines:
        optima = {run["peak"] for run in line["runs"].values() if run["status"] == "optimal"}
        known = line["optimum"] if line["model"].startswith("joint/") else None
        if len(optima) > 1 or (known is not None and optima and optima != {known}):
            print(f"{line['model']}: {sorted(optima)}, known: {known}", file=sys.stderr)
            wrong += 1
    (out / "joint_ablation.md").write_text("\n".join(text) + "\n", encoding="utf-8")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    bench_lines.add_arguments(parser, "joint.jsonl", "models, as in 'joint/gap*'", several=True)
    usual = f"{','.join(SETS)}; ablation: {','.join(ABLATION_SETS)}"
    parser.add_argument("--sets", help=f"of {','.join(SETS)},layered ({usual})")
    parser.add_argument("--ablation", action="store_true", help="memplan alone, with one part of its search switched off")
    parser.add_argument("--work-limit", type=int, help="ticks of a run of the ablation (memplan's default)")
    parser.add_argument("--threads", default=2, type=int)
    sizes = ", ".join(map(str, GAP_SIZES))
    seeds = f"gap (layered) graphs of each size, {sizes} (%(default)s)"
    parser.add_argument("--gap-seeds", default=3, type=int, help=seeds)
    parser.add_argument("--time-limit", default=60, type=float, help="seconds of CP-SAT; memplan ends by its work limit")
    parser.add_argument("--mixed-seeds", default=1, type=int, help="mixed graphs of each graph (%(default)s)")
    bench_lines.add_tools(parser, bench_lines.MEMPLAN)
    peers = bench_lines.peers_folder()
    parser.add_argument("--peers-folder", default=peers, type=pathlib.Path, help="that eval/peers/setup made")
    arguments = parser.parse_args()
    kept = "joint_ablation.jsonl" if arguments.ablation else "joint.jsonl"
    if arguments.report:
        paths = arguments.lines or [ROOT / "build/bench" / kept]
        if arguments.ablation:
            sys.exit(write_ablation(paths, arguments.out))
        sys.exit(write_tables(bench_lines.merged(paths, "model", ("cpsat_",)), arguments.out))
    names = arguments.sets.split(",") if arguments.sets else ABLATION_SETS if arguments.ablation else SETS
    known = {*SETS, *ABLATION_SETS}
    if set(names) - known:
        sys.exit(f"bench_joint.py: there is no set {min(set(names) - known)}; there are: {', '.join(sorted(known))}")
    if "MEMPLAN_DATA" not in os.environ and not {"gap", "layered"}.issuperset(names):
        sys.exit("bench_joint.py: MEMPLAN_DATA is not set; it names the folder of the test data")
    data = pathlib.Path(os.environ.get("MEMPLAN_DATA", "")).resolve()
    bench = Bench(arguments)
    lines = bench_lines.Lines(bench_lines.only_file(arguments, kept), bench.memplan, arguments.restart)
    done = {line["model"] for line in lines.found}
    with tempfile.TemporaryDirectory(prefix="memplan-bench-") as folder:
        for name in names:
            for model, path, options, optimum in instances(data, name, arguments, folder):
                if model in done or not fnmatch.fnmatch(model, arguments.only):
                    continue
                if arguments.ablation:
                    lines.add(bench.ablate(model, path, options, optimum, name))
                    print(model, flush=True)
                    continue
                line = bench.measure(model, path, options, optimum)
                lines.add(line)
                state = f"{line.get('status', ''):10} {line.get('peak')} / {line.get('lower_bound')} {line.get('wall_s')} s"
                told = (line.get(f"cpsat_{key}") for key in ("peak", "bound", "s"))
                print(f"{model:60} {state}", *(told if bench_lines.CP_SAT in bench.tools else ()), flush=True)
    if arguments.ablation:
        sys.exit(0)
    if bench_lines.MEMPLAN not in bench.tools:
        sys.exit(bench_lines.tell_refused(lines.found, "model", "cpsat_"))
    sys.exit(write_tables(lines.found, arguments.out))


if __name__ == "__main__":
    main()
