# SPDX-License-Identifier: Apache-2.0
"""What CP-SAT's order model and its joint model share: the steps of operators, and the time that buffers take.

Each operator has an integer step, no two the same. A buffer is one interval from the step of its first writer to that of
its last toucher, with ends that follow from these steps. A chosen in-place pair, a Boolean, lets the output's interval
begin one step later, where the input's still lies; what the output needs beyond the input's end is a piece of its own,
at the pair's step alone. The given order is the hint.
"""

import math
from dataclasses import dataclass

from ortools.sat.python import cp_model


@dataclass
class Piece:
    """An interval of time in which a buffer, or a pair's rest of its output, takes `size` bytes."""

    interval: object
    size: int
    buffer: int
    present: object = None  # None: always
    pair: int | None = None


class Timed:
    def __init__(self, problem, unit):
        self.problem, self.unit = problem, unit
        self.model = cp_model.CpModel()
        self.n = max(problem.n, 1)
        self.ancestors = problem.ancestors()
        self.make_steps()
        self.make_choices()
        self.pieces = []
        for index in range(len(problem.buffers)):
            self.make_buffer(index)
        for k, chosen in self.chosen.items():
            self.make_rest(k, chosen)

    def hinted(self, low, high, value):
        variable = self.model.new_int_var(low, high, "")
        self.model.add_hint(variable, value)
        return variable

    def switch(self, value=False):
        variable = self.model.new_bool_var("")
        self.model.add_hint(variable, value)
        return variable

    def make_steps(self):
        n, model = self.problem.n, self.model
        later = [0] * n
        for v, ancestors in enumerate(self.ancestors):
            for w in range(n):
                later[w] += ancestors >> w & 1
        self.step = [self.hinted(self.ancestors[v].bit_count(), n - 1 - later[v], v) for v in range(n)]
        if n > 1:
            model.add_no_overlap([model.new_fixed_size_interval_var(s, 1, "") for s in self.step])
        for v, before in enumerate(self.problem.before):
            behind = 0
            for w in before:
                behind |= self.ancestors[w]
            for w in before:
                if not behind >> w & 1:
                    model.add(self.step[w] + 1 <= self.step[v])
        for group in self.problem.groups:
            first = self.hinted(0, n - len(group), min(group))
            for v in group:
                model.add_linear_constraint(self.step[v] - first, 0, len(group) - 1)

    def runs_before(self, v, w):
        return bool(self.ancestors[w] >> v & 1)

    def make_choices(self):
        """chosen: by pair that some order allows."""
        self.chosen = {}
        by_output, by_input = {}, {}
        for k, pair in enumerate(self.problem.pairs):
            q, p = self.problem.buffers[pair.output], self.problem.buffers[pair.input]
            ends = [self.problem.until[v] for v in p.touchers if v != pair.op]
            others = [v for v in q.writers if v != pair.op]
            if any(w == pair.op or self.runs_before(pair.op, w) for w in ends):
                continue
            if any(self.runs_before(v, pair.op) for v in others):
                continue
            self.chosen[k] = chosen = self.switch()
            by_output.setdefault(pair.output, []).append(chosen)
            by_input.setdefault(pair.input, []).append(chosen)
            earlier = {(w, pair.op) for w in ends} | {(pair.op, v) for v in others}
            for v, w in sorted(earlier):
                if not self.runs_before(v, w):
                    self.model.add(self.step[v] + 1 <= self.step[w]).only_enforce_if(chosen)
        for group in (*by_output.values(), *by_input.values()):
            if len(group) > 1:
                self.model.add_at_most_one(group)
        self.late = {output: sum(group) for output, group in by_output.items()}

    def begin(self, b):
        if b.from_start:
            return 0, 0
        first = [v for v in b.writers if not any(self.runs_before(w, v) for w in b.writers)]
        if len(first) == 1:
            return self.step[first[0]], first[0]
        start = self.hinted(0, self.n - 1, min(first))
        self.model.add_min_equality(start, [self.step[v] for v in first])
        return start, min(first)

    def end(self, b):
        touchers = {self.problem.until[v] for v in b.touchers}
        last = [v for v in touchers if not any(self.runs_before(v, w) for w in touchers)]
        if b.to_end:
            return self.n, self.n
        if not last:
            return 1, 1
        if len(last) == 1:
            return self.step[last[0]] + 1, last[0] + 1
        end = self.hinted(1, self.n, max(last) + 1)
        self.model.add_max_equality(end, [self.step[v] + 1 for v in last])
        return end, max(last) + 1

    def make_buffer(self, index):
        b, model = self.problem.buffers[index], self.model
        (start, began), (end, ended) = self.begin(b), self.end(b)
        late = self.late.get(index)
        if late is None:
            length = self.hinted(1, self.n, ended - began)
            interval = model.new_interval_var(start, length, end, "")
            self.pieces.append(Piece(interval, b.size // self.unit, index))
            return
        begun = self.hinted(0, self.n, began)
        model.add(begun == start + late)
        length = self.hinted(0, self.n, ended - began)
        model.add(length == end - begun)
        # Nobody else touches it, and it is no output that stays: begun one step later, it has no time left.
        present = self.switch(True)
        model.add(length >= 1).only_enforce_if(present)
        model.add(length == 0).only_enforce_if(~present)
        interval = model.new_optional_interval_var(begun, length, end, present, "")
        self.pieces.append(Piece(interval, b.size // self.unit, index, present))

    def make_rest(self, k, chosen):
        pair = self.problem.pairs[k]
        rest = (self.problem.buffers[pair.output].size - pair.saving) // self.unit
        if rest > 0:
            interval = self.model.new_optional_fixed_size_interval_var(self.step[pair.op], 1, chosen, "")
            self.pieces.append(Piece(interval, rest, pair.output, chosen, k))

    def solve(self, arguments):
        """(status, solver)"""
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = arguments.threads
        solver.parameters.random_seed = arguments.seed
        solver.parameters.max_time_in_seconds = arguments.time_limit
        status = solver.solve(self.model)
        if status == cp_model.MODEL_INVALID:
            raise ValueError(f"CP-SAT refuses the model: {self.model.validate()}")
        return status, solver

    def order(self, solver):
        return sorted(range(self.problem.n), key=lambda v: solver.value(self.step[v]))

    def pairs(self, solver):
        return [self.problem.pairs[k] for k, chosen in self.chosen.items() if solver.value(chosen)]


def bound_of(solver):
    return math.ceil(solver.best_objective_bound - 1e-6)

