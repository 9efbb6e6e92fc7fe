#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures exact placement beside the peers, in one interleaved run, and writes the tables eval/results/place_*.

Usage: MEMPLAN_DATA=DIR eval/bench_place.py [--sets tight,fresh] [--tools memplan-1,cp-sat] [--repeat 5]
       eval/bench_place.py --report
       MEMPLAN_DATA=DIR eval/bench_place.py --ablation [--sets tight,minimalloc] [--repeat 3] [--work-limit N]
       eval/bench_place.py --ablation --report

Needs Python 3.10; the peers are those that eval/peers/setup installs, and are left out where it has not been run. On
each instance the tools take turns, A B C A B C ..., each turn with the next seed. Every plan is checked twice, by
`memplan verify` and by the check of eval/peers/peer.py. Runs are kept as JSON lines in build/bench/, so that an
interrupted run goes on where it stopped; the lines of one file belong to one build of memplan. A peer that ran into its
time limit on an instance, or failed, is not asked again about it.

Times of memplan are those of the whole command, with reading and writing; those of the peers are of their solver alone.

--ablation runs memplan alone, whole and with each technique off (`memplan bench --without`, the names are those of
`memplan list techniques`), into files of its own: build/bench/ablation.jsonl and eval/results/ablation.md. There a proof
counts that took 10 s of CPU time at most: give --time-limit more than that where the machine is not idle. The sets are
run in the order in which --sets names them; a table has the instances that each of its rows has run.
"""

import argparse
import fnmatch
import json
import os
import pathlib
import shlex
import sys
import tempfile
from dataclasses import dataclass, field

import bench_lines
from bench_lines import GRACE_S, ROOT, execute

sys.path.insert(0, str(ROOT / "eval/peers"))
import bench_place_tables
import peer

PEER_TOOLS = {"supermalloc": "supermalloc.py", "cp-sat": "cpsat.py"}
# memplan's arguments follow the set's own; heuristics: the best of the methods without proof, as `bench` runs them.
MEMPLAN_TOOLS = {"memplan-1": ["--threads", "1"], "memplan-2": ["--threads", "2"]}
HEURISTICS, CERTIFICATE = "heuristics", "certificate"
ABLATION_S = 10


@dataclass(frozen=True)
class Family:
    """A set of instances. make: (generator, n, seed) of the files that `memplan gen` makes."""

    name: str
    pattern: str = ""
    limit_s: float = 10
    capacity: int | None = None
    tools: tuple = (*MEMPLAN_TOOLS, *PEER_TOOLS)
    make: tuple = ()
    lifetimes: bool = True  # a MiniMalloc CSV file, which the independent check reads


FAMILIES = [
    Family("minimalloc", "minimalloc/[A-K].*.csv", limit_s=60),
    Family("capacity", "minimalloc/[A-K].*.csv", capacity=1048576),
    Family("tight", "tight/t*.csv"),
    Family("fresh", make=tuple(("tight", 42 + i % 20, 1000 + i) for i in range(40))),
    Family("idealloc", "idealloc/*.csv", limit_s=60),
    Family("dsa", "dsa/*.json", tools=tuple(MEMPLAN_TOOLS), lifetimes=False),
    Family("million", tools=tuple(MEMPLAN_TOOLS), make=tuple(("random", n, 1) for n in (100000, 300000, 1000000))),
]


@dataclass
class Bench:
    memplan: pathlib.Path
    python: pathlib.Path
    lines: bench_lines.Lines
    data: pathlib.Path | None
    place: list
    work_limit: int | None = None
    ablation: bool = False
    done: set = field(default_factory=set)  # keys
    spent: set = field(default_factory=set)  # (set, instance, tool) that is not to be asked again

    def __post_init__(self):
        for line in self.lines.found:
            self.note(line)

    def note(self, line):
        self.done.add(line["key"])
        if line["tool"] != "memplan" and line["stop_reason"] != "done":
            self.spent.add((line["set"], line["instance"], line["config"]))

    def add(self, line):
        self.lines.add(line)
        self.note(line)
        print(bench_place_tables.row_text(line), flush=True)

    def run_once(self, family, path, instance, config, arguments, seed, limit_s):
        """One run of one tool, unless it was made before."""
        is_peer = config in PEER_TOOLS
        key = json.dumps([family.name, instance, config, arguments, seed, limit_s])
        if key in self.done or (family.name, instance, config) in self.spent:
            return
        with tempfile.TemporaryDirectory(prefix="memplan-bench-") as folder:
            plan = pathlib.Path(folder, "plan.json")
            options = [*arguments]
            if family.capacity is not None:
                options += ["--capacity", str(family.capacity)]
            options += ["--seed", str(seed), "--time-limit", f"{limit_s:g}" + ("" if is_peer else "s")]
            if self.work_limit is not None and not is_peer:
                options += ["--work-limit", str(self.work_limit)]
            environment, options = split_environment(options)
            if is_peer:
                mark = bench_lines.fingerprint_of(self.memplan, [path]) or ""
                options += ["--plan", plan, "--fingerprint", mark]
                command = [self.python, ROOT / "eval/peers" / PEER_TOOLS[config], path, *options]
            elif self.ablation:
                command = [self.memplan, "bench", path, "--no-progress", *options]
            else:
                command = [self.memplan, "solve", path, "--format", "json", "-o", plan, "--no-progress", *options]
            load = os.getloadavg()[0]
            outcome = execute(command, 1.5 * limit_s + GRACE_S, environment)
            line = result_of(outcome, "memplan" if not is_peer else config)
            line.update(key=key, set=family.name, instance=instance, config=config, arguments=arguments, seed=seed)
            line.update(limit_s=limit_s, capacity=family.capacity, exit_code=outcome.code)
            line["wall_s"] = round(outcome.wall_s, 6)
            if not is_peer:
                line["cpu_s"] = round(outcome.cpu_s, 6)
            line.update(max_rss_bytes=outcome.max_rss_bytes, loadavg=round(load, 2))
            line.update(objective=objective_of(path))
            # A tool that found no plan within the capacity may name its best peak, and writes no plan.
            fits = line["status"] in ("optimal", "feasible") and not self.ablation
            line["verified"] = self.check(family, path, plan, line) if fits else None
        self.add(line)

    def check(self, family, path, plan, line):
        """True: memplan and the independent check both accept the plan, and its peak is what the tool says."""
        command = [self.memplan, "verify", path, plan, "--format", "json"]
        if line["capacity"] is not None:
            command += ["--capacity", str(line["capacity"])]
        verified = execute(command, 600)
        faults = []
        if verified.code != 0:
            faults.append((verified.out + verified.err).strip()[:300])
        if family.lifetimes:
            try:
                if independent_peak(path, plan) != line["peak"]:
                    faults.append("the plan's peak is not the one that was told")
            except (OSError, ValueError, KeyError) as error:
                faults.append(str(error))
        if line["capacity"] is not None and line["peak"] > line["capacity"]:
            faults.append("the plan does not fit in the capacity")
        if faults:
            line["error"] = f"{bench_place_tables.INVALID}: " + "; ".join(faults)
        return not faults

    def heuristics(self, family, path, instance, methods):
        key = json.dumps([family.name, instance, HEURISTICS])
        if key in self.done:
            return
        best = None
        total = 0.0
        for method in methods:
            outcome = execute([self.memplan, "bench", path, "--place", method, "--threads", "1"], 120)
            total += outcome.wall_s
            for line in map(json.loads, outcome.out.splitlines()):
                if line["place"] != method or line["peak"] is None:
                    continue
                if best is None or line["peak"] < best["peak"]:
                    best = line
        if best is None:
            return
        kept = {k: best.get(k) for k in bench_place_tables.KEPT}
        kept.update(key=key, set=family.name, instance=instance, config=HEURISTICS, arguments=[], seed=0, limit_s=None)
        kept.update(capacity=None, wall_s=round(total, 6), cpu_s=None, exit_code=0, verified=None, stop_reason="done")
        self.add(kept | {"method": best["place"]})

    def certificate(self, family, path, instance, limit_s):
        """Writes a certificate and replays it: its size, and the time that the replay takes."""
        key = json.dumps([family.name, instance, CERTIFICATE, limit_s])
        if key in self.done:
            return
        with tempfile.TemporaryDirectory(prefix="memplan-bench-") as folder:
            proof = pathlib.Path(folder, "certificate")
            command = [self.memplan, "solve", path, "--format", "json", "--certificate", proof, "--no-progress"]
            command += [*self.place, "--threads", "1", "--time-limit", f"{limit_s:g}s"]
            made = execute(command, 1.5 * limit_s + GRACE_S)
            line = result_of(made, "memplan")
            line.update(key=key, set=family.name, instance=instance, config=CERTIFICATE, arguments=[], seed=0)
            line.update(limit_s=limit_s, capacity=None, wall_s=round(made.wall_s, 6), cpu_s=round(made.cpu_s, 6))
            line.update(exit_code=made.code, verified=None)
            if proof.exists():
                checked = execute([self.memplan, "check", path, proof], 600)
                line.update(certificate_bytes=proof.stat().st_size, check_s=round(checked.wall_s, 6))
                line["check_code"] = checked.code
                if checked.code != 0:
                    line["error"] = "certificate refused: " + (checked.out + checked.err).strip()[:300]
        self.add(line)


def split_environment(options):
    """VARIABLE=value words as an environment, the others as they are."""
    assigned = [word for word in options if word.partition("=")[0].isupper() and "=" in word]
    environment = os.environ | dict(word.split("=", 1) for word in assigned)
    return environment, [word for word in options if word not in assigned]


def result_of(outcome, tool):
    """The tool's result line, cut to what the tables need; of a run without one, a line that says why."""
    line = dict.fromkeys(bench_place_tables.KEPT)
    line.update(tool=tool, status="unknown", stop_reason="failed")
    told = outcome.result()
    if told:
        line.update((k, told[k]) for k in bench_place_tables.KEPT if k in told)
        line["buffers"] = told.get("input", {}).get("buffers")
    else:
        last = (outcome.err.strip().splitlines() or ["no output"])[-1]
        line["error"] = "killed past its time limit" if outcome.code is None else f"exit code {outcome.code}: {last}"
    return line


