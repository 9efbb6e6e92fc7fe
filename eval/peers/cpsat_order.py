#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OR-tools' CP-SAT on the order of a memplan-graph JSON file; to be run by the Python that eval/peers/setup makes.

Each operator has an integer step; no two run in one (unit intervals, add_no_overlap), and precedences follow from what
is read, written and stated in `after`. A buffer lives from the step of its first writer (inputs: from the first step) to
that of its last toucher (outputs: to the last step) as an interval of variable length; with the workspaces they fill a
cumulative of the least height. An in-place pair is a Boolean: the input's buffer then ends, or the output's begins, one
step apart, whichever is smaller. The given order is the hint, and its peak the ceiling.

The order found is walked through anew, by code that knows nothing of the model: its peak is what the line says.
"""

import importlib.metadata
import json
import math
from collections import defaultdict
from dataclasses import dataclass, field

import peer
from ortools.sat.python import cp_model

THREADS = 2


@dataclass
class Graph:
    """Storages and operators by index; input and output in the arena, weights outside, as memplan's defaults are."""

    ops: list
    size: list = field(default_factory=list)  # by storage
    first: list = field(default_factory=list)  # is it there from the start?
    last: list = field(default_factory=list)  # does it stay to the end?
    writers: list = field(default_factory=list)
    touchers: list = field(default_factory=list)
    before: list = field(default_factory=list)  # by operator
    workspace: list = field(default_factory=list)
    pairs: list = field(default_factory=list)  # (operator, output, input)


def need(holds, what):
    if not holds:
        raise ValueError(f"the adapter does not know {what}")


def read_graph(path):
    with open(path, encoding="utf-8") as file:
        told = json.load(file)
    need(told.get("format") == "memplan-graph", "files other than memplan-graph JSON")
    need(not told.get("pools") and not told.get("groups"), "pools and groups")
    tensors = {t["id"]: t for t in told["tensors"]}

    def chain(name):
        while "view" in tensors[name]:
            view = tensors[name]["view"]
            name = view["of"]
            yield name, view.get("offset", 0)

    def root_of(name):
        return [name, *(base for base, _ in chain(name))][-1]

    def offset_of(name):
        return sum(offset for _, offset in chain(name))

    graph = Graph([op["id"] for op in told["ops"]])
    index, roles = {}, defaultdict(set)
    for name, tensor in tensors.items():
        roles[root_of(name)] |= set(tensor.get("roles", ()))
    position = {op["id"]: i for i, op in enumerate(told["ops"])}
    written, touched, base = defaultdict(list), defaultdict(set), 0
    for i, op in enumerate(told["ops"]):
        need("async_until" not in op and not op.get("group") and not op.get("bodies"), "asynchronous or grouped operators")
        reads = {root_of(name) for name in op.get("in", ())}
        for name in op.get("out", ()):
            # An output that views what the operator reads is an alias, unless it is listed as written.
            if root_of(name) not in reads or name in op.get("writes", ()):
                written[root_of(name)].append(i)
        for name in (*op.get("in", ()), *op.get("out", ())):
            touched[root_of(name)].add(i)
        need(op.get("workspace") is None or isinstance(op["workspace"], int), "workspaces with alignments or pools")
        graph.workspace.append(op.get("workspace") or 0)
    for root in sorted(touched):
        if "weight" in roles[root]:
            continue
        if "variable" in roles[root]:
            base += tensors[root]["bytes"]
            continue
        index[root] = len(graph.size)
        graph.size.append(tensors[root]["bytes"])
        graph.first.append("input" in roles[root])
        graph.last.append("output" in roles[root])
        graph.writers.append(sorted(set(written[root])))
        graph.touchers.append(sorted(touched[root]))
    unread = sum(t["bytes"] for n, t in tensors.items() if "input" in roles[n] and n not in touched and root_of(n) == n)
    graph.before = [set() for _ in told["ops"]]
    accesses = defaultdict(list)
    maker = {name: i for i, op in enumerate(told["ops"]) for name in op.get("out", ())}
    for i, op in enumerate(told["ops"]):
        # The operator that names a view comes before those that read by that name, though it writes nothing.
        graph.before[i] |= {maker[name] for name in op.get("in", ()) if name in maker and maker[name] != i}
        outs = {root_of(n) for n in op.get("out", ())}
        for root in {root_of(n) for n in (*op.get("in", ()), *op.get("out", ()))}:
            accesses[root].append((i, i in written[root] and root in outs))
        graph.before[i] |= {position[name] for name in op.get("after", ())}
    for root, list_of in accesses.items():
        # A read after every write before it, a write after every access before it.
        for k, (i, writes) in enumerate(list_of):
            graph.before[i] |= {j for j, other in list_of[:k] if writes or other}
        for i in written[root]:
            need("weight" not in roles[root], "written weights")
    for i, op in enumerate(told["ops"]):
        for output, source in op.get("inplace", ()):
            q, p = root_of(output), root_of(source)
            free = q in index and p in index and "output" not in roles[p] and "input" not in roles[p]
            whole = offset_of(source) == 0 and tensors[source]["bytes"] == tensors[p]["bytes"]
            alone = {n for n in (*op.get("in", ()), *op.get("out", ())) if root_of(n) == p} == {source}
            if free and whole and alone and "view" not in tensors[output] and written[q] == [i]:
                graph.pairs.append((i, index[q], index[p]))
    return graph, base, unread


def steps_of(graph, order):
    step = [0] * len(order)
    for t, op in enumerate(order):
        step[op] = t
    return step


