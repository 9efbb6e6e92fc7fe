#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Solves an integer program that `memplan convert --to lp` or `--to mps` has written, by another solver, and writes the
solution as that solver writes it, for `memplan convert --solution`. Prints a line with memplan's keys; the bound is a
floating one, as the status is: the solver's word. With --plan the solution is made a plan by memplan, which verifies it.

Usage: mip.py PROGRAM --solver highs|scip|cbc|gurobi [--solution FILE] [--time-limit SECONDS]
              [--plan FILE --model FILE --memplan PROGRAM]

Run it with the Python of eval/peers/setup, which installs HiGHS, SCIP and CBC; Gurobi is used where gurobipy is there.
"""

import argparse
import importlib.metadata
import importlib.util
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import peer

MODULES = {"highs": "highspy", "scip": "pyscipopt", "cbc": "pulp", "gurobi": "gurobipy"}


def highs(path, solution, limit_s):
    import highspy

    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("time_limit", limit_s)
    solver.setOptionValue("threads", 1)
    if solver.readModel(path) == highspy.HighsStatus.kError:
        return "refused", None, None
    solver.run()
    if solution:
        solver.writeSolution(solution, 0)
    info = solver.getInfo()
    optimal = solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return "optimal" if optimal else "open", info.objective_function_value, info.mip_dual_bound


def scip(path, solution, limit_s):
    import pyscipopt

    model = pyscipopt.Model()
    model.hideOutput()
    model.setParam("limits/time", limit_s)
    model.readProblem(path)
    model.optimize()
    found = model.getNSols() > 0
    if solution and found:
        model.writeBestSol(solution)
    optimal = model.getStatus() == "optimal"
    return "optimal" if optimal else "open", model.getObjVal() if found else None, model.getDualbound()


def cbc(path, solution, limit_s):
    import pulp

    with tempfile.NamedTemporaryFile(suffix=".sol") as scratch:
        file = solution or scratch.name
        command = [pulp.PULP_CBC_CMD().path, path, "sec", f"{limit_s:g}", "solve", "solution", file]
        subprocess.run(command, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=True)
        with open(file, encoding="utf-8") as text:
            head = text.readline().split()
    objective = float(head[-1]) if head and head[-2:-1] == ["value"] else None
    return "optimal" if head[:1] == ["Optimal"] else "open", objective, None


def gurobi(path, solution, limit_s):
    import gurobipy

    with gurobipy.Env(empty=True) as environment:
        environment.setParam("OutputFlag", 0)
        environment.start()
        model = gurobipy.read(path, environment)
        model.Params.TimeLimit = limit_s
        model.optimize()
        found = model.SolCount > 0
        if solution and found:
            model.write(solution)
        optimal = model.Status == gurobipy.GRB.OPTIMAL
        return "optimal" if optimal else "open", model.ObjVal if found else None, model.ObjBound


SOLVERS = {"highs": highs, "scip": scip, "cbc": cbc, "gurobi": gurobi}


def head_of(path):
    """The method whose program it is, and the bytes of a unit."""
    with open(path, encoding="utf-8") as file:
        head = "".join(line for line, _ in zip(file, range(2)))
    method, unit = re.search(r"memplan: (\S+)", head), re.search(r"in units of (\d+) bytes", head)
    if method is None or unit is None:
        raise ValueError(f"{path} is no program that memplan has written")
    return method[1], int(unit[1])


def make_plan(arguments, method, solution):
    """The plan of the solution, as memplan makes and verifies it."""
    kind = "--place" if method == "ilp-place" else "--order" if method.startswith("ilp-order") else "--method"
    command = [arguments.memplan, "convert", arguments.model, kind, method, "--solution", solution, "-o", arguments.plan]
    made = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if made.returncode != 0:
        raise ValueError(f"memplan refuses the solution: {made.stderr.strip()}")
    return json.loads(pathlib.Path(arguments.plan).read_text(encoding="utf-8"))


def solve(arguments, line, solution):
    method, unit = head_of(arguments.file)
    line["order" if method.startswith("ilp-order") else "place"] = method
    wall, cpu = time.perf_counter(), peer.cpu_seconds()
    status, objective, bound = SOLVERS[arguments.solver](arguments.file, solution, arguments.time_limit)
    line.update(time_s=round(time.perf_counter() - wall, 6), cpu_s=round(peer.cpu_seconds() - cpu, 6))
    line["stop_reason"] = "done" if status == "optimal" else "time"
    if bound is not None and math.isfinite(bound):
        line["floating_bound"] = math.ceil(bound - 1e-6) * unit
    if objective is None or status == "refused":
        return peer.EXIT_CODES[peer.UNKNOWN]
    line["status"] = peer.OPTIMAL if status == "optimal" else peer.FEASIBLE
    line["order_peak" if method.startswith("ilp-order") else "peak"] = round(objective) * unit
    if arguments.plan:
        plan = make_plan(arguments, method, solution)
        line.update(peak=plan["peak"], fits=True)
        line["input"]["fingerprint"] = plan["fingerprint"]
    return peer.EXIT_CODES[line["status"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", metavar="PROGRAM")
    parser.add_argument("--solver", choices=SOLVERS, required=True)
    parser.add_argument("--solution", help="file for the solution; Gurobi wants the ending .sol")
    parser.add_argument("--time-limit", type=float, default=60)
    parser.add_argument("--plan", help="write the plan of the solution to this file")
    parser.add_argument("--model", help="with --plan: what the program was made of")
    parser.add_argument("--memplan", help="with --plan: the program that makes the plan")
    parser.set_defaults(fingerprint=None, seed=0, threads=1)
    arguments = parser.parse_args()
    module = MODULES[arguments.solver]
    if importlib.util.find_spec(module) is None:
        print(f"mip.py: {module} is not installed here", file=sys.stderr)
        sys.exit(77)
    if arguments.plan and not (arguments.model and arguments.memplan):
        parser.error("--plan needs --model and --memplan")
    version = f"{module} {importlib.metadata.version(module)}"
    line = peer.new_line(arguments.solver, version, arguments, pathlib.Path(arguments.file).suffix.lstrip("."))
    with tempfile.TemporaryDirectory(prefix="memplan-mip-") as folder:
        solution = arguments.solution or str(pathlib.Path(folder, "answer.sol"))
        peer.finish(line, lambda: solve(arguments, line, solution))


if __name__ == "__main__":
    main()
