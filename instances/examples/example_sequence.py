# SPDX-License-Identifier: Apache-2.0
"""The two sequence example models: a decoder with a key/value cache, and one with If and Loop."""

from onnx import TensorProto, helper

from onnx_writer import Model

HIDDEN = 512
HEADS = 8
HEAD = HIDDEN // HEADS
LAYERS = 2
VOCABULARY = 8192
POSITIONS = 1024
LOWEST = -3.4028234663852886e38


def dim_of(m, path, x, axis):
    """One dimension of x as a scalar, read at run time: Shape, then Gather."""
    return m.op("Gather", path, [m.op("Shape", path, [x]), m.integers(path, axis)], axis=0)


def shape_from(m, path, parts):
    """A shape tensor: each part a scalar value name or a number."""
    pieces = []
    for part in parts:
        if isinstance(part, int):
            pieces.append(m.integers(path, [part]))
        else:
            pieces.append(m.op("Unsqueeze", path, [part, m.integers(path, [0])]))
    return m.op("Concat", path, pieces, axis=0)


def layer_norm(m, path, x):
    scale = m.weight(f"{path}.weight", [HIDDEN])
    bias = m.weight(f"{path}.bias", [HIDDEN])
    return m.op("LayerNormalization", path, [x, scale, bias], axis=-1, epsilon=1e-05)


def linear(m, path, x, in_features, out_features):
    """GPT-2's Conv1D: rows of x flattened, one Gemm, and the shape of x put back."""
    rows = shape_from(m, path, [dim_of(m, path, x, 0), dim_of(m, path, x, 1), out_features])
    flat = m.op("Reshape", path, [x, m.integers(path, [-1, in_features])], allowzero=0)
    weight = m.weight(f"{path}.weight", [in_features, out_features])
    bias = m.weight(f"{path}.bias", [out_features])
    return m.op("Reshape", path, [m.op("Gemm", path, [flat, weight, bias], alpha=1.0, beta=1.0), rows], allowzero=0)


def split_heads(m, path, x):
    shape = shape_from(m, path, [dim_of(m, path, x, 0), dim_of(m, path, x, 1), HEADS, HEAD])
    return m.op("Transpose", path, [m.op("Reshape", path, [x, shape], allowzero=0)], perm=[0, 2, 1, 3])


def causal_mask(m, path, query, key):
    """The rows of the lower triangle that belong to the new tokens, cut out by lengths read at run time."""
    triangle = m.weight(f"{path}.bias", [1, 1, POSITIONS, POSITIONS], TensorProto.BOOL)
    zero = m.integers(path, [0])
    key_length = dim_of(m, path, key, 2)
    start = m.op("Sub", path, [key_length, dim_of(m, path, query, 2)])
    first = m.op("Unsqueeze", path, [start, zero])
    end = m.op("Unsqueeze", path, [key_length, zero])
    rows = m.op("Slice", path, [triangle, first, end, m.integers(path, [2]), m.integers(path, [1])])
    return m.op("Slice", path, [rows, zero, end, m.integers(path, [3]), m.integers(path, [1])])


def attention(m, path, layer, x):
    sizes = m.integers(path, [HIDDEN] * 3)
    joint = linear(m, f"{path}.c_attn", x, HIDDEN, 3 * HIDDEN)
    query, key, value = m.op("Split", path, [joint, sizes], outputs=3, axis=2)
    query, key, value = (split_heads(m, path, part) for part in (query, key, value))
    key = m.op("Concat", path, [f"past_key_values.{layer}.key", key], result=f"present.{layer}.key", axis=-2)
    value = m.op("Concat", path, [f"past_key_values.{layer}.value", value], result=f"present.{layer}.value", axis=-2)
    scores = m.op("MatMul", path, [query, m.op("Transpose", path, [key], perm=[0, 1, 3, 2])])
    scores = m.op("Div", path, [scores, m.scalar(path, float(HEAD) ** 0.5)])
    scores = m.op("Where", path, [causal_mask(m, path, query, key), scores, m.scalar(path, LOWEST)])
    mixed = m.op("MatMul", path, [m.op("Softmax", path, [scores], axis=-1), value])
    mixed = m.op("Transpose", path, [mixed], perm=[0, 2, 1, 3])
    merged = shape_from(m, path, [dim_of(m, path, mixed, 0), dim_of(m, path, mixed, 1), HIDDEN])
    return linear(m, f"{path}.c_proj", m.op("Reshape", path, [mixed, merged], allowzero=0), HIDDEN, HIDDEN)


def gelu(m, path, x):
    """The tanh approximation, operator by operator."""
    half = m.op("Mul", path, [x, m.scalar(path, 0.5)])
    cube = m.op("Pow", path, [x, m.scalar(path, 3.0)])
    inner = m.op("Add", path, [x, m.op("Mul", path, [cube, m.scalar(path, 0.044714998453855515)])])
    bent = m.op("Tanh", path, [m.op("Mul", path, [inner, m.scalar(path, 0.7978845834732056)])])
    return m.op("Mul", path, [half, m.op("Add", path, [bent, m.scalar(path, 1.0)])])