def objective_of(path):
    """"reuse cost" where a file of dsa asks that this be least; else None: peaks."""
    if path.suffix != ".json":
        return None
    objective = json.loads(path.read_text(encoding="utf-8")).get("problem", {}).get("objective") or {}
    return bench_place_tables.REUSE_COST if "reuse_cost" in objective.get("terms", ()) else None


def independent_peak(path, plan):
    buffers = peer.read_buffers(path)
    told = json.loads(plan.read_text(encoding="utf-8"))["offsets"]
    return peer.check_offsets(buffers, [told[b.id] for b in buffers])


def instances_of(bench, family, only):
    """(path, name in the results) where the name fits `only`; what is generated is made anew, as this build of memplan
    makes it."""
    for generator, n, seed in family.make:
        path = ROOT / "build/bench/generated" / f"{generator}_n{n}_s{seed}.csv"
        if not fnmatch.fnmatch(f"{family.name}/{path.name}", only):
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        command = [bench.memplan, "gen", generator, "--n", str(n), "--seed", str(seed), "-o", path]
        made = execute(command, 120)
        if made.code != 0:
            print(f"bench_place.py: {family.name} is left out: {made.err.strip()[:200]}", file=sys.stderr)
            return
        yield path, f"{family.name}/{path.name}"
    if family.pattern and bench.data is not None:
        for path in sorted(bench.data.glob(family.pattern)):
            name = path.relative_to(bench.data).as_posix()
            if fnmatch.fnmatch(name, only):
                yield path, name


