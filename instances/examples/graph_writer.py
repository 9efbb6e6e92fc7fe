# SPDX-License-Identifier: Apache-2.0
"""Builds memplan-graph files (version 1), one tensor or operator a line."""

import json
import math

DTYPE_BYTES = {"f32": 4, "i64": 8}


class Graph:
    """Tensors and operators in the order in which they are added."""

    def __init__(self, name, source):
        self.name = name
        self.source = source
        self.tensors = {}
        self.ops = {}

    def tensor(self, name, shape, dtype="f32", roles=()):
        """A tensor with a buffer of its own."""
        size = math.prod(shape) * DTYPE_BYTES[dtype]
        entry = {"id": name, "bytes": size, "roles": list(roles), "dtype": dtype, "shape": list(shape)}
        if not roles:
            del entry["roles"]
        assert name not in self.tensors, name
        self.tensors[name] = entry
        return name

    def view(self, name, of, shape=None):
        """A tensor that covers the whole buffer of another one; shape None: the elements lie in another order."""
        entry = {"id": name, "bytes": self.tensors[of]["bytes"]}
        if shape is not None:
            entry["dtype"] = self.tensors[of]["dtype"]
            entry["shape"] = list(shape)
        entry["view"] = {"of": of, "offset": 0}
        assert name not in self.tensors, name
        self.tensors[name] = entry
        return name

    def shape(self, name):
        return self.tensors[name]["shape"]

    def elements(self, name):
        return math.prod(self.shape(name))

    def op(self, name, op_type, inputs, outputs, cost=None, **fields):
        """Appends an operator; cost defaults to the elements it writes; empty fields are left out."""
        if cost is None:
            cost = max(1, sum(self.elements(t) for t in outputs))
        entry = {"id": name, "type": op_type, "in": list(inputs), "out": list(outputs)}
        entry.update((key, fields[key]) for key in ("inplace", "workspace", "writes", "after") if fields.get(key))
        entry["cost"] = cost
        assert name not in self.ops, name
        self.ops[name] = entry
        return name

    def breadth_first(self):
        """Sorts the operators by their distance from the inputs, as a tracer that works level by level writes them."""
        level_of_tensor = {}
        level_of_op = {}
        for name, op in self.ops.items():
            level = 1 + max((level_of_tensor.get(t, 0) for t in op["in"]), default=0)
            level_of_op[name] = level
            level_of_tensor.update((t, level) for t in op["out"])
        self.ops = dict(sorted(self.ops.items(), key=lambda item: level_of_op[item[0]]))

    def text(self):
        def lines(entries):
            return ",\n".join("  " + json.dumps(entry, separators=(",", ":")) for entry in entries)

        head = {"format": "memplan-graph", "version": 1, "name": self.name, "source": self.source}
        tensors = lines(self.tensors.values())
        ops = lines(self.ops.values())
        return f'{json.dumps(head)[:-1]},\n "tensors": [\n{tensors}\n ],\n "ops": [\n{ops}\n ]}}\n'
