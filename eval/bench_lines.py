# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks of eval/bench_*.py share: running a command with its time and memory, and the lines that they keep
of their runs, one JSON object each, from which an interrupted run goes on."""

import argparse
import csv
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent
GRACE_S = 20  # over 1.5 times its limit a run is killed: some peers do not keep theirs
PEERS_ONLY = "peers_only"  # the key of a line that --tools made without memplan
TOOLS = MEMPLAN, CP_SAT = "memplan", "cp-sat"  # of graphs
LICENCE = "<!-- SPDX-License-Identifier: Apache-2.0 -->\n"  # of the tables that are committed


@dataclass
class Outcome:
    """How a process ended. max_rss_bytes is never less than what this Python itself holds when it starts it."""

    code: int | None  # None: killed at the limit
    out: str
    err: str
    wall_s: float
    cpu_s: float
    max_rss_bytes: int

    def result(self):
        """The last line of JSON on its standard output, or {}."""
        for line in reversed(self.out.splitlines()):
            if line.startswith("{"):
                try:
                    return json.loads(line)
                except ValueError:
                    return {}
        return {}


def execute(command, limit_s, environment=None):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        child = subprocess.Popen(
            command, stdout=out, stderr=err, stdin=subprocess.DEVNULL, env=environment, start_new_session=True
        )
        killed = False

        def kill(*_):
            nonlocal killed
            killed = True
            os.killpg(child.pid, signal.SIGKILL)

        before = signal.signal(signal.SIGALRM, kill)
        signal.setitimer(signal.ITIMER_REAL, limit_s)
        try:
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        except BaseException:
            kill()
            raise
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        wall = time.perf_counter() - start
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
    code = None if killed else child.returncode
    return Outcome(code, *texts, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def listed(memplan, what):
    """The rows of `memplan list`: methods, techniques."""
    return list(csv.DictReader(execute([memplan, "list", what, "--format", "csv"], 60).out.splitlines()))


def methods_of(memplan, kind):
    """memplan's methods of a kind without proof."""
    return [row["name"] for row in listed(memplan, "methods") if row["kind"] == kind and row["exact"] == "no"]


def techniques_of(memplan):
    """What `bench --without` switches off."""
    return [row["name"] for row in listed(memplan, "techniques")]


def fingerprint_of(memplan, model):
    """Of the problem that a file and its options make; None where memplan cannot read it."""
    return execute([memplan, "info", *model, "--format", "json"], 60).result().get("fingerprint")


def refusal_of(memplan, model, plan):
    """What `memplan verify` says against a plan, or None."""
    told = execute([memplan, "verify", model[0], plan, *model[1:]], 600)
    return None if told.code == 0 else "its plan is refused: " + " ".join((told.out + told.err).split())[:300]


def tell_refused(lines, name, prefix):
    """Says which plans of peers were refused; 1 if any was, else 0."""
    refused = [line for line in lines if line.get(f"{prefix}error") and line.get(f"{prefix}peak") is not None]
    for line in refused:
        print(f"{line[name]}: {line[f'{prefix}error']}", file=sys.stderr)
    return 1 if refused else 0


def whole_lines(path):
    """The text of a file of lines without the torn last one that a killed run leaves."""
    text = path.read_text(encoding="utf-8")
    return text[: text.rfind("\n") + 1]


def read_lines(path):
    """The lines of a file, as objects."""
    return [json.loads(line) for line in whole_lines(path).splitlines()]


def build_of(line):
    """The build that made a line, short."""
    return line.get("memplan_sha256", "")[:8]


def merged(paths, name, taken=()):
    """The lines of several files: of a name in several of them the last one's, with what it lacks of the keys that begin
    with one of `taken` from the one before it. Of a line of peers alone (PEERS_ONLY) only these keys count."""
    found = {}
    for path in paths:
        for line in read_lines(path):
            before = found.get(line[name], {})
            if taken and line.get(PEERS_ONLY) and before:
                line = before | {key: value for key, value in line.items() if key.startswith(taken)}
            elif taken and not any(key.startswith(taken) and line[key] is not None for key in line):
                line |= {key: value for key, value in before.items() if key.startswith(taken)}
            found[line[name]] = line
    return list(found.values())


def only_file(arguments, default):
    """Where the runs are kept that are made now."""
    if arguments.lines is not None and len(arguments.lines) > 1:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: several --lines are for --report; runs are kept in one file")
    return arguments.lines[0] if arguments.lines else ROOT / "build/bench" / default


class Lines:
    """The runs made so far, in a file whose lines belong to one build of memplan."""

    def __init__(self, path, memplan, restart):
        self.path = path
        self.sha256 = hashlib.sha256(memplan.read_bytes()).hexdigest()
        self.found = []
        path.parent.mkdir(parents=True, exist_ok=True)
        if restart:
            path.unlink(missing_ok=True)
        if not path.exists():
            return
        self.found = read_lines(path)
        if any(line["memplan_sha256"] != self.sha256 for line in self.found):
            program = pathlib.Path(sys.argv[0]).name
            sys.exit(
                f"{program}: {path} was made by another build of memplan; --restart begins anew, --lines names another file"
            )
        whole = whole_lines(path)
        if whole != path.read_text(encoding="utf-8"):
            path.write_text(whole, encoding="utf-8")

    def add(self, line):
        line["memplan_sha256"] = self.sha256
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
        self.found.append(line)


def add_arguments(parser, lines, only, several=False):
    """The options of every benchmark that keeps lines; `lines`: their file, `only`: what --only names, with an example,
    `several`: --report takes the lines of more than one file."""
    parser.add_argument("--memplan", default=ROOT / "build/release/memplan", type=pathlib.Path)
    kept = f"the runs are kept here (build/bench/{lines})"
    if several:
        kept += "; --report: may be given several times, of a name in several files the last one's run counts"
    parser.add_argument("--lines", type=pathlib.Path, action="append" if several else "store", help=kept)
    parser.add_argument("--out", default=ROOT / "eval/results", type=pathlib.Path)
    parser.add_argument("--only", default="*", help=f"pattern of the {only}")
    parser.add_argument("--restart", action="store_true", help="forget the runs made so far")
    parser.add_argument("--report", action="store_true", help="only write the tables of the runs made so far")


def add_tools(parser, default):
    names = ", ".join(TOOLS)
    text = f"of {names} (%(default)s); {CP_SAT} alone: --report joins its lines with those of memplan"
    parser.add_argument("--tools", default=default, type=lambda told: [tool_of(name) for name in told.split(",")], help=text)


def tool_of(name):
    if name not in TOOLS:
        raise argparse.ArgumentTypeError(f"there is no tool {name}; there are: {', '.join(TOOLS)}")
    return name


def peers_folder():
    """Where eval/peers/setup has put the peers, or would."""
    return pathlib.Path(os.environ.get("MEMPLAN_PEERS", ROOT / "build/peers"))
