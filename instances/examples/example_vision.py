# SPDX-License-Identifier: Apache-2.0
"""The three convolutional example models: MobileNet-like, Inception-like and U-Net-like."""

from onnx_writer import Model

CLASSES = 1000


def conv(m, path, x, shape, stride=1, pads=None, groups=1):
    """A convolution with bias (batch normalization folded into it); shape = (out, in, height, width) of the kernel."""
    out_channels, in_channels, height, width = shape
    if pads is None:
        pads = (height // 2, width // 2)
    weight = m.weight(f"{path}.weight", [out_channels, in_channels // groups, height, width])
    bias = m.weight(f"{path}.bias", [out_channels])
    return m.op(
        "Conv",
        path,
        [x, weight, bias],
        dilations=[1, 1],
        group=groups,
        kernel_shape=[height, width],
        pads=[*pads, *pads],
        strides=[stride, stride],
    )


def classifier(m, path, x, channels):
    weight = m.weight(f"{path}.weight", [CLASSES, channels])
    bias = m.weight(f"{path}.bias", [CLASSES])
    return m.op("Gemm", path, [x, weight, bias], alpha=1.0, beta=1.0, transB=1)


# MobileNet-v2 (Sandler et al., 2018), table 2: expansion, channels, repeats, stride of the first block.
INVERTED_RESIDUALS = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)


def conv_relu6(m, path, x, shape, stride=1, groups=1):
    x = conv(m, f"{path}.0", x, shape, stride, groups=groups)
    low = m.scalar(f"{path}.2", 0.0)
    high = m.scalar(f"{path}.2", 6.0)
    return m.op("Clip", f"{path}.2", [x, low, high])


def inverted_residual(m, path, x, channels, out_channels, expansion, stride):
    wide = channels * expansion
    y = x
    layer = 0
    if expansion != 1:
        y = conv_relu6(m, f"{path}.conv.{layer}", y, (wide, channels, 1, 1))
        layer += 1
    y = conv_relu6(m, f"{path}.conv.{layer}", y, (wide, wide, 3, 3), stride, groups=wide)
    y = conv(m, f"{path}.conv.{layer + 1}", y, (out_channels, wide, 1, 1))
    return m.op("Add", path, [x, y]) if stride == 1 and channels == out_channels else y


def mobilenet_like():
    m = Model("mobilenet_like", "MobileNet-v2-like: inverted residuals with depthwise convolutions and ReLU6")
    x = conv_relu6(m, "features.0", m.input("input", [1, 3, 224, 224]), (32, 3, 3, 3), stride=2)
    channels = 32
    index = 1
    for expansion, out_channels, repeats, first_stride in INVERTED_RESIDUALS:
        for repeat in range(repeats):
            stride = first_stride if repeat == 0 else 1
            x = inverted_residual(m, f"features.{index}", x, channels, out_channels, expansion, stride)
            channels = out_channels
            index += 1
    x = conv_relu6(m, f"features.{index}", x, (1280, channels, 1, 1))
    x = m.op("GlobalAveragePool", "", [x])
    x = m.op("Flatten", "", [x], axis=1)
    weight = m.weight("classifier.1.weight", [CLASSES, 1280])
    bias = m.weight("classifier.1.bias", [CLASSES])
    m.op("Gemm", "classifier.1", [x, weight, bias], result="output", alpha=1.0, beta=1.0, transB=1)
    m.output("output", [1, CLASSES])
    return m


def conv_relu(m, path, x, shape, stride=1, pads=None):
    return m.op("Relu", path, [conv(m, f"{path}.conv", x, shape, stride, pads)])


def average_pool(m, path, x):
    return m.op(
        "AveragePool",
        path,
        [x],
        ceil_mode=0,
        count_include_pad=1,
        kernel_shape=[3, 3],
        pads=[1, 1, 1, 1],
        strides=[1, 1],
    )


def max_pool(m, path, x):
    return m.op("MaxPool", path, [x], ceil_mode=0, kernel_shape=[3, 3], pads=[0, 0, 0, 0], strides=[2, 2])


def chain(m, path, x, channels, steps):
    """Convolutions one after the other; a step = (name, out channels, kernel height, width[, stride, pads])."""
    for name, out_channels, height, width, *rest in steps:
        x = conv_relu(m, f"{path}.{name}", x, (out_channels, channels, height, width), *rest)
        channels = out_channels
    return x


def inception_a(m, path, x, channels, pool_channels):
    branches = [
        chain(m, path, x, channels, [("branch1x1", 64, 1, 1)]),
        chain(m, path, x, channels, [("branch5x5_1", 48, 1, 1), ("branch5x5_2", 64, 5, 5)]),
        chain(
            m,
            path,
            x,
            channels,
            [("branch3x3dbl_1", 64, 1, 1), ("branch3x3dbl_2", 96, 3, 3), ("branch3x3dbl_3", 96, 3, 3)],
        ),
        chain(m, path, average_pool(m, path, x), channels, [("branch_pool", pool_channels, 1, 1)]),
    ]
    return m.op("Concat", path, branches, axis=1), 224 + pool_channels


def reduction_b(m, path, x, channels):
    last = ("branch3x3dbl_3", 96, 3, 3, 2, (0, 0))
    branches = [
        chain(m, path, x, channels, [("branch3x3", 384, 3, 3, 2, (0, 0))]),
        chain(m, path, x, channels, [("branch3x3dbl_1", 64, 1, 1), ("branch3x3dbl_2", 96, 3, 3), last]),
        max_pool(m, path, x),
    ]
    return m.op("Concat", path, branches, axis=1), 480 + channels


def inception_c(m, path, x, channels, middle):
    double = [
        ("branch7x7dbl_1", middle, 1, 1),
        ("branch7x7dbl_2", middle, 7, 1),
        ("branch7x7dbl_3", middle, 1, 7),
        ("branch7x7dbl_4", middle, 7, 1),
        ("branch7x7dbl_5", 192, 1, 7),
    ]
    branches = [
        chain(m, path, x, channels, [("branch1x1", 192, 1, 1)]),
        chain(
            m,
            path,
            x,
            channels,
            [("branch7x7_1", middle, 1, 1), ("branch7x7_2", middle, 1, 7), ("branch7x7_3", 192, 7, 1)],
        ),
        chain(m, path, x, channels, double),
        chain(m, path, average_pool(m, path, x), channels, [("branch_pool", 192, 1, 1)]),
    ]
    return m.op("Concat", path, branches, axis=1), 768


def reduction_d(m, path, x, channels):
    seven = [
        ("branch7x7x3_1", 192, 1, 1),
        ("branch7x7x3_2", 192, 1, 7),
        ("branch7x7x3_3", 192, 7, 1),
        ("branch7x7x3_4", 192, 3, 3, 2, (0, 0)),
    ]
    branches = [
        chain(m, path, x, channels, [("branch3x3_1", 192, 1, 1), ("branch3x3_2", 320, 3, 3, 2, (0, 0))]),
        chain(m, path, x, channels, seven),
        max_pool(m, path, x),
    ]
    return m.op("Concat", path, branches, axis=1), 512 + channels


def split_3x3(m, path, name, x):
    """A 3x3 convolution as a 1x3 and a 3x1 one side by side."""
    halves = [
        conv_relu(m, f"{path}.{name}a", x, (384, 384, 1, 3)),
        conv_relu(m, f"{path}.{name}b", x, (384, 384, 3, 1)),
    ]
    return m.op("Concat", path, halves, axis=1)


def inception_e(m, path, x, channels):
    one = chain(m, path, x, channels, [("branch1x1", 320, 1, 1)])
    three = chain(m, path, x, channels, [("branch3x3_1", 384, 1, 1)])
    double = chain(m, path, x, channels, [("branch3x3dbl_1", 448, 1, 1), ("branch3x3dbl_2", 384, 3, 3)])
    branches = [
        one,
        split_3x3(m, path, "branch3x3_2", three),
        split_3x3(m, path, "branch3x3dbl_3", double),
        chain(m, path, average_pool(m, path, x), channels, [("branch_pool", 192, 1, 1)]),
    ]
    return m.op("Concat", path, branches, axis=1), 2048


def inception_like():
    """Inception-v3 (Szegedy et al., 2016) with fewer repetitions of its modules."""
    m = Model("inception_like", "Inception-v3-like: parallel branches of different length, joined by Concat")
    x = m.input("input", [1, 3, 299, 299])
    stem = [("Conv2d_1a_3x3", 32, 3, 3, 2, (0, 0)), ("Conv2d_2a_3x3", 32, 3, 3, 1, (0, 0)), ("Conv2d_2b_3x3", 64, 3, 3)]
    x = conv_relu(m, stem[0][0], x, (32, 3, 3, 3), 2, (0, 0))
    x = conv_relu(m, stem[1][0], x, (32, 32, 3, 3), 1, (0, 0))
    x = conv_relu(m, stem[2][0], x, (64, 32, 3, 3))
    x = max_pool(m, "maxpool1", x)
    x = conv_relu(m, "Conv2d_3b_1x1", x, (80, 64, 1, 1))
    x = conv_relu(m, "Conv2d_4a_3x3", x, (192, 80, 3, 3), 1, (0, 0))
    x = max_pool(m, "maxpool2", x)
    x, channels = inception_a(m, "Mixed_5b", x, 192, 32)
    x, channels = inception_a(m, "Mixed_5c", x, channels, 64)
    x, channels = reduction_b(m, "Mixed_6a", x, channels)
    x, channels = inception_c(m, "Mixed_6b", x, channels, 128)
    x, channels = inception_c(m, "Mixed_6c", x, channels, 160)
    x, channels = reduction_d(m, "Mixed_7a", x, channels)
    x, channels = inception_e(m, "Mixed_7b", x, channels)
    x = m.op("GlobalAveragePool", "avgpool", [x])
    x = m.op("Flatten", "", [x], axis=1)
    x = classifier(m, "fc", x, channels)
    m.op("Softmax", "", [x], result="output", axis=1)
    m.output("output", [1, CLASSES])
    return m


def conv_norm_relu(m, path, index, x, channels, out_channels):
    """Convolution, batch normalization and ReLU as three operators, as an exporter without folding leaves them."""
    weight = m.weight(f"{path}.{index}.weight", [out_channels, channels, 3, 3])
    x = m.op(
        "Conv",
        f"{path}.{index}",
        [x, weight],
        dilations=[1, 1],
        group=1,
        kernel_shape=[3, 3],
        pads=[1, 1, 1, 1],
        strides=[1, 1],
    )
    norm = f"{path}.{index + 1}"
    statistics = [
        m.weight(f"{norm}.{name}", [out_channels]) for name in ("weight", "bias", "running_mean", "running_var")
    ]
    x = m.op("BatchNormalization", norm, [x, *statistics], epsilon=1e-05, momentum=0.9, training_mode=0)
    return m.op("Relu", f"{path}.{index + 2}", [x])


def double_conv(m, path, x, channels, out_channels):
    x = conv_norm_relu(m, path, 0, x, channels, out_channels)
    return conv_norm_relu(m, path, 3, x, out_channels, out_channels)


def upsample_to(m, path, x, skip):
    """Resize to the height and width of the skip connection, which the exporter reads from its shape."""
    axes, low, middle, high = (m.integers(path, [v]) for v in (0, 0, 2, 4))
    batch_channels = m.op("Slice", path, [m.op("Shape", path, [x]), low, middle, axes])
    height_width = m.op("Slice", path, [m.op("Shape", path, [skip]), middle, high, axes])
    sizes = m.op("Concat", path, [batch_channels, height_width], axis=0)
    return m.op(
        "Resize",
        path,
        [x, "", "", sizes],
        coordinate_transformation_mode="half_pixel",
        cubic_coeff_a=-0.75,
        mode="linear",
        nearest_mode="floor",
    )


def unet_like():
    """U-Net (Ronneberger et al., 2015): the two deep levels go up by ConvTranspose, the two high ones by Resize."""
    m = Model("unet_like", "U-Net-like: each skip connection lives from the way down to the way up")
    x = double_conv(m, "inc", m.input("input", [1, 3, 256, 256]), 3, 32)
    skips = []
    channels = 32
    for level in range(1, 5):
        skips.append((x, channels))
        path = f"down{level}"
        x = m.op("MaxPool", f"{path}.pool", [x], ceil_mode=0, kernel_shape=[2, 2], pads=[0, 0, 0, 0], strides=[2, 2])
        x = double_conv(m, f"{path}.conv", x, channels, 2 * channels)
        channels *= 2
    for level in range(1, 5):
        skip, skip_channels = skips.pop()
        path = f"up{level}"
        if level <= 2:
            weight = m.weight(f"{path}.up.weight", [channels, skip_channels, 2, 2])
            bias = m.weight(f"{path}.up.bias", [skip_channels])
            x = m.op(
                "ConvTranspose",
                f"{path}.up",
                [x, weight, bias],
                dilations=[1, 1],
                group=1,
                kernel_shape=[2, 2],
                pads=[0, 0, 0, 0],
                strides=[2, 2],
            )
        else:
            x = conv(m, f"{path}.reduce", x, (skip_channels, channels, 1, 1))
            x = upsample_to(m, path, x, skip)
        x = m.op("Concat", path, [skip, x], axis=1)
        x = double_conv(m, f"{path}.conv", x, 2 * skip_channels, skip_channels)
        channels = skip_channels
    x = conv(m, "outc", x, (4, channels, 1, 1))
    m.op("Sigmoid", "", [x], result="mask")
    m.output("mask", [1, 4, 256, 256])
    return m
