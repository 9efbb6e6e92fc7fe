# SPDX-License-Identifier: Apache-2.0
"""One training step of a small residual network as a memplan-graph: forward, loss, backward, SGD with momentum.

Weights, momenta and running statistics are variables: they live through the whole step, and an update writes a view of
its variable (`writes`), after all readers of the old value (`after`). The file order runs all updates last, so that
every gradient waits; an order may run each as soon as its gradient is there. Convolutions need workspace: the columns
of one image forward, and the gradient of them (or of the kernel) besides backward.
"""

from graph_writer import Graph

BATCH = 8
IMAGE = 32
CLASSES = 10


class Step:
    """Each forward operator puts its backward operator on a stack; gradients are found by tensor name."""

    def __init__(self, graph):
        self.graph = graph
        self.backward = []
        self.gradient = {}
        self.parameters = []
        self.readers = {}

    def parameter(self, name, shape):
        self.graph.tensor(name, shape, roles=["variable"])
        self.graph.tensor(f"{name}.momentum", shape, roles=["variable"])
        self.parameters.append(name)
        return name

    def run(self, name, op_type, inputs, outputs, **fields):
        """Adds an operator and notes it as a reader of the variables among its inputs."""
        for t in inputs:
            self.readers.setdefault(t, []).append(name)
        self.graph.op(name, op_type, inputs, outputs, **fields)

    def accumulate(self, x, gradient):
        """Sets the gradient of x, or adds to it where x has several readers."""
        g = self.graph
        if x not in self.gradient:
            self.gradient[x] = gradient
            return
        earlier = self.gradient[x]
        total = g.tensor(f"{x}.grad.sum", g.shape(x))
        self.run(f"op:{total}", "Add", [earlier, gradient], [total], inplace=[[total, earlier], [total, gradient]])
        self.gradient[x] = total

    def conv(self, name, x, channels, kernel=3, stride=1):
        g = self.graph
        batch, in_channels, height, width = g.shape(x)
        w = self.parameter(f"{name}.weight", [channels, in_channels, kernel, kernel])
        y = g.tensor(name, [batch, channels, height // stride, width // stride])
        taps = in_channels * kernel * kernel
        columns = 0 if kernel == 1 else 4 * taps * (height // stride) * (width // stride)
        operations = 2 * g.elements(y) * taps
        self.run(f"op:{name}", "Conv", [x, w], [y], workspace=columns, cost=operations)

        def back():
            dy = self.gradient[y]
            dw = g.tensor(f"{w}.grad", g.shape(w))
            space = columns + g.tensors[w]["bytes"]
            self.run(f"op:{dw}", "ConvGradWeight", [dy, x], [dw], workspace=space, cost=operations)
            self.gradient[w] = dw
            if "roles" in g.tensors[x]:
                return
            dx = g.tensor(f"{name}.dx", g.shape(x))
            self.run(f"op:{dx}", "ConvGradInput", [dy, w], [dx], workspace=2 * columns, cost=operations)
            self.accumulate(x, dx)

        self.backward.append(back)
        return y

    def norm(self, name, x):
        """Batch normalization by batch statistics; the running ones are variables that the operator updates."""
        g = self.graph
        channels = [g.shape(x)[1]]
        scale = self.parameter(f"{name}.weight", channels)
        shift = self.parameter(f"{name}.bias", channels)
        running = [g.tensor(f"{name}.{s}", channels, roles=["variable"]) for s in ("running_mean", "running_var")]
        updated = [g.view(f"{t}.new", t, channels) for t in running]
        y = g.tensor(name, g.shape(x))
        saved = [g.tensor(f"{name}.{s}", channels) for s in ("save_mean", "save_invstd")]
        self.run(f"op:{name}", "BatchNorm", [x, scale, shift, *running], [y, *saved, *updated], writes=updated)

        def back():
            dx = g.tensor(f"{name}.dx", g.shape(x))
            dscale = g.tensor(f"{scale}.grad", channels)
            dshift = g.tensor(f"{shift}.grad", channels)
            self.run(f"op:{dx}", "BatchNormGrad", [self.gradient[y], x, scale, *saved], [dx, dscale, dshift])
            self.gradient.update({scale: dscale, shift: dshift})
            self.accumulate(x, dx)

        self.backward.append(back)
        return y

    def relu(self, name, x):
        g = self.graph
        y = g.tensor(name, g.shape(x))
        self.run(f"op:{name}", "Relu", [x], [y], inplace=[[y, x]])

        def back():
            dy = self.gradient[y]
            dx = g.tensor(f"{name}.dx", g.shape(x))
            self.run(f"op:{dx}", "ReluGrad", [dy, y], [dx], inplace=[[dx, dy]])
            self.accumulate(x, dx)

        self.backward.append(back)
        return y

    def add(self, name, left, right):
        """A residual sum: its gradient is the gradient of both operands, no operator needed."""
        g = self.graph
        y = g.tensor(name, g.shape(left))
        self.run(f"op:{name}", "Add", [left, right], [y], inplace=[[y, left], [y, right]])

        def back():
            self.accumulate(left, self.gradient[y])
            self.accumulate(right, self.gradient[y])

        self.backward.append(back)
        return y

    def max_pool(self, name, x):
        """Keeps the position of each maximum for the way back."""
        g = self.graph
        batch, channels, height, width = g.shape(x)
        y = g.tensor(name, [batch, channels, height // 2, width // 2])
        where = g.tensor(f"{name}.indices", g.shape(y), dtype="i64")
        self.run(f"op:{name}", "MaxPool", [x], [y, where])

        def back():
            dx = g.tensor(f"{name}.dx", g.shape(x))
            self.run(f"op:{dx}", "MaxPoolGrad", [self.gradient[y], where], [dx])
            self.accumulate(x, dx)

        self.backward.append(back)
        return y

    def mean(self, name, x):
        """Mean over height and width, as a matrix: the flattened form and its gradient are views."""
        g = self.graph
        batch, channels, height, width = g.shape(x)
        y = g.tensor(f"{name}.mean", [batch, channels, 1, 1])
        flat = g.view(name, y, [batch, channels])
        self.run(f"op:{y}", "Mean", [x], [y], cost=g.elements(x))
        self.run(f"op:{name}", "Reshape", [y], [flat], cost=1)

        def back():
            square = g.view(f"{name}.grad.square", self.gradient[flat], [batch, channels, 1, 1])
            dx = g.tensor(f"{name}.dx", g.shape(x))
            self.run(f"op:{square}", "Reshape", [self.gradient[flat]], [square], cost=1)
            self.run(f"op:{dx}", "MeanGrad", [square], [dx])
            self.accumulate(x, dx)

        self.backward.append(back)
        return flat

    def linear(self, name, x, features):
        """y = x W^T + b; transposed matrices are views of the same bytes."""
        g = self.graph
        batch, in_features = g.shape(x)
        w = self.parameter(f"{name}.weight", [features, in_features])
        b = self.parameter(f"{name}.bias", [features])
        y = g.tensor(name, [batch, features])
        turned = g.view(f"{w}.t", w)
        operations = 2 * batch * in_features * features
        self.run(f"op:{turned}", "Transpose", [w], [turned], cost=1)
        self.run(f"op:{name}", "Gemm", [b, x, turned], [y], cost=operations)
        self.readers[w].append(f"op:{name}")

        def back():
            dy = self.gradient[y]
            dy_turned = g.view(f"{dy}.t", dy)
            dx, dw, db = (g.tensor(n, g.shape(t)) for n, t in ((f"{name}.dx", x), (f"{w}.grad", w), (f"{b}.grad", b)))
            self.run(f"op:{dx}", "MatMul", [dy, w], [dx], cost=operations)
            self.run(f"op:{dy_turned}", "Transpose", [dy], [dy_turned], cost=1)
            self.run(f"op:{dw}", "MatMul", [dy_turned, x], [dw], cost=operations)
            self.run(f"op:{db}", "Sum", [dy], [db], cost=g.elements(dy))
            self.gradient.update({w: dw, b: db})
            self.accumulate(x, dx)

        self.backward.append(back)
        return y

    def loss(self, logits, labels):
        """Cross entropy: the loss is the output of the step, and its gradient starts the way back."""
        g = self.graph
        shape = g.shape(logits)
        log = g.tensor("log_softmax", shape)
        self.run("op:log_softmax", "LogSoftmax", [logits], [log], inplace=[[log, logits]])
        g.tensor("loss", [], roles=["output"])
        self.run("op:loss", "NllLoss", [log, labels], ["loss"], cost=shape[0])
        dlog = g.tensor("log_softmax.grad", shape)
        self.run(f"op:{dlog}", "NllLossGrad", [labels], [dlog])
        dlogits = g.tensor("logits.grad", shape)
        self.run(f"op:{dlogits}", "LogSoftmaxGrad", [dlog, log], [dlogits], inplace=[[dlogits, dlog]])
        self.gradient[logits] = dlogits

    def update(self, w):
        """momentum = 0.9 momentum + gradient; w = w - rate momentum; each step writes a view of its variable."""
        g = self.graph
        shape = g.shape(w)
        momentum = f"{w}.momentum"
        scaled = g.view(f"{momentum}.scaled", momentum, shape)
        grown = g.view(f"{momentum}.new", momentum, shape)
        stepped = g.view(f"{w}.new", w, shape)
        gradient = self.gradient[w]
        g.op(f"op:{scaled}", "MulScalar", [momentum], [scaled], writes=[scaled])
        g.op(f"op:{grown}", "AddInto", [scaled, gradient], [grown], writes=[grown])
        g.op(f"op:{stepped}", "AddScaledInto", [w, grown], [stepped], writes=[stepped], after=self.readers[w])


def residual_block(step, name, x, channels, stride):
    y = step.relu(f"{name}.relu1", step.norm(f"{name}.bn1", step.conv(f"{name}.conv1", x, channels, stride=stride)))
    y = step.norm(f"{name}.bn2", step.conv(f"{name}.conv2", y, channels))
    if stride != 1:
        x = step.norm(f"{name}.bn3", step.conv(f"{name}.conv3", x, channels, kernel=1, stride=stride))
    return step.relu(f"{name}.relu2", step.add(f"{name}.add", y, x))


def training_step():
    g = Graph("training_step", "instances/examples/make_examples.py; forward, backward and SGD-with-momentum update")
    step = Step(g)
    images = g.tensor("images", [BATCH, 3, IMAGE, IMAGE], roles=["input"])
    labels = g.tensor("labels", [BATCH], dtype="i64", roles=["input"])
    x = step.relu("stem.relu", step.norm("stem.bn", step.conv("stem.conv", images, 32)))
    x = step.max_pool("stem.pool", x)
    x = residual_block(step, "block1", x, 32, 1)
    x = residual_block(step, "block2", x, 64, 2)
    x = residual_block(step, "block3", x, 128, 2)
    x = residual_block(step, "block4", x, 256, 2)
    logits = step.linear("fc", step.mean("features", x), CLASSES)
    step.loss(logits, labels)
    for back in reversed(step.backward):
        back()
    for w in step.parameters:
        step.update(w)
    return g