def certifies(bench):
    """Does this build of memplan write certificates and replay them?"""
    usage = execute([bench.memplan, "solve", "--help"], 60).out
    return "--certificate" in usage and execute([bench.memplan, "check", "--help"], 60).code == 0


def arguments_of():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    bench_lines.add_arguments(parser, "place.jsonl", "instances, as in '*/D.*'")
    peers = bench_lines.peers_folder()
    parser.add_argument("--peers", default=peers, type=pathlib.Path, help="the folder that eval/peers/setup made")
    parser.add_argument("--sets", help="of " + ", ".join(f.name for f in FAMILIES) + " (all; ablation: two of them)")
    names = ", ".join((*MEMPLAN_TOOLS, *PEER_TOOLS, HEURISTICS, CERTIFICATE))
    parser.add_argument("--tools", help=f"of {names} (all)")
    parser.add_argument("--repeat", default=5, type=int, help="turns, with the seeds 0, 1, ... (%(default)s)")
    parser.add_argument("--time-limit", type=float, help="seconds of one run (default: the set's own)")
    parser.add_argument("--work-limit", type=int, help="ticks of one run of memplan (its own default)")
    parser.add_argument("--place", default="optimal", help="memplan's method (%(default)s); '' for its own choice")
    variant = {"action": "append", "default": [], "metavar": "NAME=ARGUMENTS"}
    parser.add_argument("--variant", **variant, help="one more way to run memplan; may be given several times")
    parser.add_argument("--ablation", action="store_true", help="memplan alone, whole and with each technique off")
    arguments = parser.parse_args()
    if arguments.lines is None:
        arguments.lines = ROOT / "build/bench" / ("ablation.jsonl" if arguments.ablation else "place.jsonl")
    if arguments.sets is None:
        arguments.sets = "tight,minimalloc" if arguments.ablation else ",".join(f.name for f in FAMILIES)
    return arguments


