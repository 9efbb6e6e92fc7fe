#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Solves an integer program that `memplan convert --to lp` or `--to mps` has written, by another solver, and writes the
solution as that solver writes it, for `memplan convert --solution`. Prints one line of JSON.

Usage: mip.py PROGRAM --solver highs|scip|cbc|gurobi [--solution FILE] [--time-limit SECONDS]

Run it with the Python of eval/peers/setup, which installs HiGHS, SCIP and CBC; Gurobi is used where gurobipy is there.
"""

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
import time

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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--solver", choices=SOLVERS, required=True)
    parser.add_argument("--solution", help="file for the solution; Gurobi wants the ending .sol")
    parser.add_argument("--time-limit", type=float, default=60)
    arguments = parser.parse_args()
    if importlib.util.find_spec(MODULES[arguments.solver]) is None:
        print(f"mip.py: {MODULES[arguments.solver]} is not installed here", file=sys.stderr)
        sys.exit(77)
    start = time.perf_counter()
    status, objective, bound = SOLVERS[arguments.solver](arguments.program, arguments.solution, arguments.time_limit)
    line = {"tool": arguments.solver, "status": status, "objective": objective, "bound": bound}
    print(json.dumps(line | {"time_s": round(time.perf_counter() - start, 3)}, separators=(",", ":")))


if __name__ == "__main__":
    main()