def walk(graph, base, unread, order):
    """The order peak: live storages and workspace by step, less the best in-place choice of the step."""
    n, step = len(order), steps_of(graph, order)
    if sorted(order) != list(range(n)) or any(step[j] >= step[i] for i in range(n) for j in graph.before[i]):
        raise ValueError("the order is not topological")
    change = [0] * (n + 1)
    ends = []
    for s, size in enumerate(graph.size):
        start = 0 if graph.first[s] or not graph.writers[s] else min(step[i] for i in graph.writers[s])
        end = n if graph.last[s] else max(step[i] for i in graph.touchers[s]) + 1
        change[start] += size
        change[end] -= size
        ends.append(end)
    saved = defaultdict(list)
    for op, q, p in graph.pairs:
        if ends[p] == step[op] + 1:
            saved[step[op]].append((min(graph.size[q], graph.size[p]), q, p))

    def most(pairs):
        if not pairs:
            return 0
        (gain, q, p), rest = pairs[0], pairs[1:]
        return max(most(rest), gain + most([r for r in rest if r[1] != q and r[2] != p]))

    live, peak = base, 0
    for t in range(n):
        live += change[t]
        load = live + graph.workspace[order[t]] - most(saved[t][:12]) + (unread if t == 0 else 0)
        peak = max(peak, load)
    return peak


def solve(problem, arguments):
    graph, base, unread = problem
    need(unread == 0, "inputs that nobody reads")
    n = len(graph.ops)
    ceiling = walk(graph, base, unread, range(n))
    numbers = [v for v in (*graph.size, *graph.workspace) if v > 0]
    unit = math.gcd(*numbers) if numbers else 1
    top = -(-(ceiling - base) // unit)

    model = cp_model.CpModel()
    step = [model.new_int_var(0, n - 1, "") for _ in range(n)]
    model.add_no_overlap([model.new_fixed_size_interval_var(s, 1, "") for s in step])
    for i, before in enumerate(graph.before):
        for j in before:
            model.add(step[j] + 1 <= step[i])
    plain = walk(Graph(**(vars(graph) | {"pairs": []})), base, unread, range(n))  # the hint takes nothing in place
    top = max(top, -(-(plain - base) // unit))
    height = model.new_int_var(0, top, "height")
    model.add_hint(height, -(-(plain - base) // unit))
    intervals, demands = [], []
    by_input, by_output = defaultdict(list), defaultdict(list)
    for op, q, p in graph.pairs:
        chosen = model.new_bool_var("")
        model.add_hint(chosen, False)
        by_input[p].append((chosen, op, graph.size[q] >= graph.size[p]))
        by_output[q].append((chosen, op, graph.size[q] >= graph.size[p]))
        for other in graph.touchers[p]:
            if other != op:
                model.add(step[other] < step[op]).only_enforce_if(chosen)
    for s, size in enumerate(graph.size):
        if size == 0:
            continue
        start = model.new_int_var(0, n, "")
        end = model.new_int_var(0, n, "")
        length = model.new_int_var(0, n, "")
        early = [chosen for chosen, _, larger in by_input[s] if larger]
        late = [chosen for chosen, _, larger in by_output[s] if not larger]
        model.add_at_most_one([chosen for chosen, _, _ in by_input[s]])
        model.add_at_most_one([chosen for chosen, _, _ in by_output[s]])
        if graph.first[s] or not graph.writers[s]:
            model.add(start == 0)
        elif len(graph.writers[s]) == 1:
            model.add(start == step[graph.writers[s][0]] + sum(late))
        else:
            model.add_min_equality(start, [step[i] for i in graph.writers[s]])
        if graph.last[s]:
            model.add(end == n)
        elif len(graph.touchers[s]) == 1:
            model.add(end == step[graph.touchers[s][0]] + 1)
        else:
            last = model.new_int_var(0, n - 1, "")
            model.add_max_equality(last, [step[i] for i in graph.touchers[s]])
            model.add(end == last + 1 - sum(early))
            model.add_hint(last, graph.touchers[s][-1])
        began = 0 if graph.first[s] or not graph.writers[s] else graph.writers[s][0]
        ended = n if graph.last[s] else graph.touchers[s][-1] + 1
        for variable, value in ((start, began), (end, ended), (length, ended - began)):
            model.add_hint(variable, value)
        intervals.append(model.new_interval_var(start, length, end, ""))
        demands.append(size // unit)
    for i, size in enumerate(graph.workspace):
        if size > 0:
            intervals.append(model.new_fixed_size_interval_var(step[i], 1, ""))
            demands.append(size // unit)
    model.add_cumulative(intervals, demands, height)
    for t in range(n):
        model.add_hint(step[t], t)
    model.minimize(height)

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = arguments.threads
    solver.parameters.random_seed = arguments.seed
    solver.parameters.max_time_in_seconds = arguments.time_limit
    status = solver.solve(model)
    if status == cp_model.MODEL_INVALID:
        raise ValueError(f"CP-SAT refuses the model: {model.validate()}")
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return peer.Answer(peer.FEASIBLE, list(range(n)), base, False, solver.num_branches)  # the hint
    order = sorted(range(n), key=lambda i: solver.value(step[i]))
    bound = math.ceil(solver.best_objective_bound - 1e-6) * unit + base
    proven = walk(graph, base, unread, order) == bound
    done = status == cp_model.OPTIMAL
    return peer.Answer(peer.OPTIMAL if proven else peer.FEASIBLE, order, bound, done, solver.num_branches)


def write_order(path, problem, order):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(problem[0].ops[i] + "\n" for i in order)


if __name__ == "__main__":
    version = f"ortools {importlib.metadata.version('ortools')}"
    peer.run_order("cp-sat", version, THREADS, read_graph, walk, solve, write_order)
