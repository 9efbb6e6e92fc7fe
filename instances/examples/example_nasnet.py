# SPDX-License-Identifier: Apache-2.0
"""A stack of NASNet-A cells as a memplan-graph: each cell has five blocks of two branches and joins them by Concat.

A cell reads the results of the two cells before it, so large tensors live across cells, and the ten branches of a cell
may run in any order. The operators are written level by level, which keeps all branches of a cell in memory at once.
Every ReLU and Add may take over an operand, which helps only in an order that runs it last of the operand's readers.
"""

from graph_writer import Graph

CLASSES = 1000
INPUT_SIZE = 224
STEM_CHANNELS = 32
# Kind and channels of each cell; a reduction halves height and width.
CELLS = (
    ("reduction", 44),
    ("normal", 44),
    ("normal", 44),
    ("reduction", 88),
    ("normal", 88),
    ("normal", 88),
)


class Cells:
    """Operators of one image (batch 1), tensors [1, channels, height, width]."""

    def __init__(self, graph):
        self.graph = graph

    def unary(self, name, op_type, x, inplace):
        g = self.graph
        y = g.tensor(name, g.shape(x))
        g.op(f"op:{name}", op_type, [x], [y], inplace=[[y, x]] if inplace else None)
        return y

    def relu(self, name, x):
        return self.unary(name, "Relu", x, inplace=True)

    def add(self, name, left, right):
        g = self.graph
        y = g.tensor(name, g.shape(left))
        pairs = [[y, left]] if left == right else [[y, left], [y, right]]
        g.op(f"op:{name}", "Add", [left, right], [y], inplace=pairs)
        return y

    def conv(self, name, x, channels, kernel, stride=1, depthwise=False):
        g = self.graph
        _, in_channels, height, width = g.shape(x)
        group_channels = 1 if depthwise else in_channels
        w = g.tensor(f"{name}.w", [channels, group_channels, kernel, kernel], roles=["weight"])
        y = g.tensor(name, [1, channels, -(-height // stride), -(-width // stride)])
        operations = 2 * g.elements(y) * group_channels * kernel * kernel
        g.op(f"op:{name}", "DepthwiseConv" if depthwise else "Conv", [x, w], [y], cost=operations)
        return y

    def pool(self, name, op_type, x, stride, kernel=3):
        g = self.graph
        _, channels, height, width = g.shape(x)
        y = g.tensor(name, [1, channels, -(-height // stride), -(-width // stride)])
        g.op(f"op:{name}", op_type, [x], [y], cost=g.elements(y) * kernel * kernel)
        return y

    def concat(self, name, parts):
        g = self.graph
        _, _, height, width = g.shape(parts[0])
        y = g.tensor(name, [1, sum(g.shape(p)[1] for p in parts), height, width])
        g.op(f"op:{name}", "Concat", parts, [y])
        return y

    def separable(self, name, x, channels, kernel, stride=1):
        """ReLU, depthwise and pointwise convolution, twice; the stride is in the first."""
        for half in (1, 2):
            x = self.relu(f"{name}.relu{half}", x)
            x = self.conv(f"{name}.dw{half}", x, self.graph.shape(x)[1], kernel, stride, depthwise=True)
            x = self.conv(f"{name}.pw{half}", x, channels, 1)
            stride = 1
        return x

    def squeeze(self, name, x, channels):
        return self.conv(f"{name}.conv", self.relu(f"{name}.relu", x), channels, 1)

    def fit(self, name, x, channels, height):
        """x with the given channels and height: a factorized reduction where x is larger."""
        if self.graph.shape(x)[2] == height:
            return self.squeeze(name, x, channels)
        x = self.relu(f"{name}.relu", x)
        halves = []
        for side in ("even", "odd"):
            half = self.pool(f"{name}.{side}", "AveragePool", x, 2, kernel=1)
            halves.append(self.conv(f"{name}.{side}.conv", half, channels // 2, 1))
        return self.concat(f"{name}.concat", halves)

    def normal(self, name, before, x, channels):
        p = self.fit(f"{name}.p", before, channels, self.graph.shape(x)[2])
        h = self.squeeze(f"{name}.h", x, channels)
        b1 = self.add(f"{name}.b1", self.separable(f"{name}.b1l", h, channels, 3), h)
        left = self.separable(f"{name}.b2l", p, channels, 3)
        b2 = self.add(f"{name}.b2", left, self.separable(f"{name}.b2r", h, channels, 5))
        b3 = self.add(f"{name}.b3", self.pool(f"{name}.b3l", "AveragePool", h, 1), p)
        left = self.pool(f"{name}.b4l", "AveragePool", p, 1)
        b4 = self.add(f"{name}.b4", left, self.pool(f"{name}.b4r", "AveragePool", p, 1))
        left = self.separable(f"{name}.b5l", p, channels, 5)
        b5 = self.add(f"{name}.b5", left, self.separable(f"{name}.b5r", p, channels, 3))
        return self.concat(name, [p, b1, b2, b3, b4, b5])

    def reduction(self, name, before, x, channels):
        p = self.fit(f"{name}.p", before, channels, self.graph.shape(x)[2])
        h = self.squeeze(f"{name}.h", x, channels)
        left = self.separable(f"{name}.b1l", h, channels, 5, stride=2)
        b1 = self.add(f"{name}.b1", left, self.separable(f"{name}.b1r", p, channels, 7, stride=2))
        left = self.pool(f"{name}.b2l", "MaxPool", h, 2)
        b2 = self.add(f"{name}.b2", left, self.separable(f"{name}.b2r", p, channels, 7, stride=2))
        left = self.pool(f"{name}.b3l", "AveragePool", h, 2)
        b3 = self.add(f"{name}.b3", left, self.separable(f"{name}.b3r", p, channels, 5, stride=2))
        b4 = self.add(f"{name}.b4", self.pool(f"{name}.b4l", "AveragePool", b1, 1), b2)
        left = self.separable(f"{name}.b5l", b1, channels, 3)
        b5 = self.add(f"{name}.b5", left, self.pool(f"{name}.b5r", "MaxPool", h, 2))
        return self.concat(name, [b2, b3, b4, b5])


def nasnet_cells():
    source = "instances/examples/make_examples.py; cells of NASNet-A (Zoph et al., 2018), batch normalization folded"
    g = Graph("nasnet_cells", source)
    cells = Cells(g)
    image = g.tensor("image", [1, 3, INPUT_SIZE, INPUT_SIZE], roles=["input"])
    x = cells.conv("stem", image, STEM_CHANNELS, 3, stride=2)
    before = x
    for index, (kind, channels) in enumerate(CELLS, start=1):
        build = cells.normal if kind == "normal" else cells.reduction
        before, x = x, build(f"c{index}", before, x, channels)
    x = cells.relu("head.relu", x)
    channels = g.shape(x)[1]
    mean = g.tensor("head.mean", [1, channels, 1, 1])
    g.op("op:head.mean", "GlobalAveragePool", [x], [mean], cost=g.elements(x))
    flat = g.view("head.flat", mean, [1, channels])
    g.op("op:head.flat", "Flatten", [mean], [flat], cost=1)
    w = g.tensor("head.fc.w", [CLASSES, channels], roles=["weight"])
    scores = g.tensor("head.fc", [1, CLASSES])
    g.op("op:head.fc", "Gemm", [flat, w], [scores], cost=2 * CLASSES * channels)
    output = g.tensor("probabilities", [1, CLASSES], roles=["output"])
    g.op("op:probabilities", "Softmax", [scores], [output], inplace=[[output, scores]])
    g.breadth_first()
    return g
