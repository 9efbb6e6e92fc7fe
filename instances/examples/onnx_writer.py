# SPDX-License-Identifier: Apache-2.0
"""Builds ONNX models whose weights have a type and a shape but no data.

Nodes and values are named as PyTorch's exporter names them: a module path "features.1.conv.0" is the scope
"/features/features.1/conv/conv.0", the node in it "<scope>/Conv", its result "<node>_output_0". Weights are
initializers with external data in WEIGHTS_FILE, a file that does not exist: a planner needs types and shapes only.
Integers that decide shapes, and scalars, are Constant nodes with their data inside.
"""

import onnx
from onnx import TensorProto, helper

OPSET = 17
IR_VERSION = 8
WEIGHTS_FILE = "weights.bin"
WEIGHT_ALIGNMENT = 64
ELEMENT_BYTES = {TensorProto.FLOAT: 4, TensorProto.BOOL: 1, TensorProto.INT64: 8}
# Containers that are never called themselves leave no scope of their own: "h.0" lies directly below its owner.
MODULE_LISTS = ("h",)


def scope_of(path):
    """The scope of a module path: numbered children of a Sequential repeat the name of their parent."""
    scope = []
    named = ""
    for part in path.split(".") if path else []:
        named = f"{named}.{part}" if part.isdigit() else part
        if part not in MODULE_LISTS:
            scope.append(named)
    return "".join("/" + name for name in scope)


class Nodes:
    """The node list of one graph: the model's main graph or the body of an If or Loop."""

    def __init__(self, model):
        self.model = model
        self.nodes = []

    def op(self, op_type, path, inputs, outputs=1, result=None, **attributes):
        """Appends a node; returns the name of its result, or the list of names if outputs > 1.

        result: the name of the only result, where it is not the one the exporter would make up (graph outputs).
        """
        base = f"{scope_of(path)}/{op_type}"
        count = self.model.name_counts.get(base, 0)
        self.model.name_counts[base] = count + 1
        name = base if count == 0 else f"{base}_{count}"
        results = [result] if result else [f"{name}_output_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op_type, inputs, results, name=name, **attributes))
        return results[0] if outputs == 1 else results

    def integers(self, path, values):
        """An int64 constant: a scalar for an int, else of one dimension."""
        dims = [] if isinstance(values, int) else [len(values)]
        data = [values] if isinstance(values, int) else values
        return self.op("Constant", path, [], value=helper.make_tensor("", TensorProto.INT64, dims, data))

    def scalar(self, path, value):
        data_type = TensorProto.BOOL if isinstance(value, bool) else TensorProto.FLOAT
        return self.op("Constant", path, [], value=helper.make_tensor("", data_type, [], [value]))

    def body(self):
        return Nodes(self.model)

    def graph(self, name, inputs, outputs):
        """The body as a GraphProto; inputs and outputs are value_info entries."""
        return helper.make_graph(self.nodes, name, inputs, outputs)


class Model(Nodes):
    """A whole model; add inputs and weights, then operators, then outputs."""

    def __init__(self, name, description):
        self.name_counts = {}
        super().__init__(self)
        self.name = name
        self.description = description
        self.inputs = []
        self.outputs = []
        self.value_info = []
        self.weights = {}
        self.weight_end = 0

    def input(self, name, dims, data_type=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, data_type, dims))
        return name

    def output(self, name, dims, data_type=TensorProto.FLOAT):
        self.outputs.append(helper.make_tensor_value_info(name, data_type, dims))

    def weight(self, name, dims, data_type=TensorProto.FLOAT):
        """A weight without data; asking for the same name again shares it."""
        if name in self.weights:
            assert list(self.weights[name].dims) == list(dims), name
            return name
        length = ELEMENT_BYTES[data_type]
        for dim in dims:
            length *= dim
        tensor = TensorProto(name=name, data_type=data_type, dims=dims, data_location=TensorProto.EXTERNAL)
        for key, value in (("location", WEIGHTS_FILE), ("offset", self.weight_end), ("length", length)):
            tensor.external_data.add(key=key, value=str(value))
        self.weight_end += -(-length // WEIGHT_ALIGNMENT) * WEIGHT_ALIGNMENT
        self.weights[name] = tensor
        return name

    def build(self):
        graph = helper.make_graph(
            self.nodes, self.name, self.inputs, self.outputs, list(self.weights.values()), value_info=self.value_info
        )
        return helper.make_model(
            graph,
            producer_name="memplan make_examples.py",
            doc_string=self.description,
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=IR_VERSION,
        )


def check(model):
    """Refuses a model that breaks the ONNX rules or whose declared shapes contradict the inferred ones.

    The checker opens external data, so the weights are declared as inputs in the copy that is checked.
    """
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for tensor in model.graph.initializer:
        copy.graph.input.append(helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims))
    del copy.graph.initializer[:]
    onnx.checker.check_model(copy, full_check=True)
    onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
