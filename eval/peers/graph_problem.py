# SPDX-License-Identifier: Apache-2.0
"""The problem in a memplan-graph JSON file, built anew from the model that the form states, for the adapters of peers.

It shares no code with memplan. What is read: storages (a tensor that is no view, with the views in it), who writes and
who touches them, what has to run before what, in-place pairs that may be chosen. What it tells of an order: lifetimes,
the least load over the choices of pairs, and whether offsets lie on each other. Pools and bodies are refused.
"""

import heapq
import json
import math
from dataclasses import dataclass, field

IO, WEIGHTS, INPLACE = ("arena", "external", "persistent"), ("external", "resident"), ("safe", "none")
FIXED = {"input", "weight", "variable"}


@dataclass(frozen=True)
class Options:
    """As memplan's options of these names."""

    io: str = "arena"
    weights: str = "external"
    inplace: str = "safe"
    inputs_writable: bool = False
    align: int = 1

    def told(self, name):
        """The object `problem` of a plan."""
        return {"name": name} | {key: getattr(self, key) for key in self.__dataclass_fields__}


@dataclass
class Buffer:
    """A storage or a workspace that has to be placed; size > 0. Its offset is `residue` modulo `period`."""

    id: str
    size: int
    writers: list  # operators
    touchers: list
    from_start: bool
    to_end: bool
    period: int = 1
    residue: int = 0
    pin: int | None = None
    tensor: str | None = None  # None: a workspace


@dataclass
class Pair:
    """At `op` buffer `output` may take over `input`, `delta` bytes into it; `saving`: of memory at that step."""

    op: int
    output: int
    input: int
    delta: int
    saving: int
    names: tuple


@dataclass
class Life:
    buffer: Buffer
    lower: int
    upper: int


@dataclass
class Access:
    """The bytes of one storage that an operator reads, or lies on, and those that it writes."""

    reads: list = field(default_factory=list)
    writes: list = field(default_factory=list)
    is_writer: bool = False  # even of no bytes


def common(first, second):
    """Two classes (residue, period) as one, or None."""
    (r, m), (s, n) = first, second
    g = math.gcd(m, n)
    if (s - r) % g:
        return None
    period = m // g * n
    step = (s - r) // g * pow(m // g, -1, n // g) if n > g else 0
    return (r + m * step) % period, period


def meet(some, others):
    return any(low < upper and lower < high for low, high in some for lower, upper in others)


def best_saving(pairs):
    """The largest sum of savings of pairs without a common output or input: longest augmenting paths."""
    by_output, taken = {}, {}  # taken: input -> pair
    for pair in pairs:
        by_output.setdefault(pair.output, []).append(pair)
    holds = {}  # output -> pair
    total = 0
    while True:
        reach = {output: (0, None, None) for output in by_output if output not in holds}  # gain, pair before, output
        best, end = 0, None
        for _ in range(len(by_output) + 1):
            changed = False
            for output, (gain, _, _) in list(reach.items()):
                for pair in by_output[output]:
                    other = taken.get(pair.input)
                    if other is None:
                        if gain + pair.saving > best:
                            best, end, changed = gain + pair.saving, pair, True
                    elif other is not pair and gain + pair.saving - other.saving > reach.get(other.output, (-1,))[0]:
                        reach[other.output] = gain + pair.saving - other.saving, pair, output
                        changed = True
            if not changed:
                break
        if end is None:
            return total
        total += best
        while end is not None:
            _, before, _ = reach[end.output]
            holds[end.output] = taken[end.input] = end
            end = before