def transformer_kv():
    m = Model(
        "transformer_kv", "GPT-2-like, one decoding step: the key/value cache goes in and comes out one token longer"
    )
    cache = ["batch", HEADS, "past", HEAD]
    longer = ["batch", HEADS, "past + 1", HEAD]
    ids = m.input("input_ids", ["batch", 1], TensorProto.INT64)
    for layer in range(LAYERS):
        for part in ("key", "value"):
            m.input(f"past_key_values.{layer}.{part}", cache)
    root = "transformer"
    length = dim_of(m, root, ids, 1)
    past = dim_of(m, root, "past_key_values.0.key", 2)
    ids = m.op("Reshape", root, [ids, shape_from(m, root, [-1, length])], allowzero=0)
    total = m.op("Add", root, [past, length])
    positions = m.op("Range", root, [past, total, m.integers(root, 1)])
    positions = m.op("Unsqueeze", root, [positions, m.integers(root, [0])])
    tokens = m.weight("transformer.wte.weight", [VOCABULARY, HIDDEN])
    embedded = m.op("Gather", "transformer.wte", [tokens, ids])
    places = m.op("Gather", "transformer.wpe", [m.weight("transformer.wpe.weight", [POSITIONS, HIDDEN]), positions])
    x = m.op("Add", root, [embedded, places])
    for layer in range(LAYERS):
        block = f"transformer.h.{layer}"
        mixed = attention(m, f"{block}.attn", layer, layer_norm(m, f"{block}.ln_1", x))
        x = m.op("Add", block, [mixed, x])
        y = linear(m, f"{block}.mlp.c_fc", layer_norm(m, f"{block}.ln_2", x), HIDDEN, 4 * HIDDEN)
        y = linear(m, f"{block}.mlp.c_proj", gelu(m, f"{block}.mlp.act", y), 4 * HIDDEN, HIDDEN)
        x = m.op("Add", block, [x, y])
    x = layer_norm(m, "transformer.ln_f", x)
    tied = m.op("Transpose", "lm_head", [tokens], perm=[1, 0])
    m.op("MatMul", "lm_head", [x, tied], result="logits")
    m.output("logits", ["batch", 1, VOCABULARY])
    for layer in range(LAYERS):
        for part in ("key", "value"):
            m.output(f"present.{layer}.{part}", longer)
    return m


TOKENS = 12
WIDTH = 256
STATE = 128
STEPS = 8
SYMBOLS = 100


def value(name, dims, data_type=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, data_type, dims)


def matmul_add(nodes, path, x, in_features, out_features):
    weight = nodes.model.weight(f"{path}.weight", [in_features, out_features])
    bias = nodes.model.weight(f"{path}.bias", [out_features])
    return nodes.op("Add", path, [nodes.op("MatMul", path, [x, weight]), bias])


def refine(m, x):
    """If: both branches capture x; only one of them needs the wide intermediate values."""
    threshold = m.scalar("", 0.5)
    mean = m.op("ReduceMean", "", [x], keepdims=0)
    condition = m.op("Greater", "", [mean, threshold])
    deep = m.body()
    y = deep.op("Relu", "deep", [matmul_add(deep, "deep.fc1", x, WIDTH, 4 * WIDTH)])
    y = deep.op("Add", "deep", [matmul_add(deep, "deep.fc2", y, 4 * WIDTH, WIDTH), x])
    shallow = m.body()
    z = shallow.op("Mul", "shallow", [x, m.weight("shallow.scale", [WIDTH])])
    z = shallow.op("Sigmoid", "shallow", [z])
    dims = ["N", TOKENS, WIDTH]
    return m.op(
        "If",
        "",
        [condition],
        then_branch=deep.graph("sub_graph", [], [value(y, dims)]),
        else_branch=shallow.graph("sub_graph1", [], [value(z, dims)]),
    )


def decode(m, keys, state):
    """Loop: captures keys, carries the state, and stacks the scores of each step."""
    body = m.body()
    query = body.op("Unsqueeze", "decoder", ["state", body.integers("decoder", [1])])
    scores = body.op("MatMul", "decoder", [query, body.op("Transpose", "decoder", [keys], perm=[0, 2, 1])])
    context = body.op("MatMul", "decoder", [body.op("Softmax", "decoder", [scores], axis=-1), keys])
    context = body.op("Squeeze", "decoder", [context, body.integers("decoder", [1])])
    joint = body.op("Concat", "decoder", ["state", context], axis=1)
    following = body.op("Tanh", "decoder", [matmul_add(body, "decoder.cell", joint, 2 * STATE, STATE)])
    symbols = matmul_add(body, "decoder.out", following, STATE, SYMBOLS)
    again = body.op("Identity", "decoder", ["keep_going"])
    graph = body.graph(
        "sub_graph2",
        [value("step", [], TensorProto.INT64), value("keep_going", [], TensorProto.BOOL), value("state", ["N", STATE])],
        [value(again, [], TensorProto.BOOL), value(following, ["N", STATE]), value(symbols, ["N", SYMBOLS])],
    )
    count = m.integers("", STEPS)
    return m.op("Loop", "", [count, m.scalar("", True), state], outputs=2, body=graph)


def control_flow():
    m = Model(
        "control_flow", "An encoder with a conditional part (If) and an attending decoder (Loop), symbolic batch N"
    )
    x = m.input("features", ["N", TOKENS, WIDTH])
    x = m.op("Relu", "encoder", [matmul_add(m, "encoder.fc", x, WIDTH, WIDTH)])
    x = refine(m, x)
    keys = matmul_add(m, "keys", x, WIDTH, STATE)
    state = m.op("ReduceMean", "", [keys], axes=[1], keepdims=0)
    state, stacked = decode(m, keys, state)
    m.value_info += [value(state, ["N", STATE]), value(stacked, [STEPS, "N", SYMBOLS])]
    m.op("Transpose", "", [stacked], result="scores", perm=[1, 0, 2])
    m.op("Identity", "", [state], result="final_state")
    m.output("scores", ["N", STEPS, SYMBOLS])
    m.output("final_state", ["N", STATE])
    return m