def configurations(arguments, bench):
    """name -> arguments, in the order of the turns."""
    base = [*bench.place, *MEMPLAN_TOOLS["memplan-1"]]
    found = {name: [*bench.place, *extra] for name, extra in MEMPLAN_TOOLS.items()}
    if arguments.ablation:
        names = [n for n in bench_lines.techniques_of(bench.memplan) if not n.startswith(("order-", "ilp-", "joint-"))]
        found = {"all on": base} | {f"no {name}": [*base, "--without", name] for name in names}
    elif bench.python.exists():
        found |= {name: [] for name in PEER_TOOLS}
    else:
        print(f"bench_place.py: no peers: {bench.python} is not there (eval/peers/setup makes it)", file=sys.stderr)
    for variant in arguments.variant:
        name, _, extra = variant.partition("=")
        found[name] = [*base, *shlex.split(extra)]
    if arguments.tools:
        wanted = arguments.tools.split(",") + [variant.partition("=")[0] for variant in arguments.variant]
        found = {name: extra for name, extra in found.items() if name in wanted}
    return found


def families_of(names):
    """In the order in which they are named: a run that is ended early has the first ones."""
    known = {family.name: family for family in FAMILIES}
    unknown = set(names.split(",")) - set(known)
    if unknown:
        sys.exit(f"bench_place.py: there is no set {min(unknown)}; there are: {', '.join(known)}")
    return [known[name] for name in names.split(",")]


def main():
    arguments = arguments_of()
    data = os.environ.get("MEMPLAN_DATA")
    data = pathlib.Path(data).resolve() if data else None
    if arguments.report:
        make = bench_place_tables.write_ablation if arguments.ablation else bench_place_tables.write
        sys.exit(make(arguments.lines, arguments.out, data))
    if data is None:
        print("bench_place.py: MEMPLAN_DATA is not set: generated instances only", file=sys.stderr)
    place = ["--place", arguments.place] if arguments.place else []
    tried = execute([arguments.memplan, "solve", *place, "--help"], 60)
    if tried.code != 0:
        sys.exit(f"bench_place.py: {tried.err.strip()}")
    memplan = arguments.memplan.resolve()
    lines = bench_lines.Lines(arguments.lines, memplan, arguments.restart)
    bench = Bench(memplan, arguments.peers / "bin/python", lines, data, place, arguments.work_limit, arguments.ablation)
    tools = configurations(arguments, bench)
    wanted = set((arguments.tools or f"{HEURISTICS},{CERTIFICATE}").split(","))
    methods = bench_lines.methods_of(memplan, "placement")
    proves = certifies(bench)
    for family in families_of(arguments.sets):
        limit_s = arguments.time_limit or (ABLATION_S if arguments.ablation else family.limit_s)
        for path, instance in instances_of(bench, family, arguments.only):
            once = family.capacity is None and not arguments.ablation
            if once and HEURISTICS in wanted:
                bench.heuristics(family, path, instance, methods)
            for seed in range(arguments.repeat):
                for config, extra in tools.items():
                    if config not in PEER_TOOLS or config in family.tools:
                        bench.run_once(family, path, instance, config, extra, seed, limit_s)
            if once and CERTIFICATE in wanted and proves:
                bench.certificate(family, path, instance, limit_s)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