class Problem:
    """ops: ids in the given order; before: predecessors of each operator; until: where it is finished, mostly itself."""

    def __init__(self, path, options):
        self.path, self.options = path, options
        with open(path, encoding="utf-8") as file:
            told = json.load(file)
        self.refuse(told.get("format") != "memplan-graph", "is no memplan-graph JSON")
        self.refuse(told.get("pools"), "has pools, which this adapter does not know")
        self.name = told.get("name", "")
        self.tensors = {tensor["id"]: tensor for tensor in told["tensors"]}
        self.told = told["ops"]
        self.ops = [op["id"] for op in self.told]
        self.n = len(self.ops)
        self.find_storages()
        self.find_until()
        self.find_accesses()
        self.find_precedence()
        self.find_groups()
        self.find_buffers()
        self.pairs = [pair for v in range(self.n) for pair in self.find_pairs(v)]
        self.refuse(not self.is_legal(range(self.n)), "does not list its operators in a legal order")

    def refuse(self, condition, why):
        if condition:
            raise ValueError(f"{self.path} {why}")

    # ---- storages

    def find_storages(self):
        self.place = {}  # tensor -> (root, offset in it)
        for name in self.tensors:
            chain, at = [], name
            while at not in self.place and "view" in self.tensors[at]:
                self.refuse(len(chain) > len(self.tensors), f"has a cycle of views at '{at}'")
                chain.append(at)
                at = self.tensors[at]["view"]["of"]
            root, offset = self.place.setdefault(at, (at, 0))
            for view in reversed(chain):
                offset += self.tensors[view]["view"].get("offset", 0)
                self.place[view] = root, offset
        self.members, self.roles = {}, {}  # by root
        for name, (root, _) in self.place.items():
            self.members.setdefault(root, []).append(name)
            self.roles.setdefault(root, set()).update(self.tensors[name].get("roles", ()))

    def root(self, tensor):
        return self.place[tensor][0]

    def bytes_of(self, tensor):
        low = self.place[tensor][1]
        size = self.tensors[tensor]["bytes"]
        return [(low, low + size)] if size > 0 else []

    # ---- operators

    def find_until(self):
        index = {name: v for v, name in enumerate(self.ops)}
        self.until = [index[op.get("async_until") or op["id"]] for op in self.told]
        self.after = [{index[name] for name in op.get("after") or ()} for op in self.told]

    def find_accesses(self):
        self.accesses = {}  # root -> operator -> Access
        self.makers = {}  # tensor -> first operator that names it as an output
        for v, op in enumerate(self.told):
            ins, outs, forced = (op.get(key) or () for key in ("in", "out", "writes"))
            read = {self.root(tensor) for tensor in ins}
            for tensor in ins:
                self.access(v, tensor).reads += self.bytes_of(tensor)
            for tensor in outs:
                self.makers.setdefault(tensor, v)
                access = self.access(v, tensor)
                if self.root(tensor) in read and tensor not in ins and tensor not in forced:
                    access.reads += self.bytes_of(tensor)
                else:
                    access.writes += self.bytes_of(tensor)
                    access.is_writer = True

    def access(self, v, tensor):
        return self.accesses.setdefault(self.root(tensor), {}).setdefault(v, Access())

    def find_precedence(self):
        self.before = [set(after) for after in self.after]
        for v, until in enumerate(self.until):
            if until != v:
                self.before[until].add(v)
        for uses in self.accesses.values():
            writers = [v for v, access in uses.items() if access.writes]
            for a in writers:
                for b in uses:
                    if a != b and meet(uses[a].writes, uses[b].reads + uses[b].writes):
                        self.precede(min(a, b), max(a, b))
        for v, op in enumerate(self.told):
            for tensor in op.get("in") or ():
                self.find_sources(v, tensor)

    def precede(self, a, b):
        """Both touch the same bytes, a stands first: b waits until a is finished."""
        self.before[b].add(a)
        if self.until[a] != b:
            self.before[b].add(self.until[a])

    def find_sources(self, v, tensor):
        """A reader comes after the operator that makes the tensor, unless it reads what was there before; that of an
        empty tensor after all that write its storage."""
        uses, empty = self.accesses[self.root(tensor)], self.tensors[tensor]["bytes"] == 0
        there = self.roles[self.root(tensor)] & FIXED or uses[v].is_writer
        here = self.bytes_of(tensor)
        written = (uses[w].is_writer if empty else meet(uses[w].writes, here) for w in uses if w < v)
        self.refuse(not there and not any(written), f"reads '{tensor}' in '{self.ops[v]}' before anything writes it")
        for w in uses if empty else ():
            if w < v and uses[w].is_writer:
                self.precede(w, v)
        maker = self.makers.get(tensor, v)
        writes = self.makes(maker, tensor)
        old = maker > v and writes and (self.roles[self.root(tensor)] & FIXED or not empty)
        if maker != v and not old:
            self.before[v].add(maker)

    def makes(self, v, tensor):
        """Is the tensor an output that the operator writes?"""
        op = self.told[v]
        read = {self.root(name) for name in op.get("in") or ()}
        listed = tensor in (op.get("in") or ()) or tensor in (op.get("writes") or ())
        return tensor in (op.get("out") or ()) and (self.root(tensor) not in read or listed)

    def find_groups(self):
        groups = {}
        for v, op in enumerate(self.told):
            if op.get("group") is not None:
                groups.setdefault(str(op["group"]), []).append(v)
        self.groups = [group for group in groups.values() if len(group) > 1]

    # ---- what is placed

    def find_buffers(self):
        self.buffers, self.index, self.empty = [], {}, {}  # index: root -> buffer; empty: root -> offset
        self.weight_bytes = self.external_bytes = 0
        for root, roles in self.roles.items():
            uses, size = self.accesses.get(root, {}), self.tensors[root]["bytes"]
            self.weight_bytes += size if "weight" in roles else 0
            if not uses and "input" not in roles:
                continue
            io, options = roles & {"input", "output"}, self.options
            always = bool(roles & {"weight", "variable"}) or (bool(io) and options.io == "persistent")
            if "weight" in roles and options.weights == "external":
                continue
            if not roles & {"weight", "variable"} and io and options.io == "external":
                self.external_bytes += size
                continue
            writers = sorted(v for v, access in uses.items() if access.is_writer)
            from_start, to_end = always or "input" in roles, always or "output" in roles
            self.refuse(not from_start and not writers, f"has '{root}', which nothing writes")
            wishes = [(t, self.place[t][1]) for t in self.members[root]]
            self.add(Buffer(root, size, writers, sorted(uses), from_start, to_end, tensor=root), wishes)
        for v, op in enumerate(self.told):
            if op.get("workspace"):
                name = f"{op['id']}#workspace"
                while name in self.index or name in self.empty:
                    name += "#"
                buffer = Buffer(name, op["workspace"], [v], [v], False, False)
                self.align(buffer, op.get("workspace_align", 1), 0)
                self.add(buffer, ())
        self.naive_bytes = sum(buffer.size for buffer in self.buffers)
        self.n_buffers = len(self.buffers) + len(self.empty)

    def add(self, buffer, wishes):
        if buffer.size == 0:
            pins = [self.tensors[name]["pin"] - shift for name, shift in wishes if self.tensors[name].get("pin") is not None]
            self.empty[buffer.id] = pins[0] if pins else 0
            return
        self.align(buffer, self.options.align, 0)
        for name, shift in wishes:
            self.align(buffer, self.tensors[name].get("align", 1), shift)
            if self.tensors[name].get("pin") is not None:
                pin = self.tensors[name]["pin"] - shift
                self.refuse(pin < 0 or buffer.pin not in (None, pin), f"pins '{buffer.id}' to two places or below 0")
                buffer.pin = pin
        misplaced = buffer.pin is not None and buffer.pin % buffer.period != buffer.residue
        self.refuse(misplaced, f"pins '{buffer.id}' against its alignment")
        self.index[buffer.id] = len(self.buffers)
        self.buffers.append(buffer)

    def align(self, buffer, align, shift):
        both = common((buffer.residue, buffer.period), (-shift % align, align))
        self.refuse(both is None, f"has alignments in '{buffer.id}' that contradict each other")
        buffer.residue, buffer.period = both

    def find_pairs(self, v):
        op = self.told[v]
        if self.options.inplace == "none" or self.until[v] != v:
            return
        fixed = {"output", "weight", "variable"}
        for output, source in op.get("inplace") or ():
            p, delta = self.place[source]
            if output not in self.index or p not in self.index or output == p or not self.makes(v, output):
                continue
            kept = any(
                "input" in self.tensors[t].get("roles", ()) and not self.tensors[t].get("donatable")
                for t in self.members[p]
            )
            persistent = self.options.io == "persistent" and (self.roles[output] | self.roles[p]) & {"input", "output"}
            if self.roles[output] & FIXED or self.roles[p] & fixed or persistent:
                continue
            through = {t for t in op.get("in") or () if self.root(t) == p}
            written = any(self.root(t) == p for t in op.get("out") or ())
            if (kept and not self.options.inputs_writable) or through != {source} or written:
                continue
            q_at, p_at = self.index[output], self.index[p]
            saving = min(self.buffers[q_at].size, self.buffers[p_at].size - delta)
            if saving > 0 and self.can_lie(self.buffers[q_at], self.buffers[p_at], delta):
                yield Pair(v, q_at, p_at, delta, saving, (output, source))

    @staticmethod
    def can_lie(q, p, delta):
        """Is there an offset of p at which q may lie delta bytes into it?"""
        both = common((p.residue, p.period), ((q.residue - delta) % q.period, q.period))
        pins = {pin for pin in (p.pin, None if q.pin is None else q.pin - delta) if pin is not None}
        return both is not None and len(pins) < 2 and all(pin >= 0 and pin % both[1] == both[0] for pin in pins)

    # ---- on an order

    def steps_of(self, order):
        step = [0] * self.n
        for t, v in enumerate(order):
            step[v] = t
        return step

    def is_legal(self, order):
        step = self.steps_of(order)
        if sorted(order) != list(range(self.n)) or any(step[w] >= step[v] for v in range(self.n) for w in self.before[v]):
            return False
        return all(max(step[v] for v in g) - min(step[v] for v in g) == len(g) - 1 for g in self.groups)

    def lives(self, order):
        """The buffers with their lifetimes, by index."""
        step, n = self.steps_of(order), max(self.n, 1)
        for b in self.buffers:
            lower = 0 if b.from_start else min(step[v] for v in b.writers)
            last = max((step[self.until[v]] for v in b.touchers), default=0)
            yield Life(b, lower, n if b.to_end else last + 1)

    def is_open(self, pair, step):
        """May the pair be chosen on this order?"""
        t = step[pair.op]
        q, p = self.buffers[pair.output], self.buffers[pair.input]
        return all(step[v] >= t for v in q.writers) and all(
            step[self.until[v]] < t for v in p.touchers if v != pair.op
        )

    def order_peak(self, order, inplace=True):
        """The largest load, least over the choices of pairs, or without any."""
        if not self.is_legal(order):
            raise ValueError("the order is not legal")
        step = self.steps_of(order)
        change = [0] * (max(self.n, 1) + 1)
        for life in self.lives(order):
            change[life.lower] += life.buffer.size
            change[life.upper] -= life.buffer.size
        choice = {}
        for pair in self.pairs if inplace else ():
            if self.is_open(pair, step):
                choice.setdefault(step[pair.op], []).append(pair)
        live = peak = 0
        for t in range(max(self.n, 1)):
            live += change[t]
            peak = max(peak, live - best_saving(choice.get(t, ())))
        return peak

    def check_plan(self, order, chosen, offsets):
        """The peak of a plan; ValueError names what is wrong with it."""
        if not self.is_legal(order):
            raise ValueError("the order is not legal")
        step, lives = self.steps_of(order), list(self.lives(order))
        allowed = set()
        for ends in ([pair.output for pair in chosen], [pair.input for pair in chosen]):
            if len(set(ends)) < len(ends):
                raise ValueError("a buffer is in two in-place pairs")
        for pair in chosen:
            if not self.is_open(pair, step) or offsets[pair.output] != offsets[pair.input] + pair.delta:
                raise ValueError(f"the in-place pair {pair.names} does not hold")
            allowed.add((pair.output, pair.input))
        for b, offset in zip(self.buffers, offsets):
            if offset < 0 or offset % b.period != b.residue or b.pin not in (None, offset):
                raise ValueError(f"'{b.id}' may not lie at {offset}")
        live = []
        for lower, i in sorted((life.lower, i) for i, life in enumerate(lives)):
            live = [j for j in live if lives[j].upper > lower]
            for j in live:
                apart = offsets[i] + lives[i].buffer.size <= offsets[j] or offsets[j] + lives[j].buffer.size <= offsets[i]
                if not apart and (i, j) not in allowed and (j, i) not in allowed:
                    raise ValueError(f"'{lives[i].buffer.id}' and '{lives[j].buffer.id}' share bytes at step {lower}")
            live.append(i)
        return max((o + life.buffer.size for o, life in zip(offsets, lives)), default=0)

    # ---- plans without search

    def first_fit(self, order):
        """(peak, offsets) of the best of three first fits, without in-place pairs; None where pins are in the way."""
        lives = list(self.lives(order))
        best = None
        for key in (
            lambda x: x.buffer.size,
            lambda x: x.buffer.size * (x.upper - x.lower),
            lambda x: x.upper - x.lower,
        ):
            offsets = self.fit(lives, key)
            if offsets is not None:
                peak = max((o + x.buffer.size for o, x in zip(offsets, lives)), default=0)
                best = min(best or (peak, offsets), (peak, offsets))
        return best

    @staticmethod
    def fit(lives, key):
        offsets, placed = [0] * len(lives), []
        for i in sorted(range(len(lives)), key=lambda i: (lives[i].buffer.pin is None, -key(lives[i]), i)):
            b, at = lives[i].buffer, lives[i].buffer.residue
            beside = [j for j in placed if lives[j].lower < lives[i].upper and lives[i].lower < lives[j].upper]
            if b.pin is not None:
                at = b.pin
                if any(at < offsets[j] + lives[j].buffer.size and offsets[j] < at + b.size for j in beside):
                    return None
            else:
                for low, size in sorted((offsets[j], lives[j].buffer.size) for j in beside):
                    if at + b.size <= low:
                        break
                    at = max(at, low + size + (b.residue - low - size) % b.period)
            offsets[i] = at
            placed.append(i)
        return offsets

    def ancestors(self):
        """By operator the set of those that run before it, as bits of an integer."""
        found, missing = [0] * self.n, [len(before) for before in self.before]
        followers = [[] for _ in range(self.n)]
        for v, before in enumerate(self.before):
            for w in before:
                followers[w].append(v)
        ready = [v for v in range(self.n) if missing[v] == 0]
        while ready:
            v = heapq.heappop(ready)
            for w in followers[v]:
                found[w] |= found[v] | 1 << v
                missing[w] -= 1
                if missing[w] == 0:
                    heapq.heappush(ready, w)
        return found
