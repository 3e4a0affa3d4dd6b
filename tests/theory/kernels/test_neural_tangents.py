"""The numbers of neural-tangents 0.6.5, made by benchmarks/peers/neural_tangents_values.py."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from corollary.theory.kernels.infinite import (
    Abs,
    Aggregate,
    Attention,
    AvgPool,
    Concat,
    Conv,
    ConvLocal,
    ConvTranspose,
    Cos,
    Dense,
    Dropout,
    Erf,
    Flatten,
    Gelu,
    GlobalAvgPool,
    LayerNorm,
    LeakyRelu,
    Product,
    Relu,
    Residual,
    Resize,
    Sin,
    graph_inputs,
    network,
)

TABLE = json.loads((Path(__file__).parent / "neural_tangents_values.json").read_text())
STANDARD = {"parametrization": "standard"}

ARCHITECTURES = {
    "relu_mlp": network(Dense(1.4, 0.3), Relu(), Dense(1.2, 0.1), Relu(), Dense(1.1, 0.2)),
    "leaky_standard_mlp": network(
        Dense(1.4, 0.3, fan_in=7, **STANDARD),
        LeakyRelu(0.1),
        Dense(1.2, 0.1, fan_in=64, **STANDARD),
    ),
    "erf_mlp": network(Dense(1.5, 0.2), Erf(), Dense(1.3, 0.1), Erf(), Dense(1.0)),
    "gelu_mlp": network(Dense(1.5, 0.2), Gelu(), Dense(1.3, 0.1), Gelu(), Dense(1.0)),
    "sine_cosine_mlp": network(Dense(0.8, 0.2), Sin(), Dense(0.9, 0.1), Cos(), Dense(1.0)),
    "residual_mlp": network(Dense(1.2, 0.1), Residual(Relu(), Dense(1.3, 0.2)), Relu(), Dense(1.0)),
    "layer_norm_mlp": network(
        Dense(1.2, 0.4), LayerNorm(), Relu(), Dense(1.3, 0.1), LayerNorm(), Abs(), Dense(1.0)
    ),
    "conv_flatten": network(
        Conv(1.3, 0.1),
        Relu(),
        Conv(1.2, 0.2, kernel=(3, 2), stride=(2, 1), padding="valid"),
        Relu(),
        Flatten(),
        Dense(1.1, 0.1),
        Relu(),
        Dense(1.0),
        channels="last",
    ),
    "conv_global_pool": network(
        Conv(1.3, 0.1),
        Relu(),
        Conv(1.2, 0.2),
        Relu(),
        GlobalAvgPool(),
        Dense(1.1, 0.1),
        Relu(),
        Dense(1.0),
        channels="last",
    ),
    "conv_average_pool": network(
        Conv(1.3, 0.1, kernel=(2, 2), padding="valid"),
        Erf(),
        AvgPool((2, 2)),
        Conv(1.2, 0.2, kernel=(2, 2), padding="valid"),
        Relu(),
        Flatten(),
        Dense(1.1),
        channels="last",
    ),
    "attention_linear": network(
        Dense(1.2, 0.1),
        Relu(),
        Attention(0.9 * 1.2, 1.1 * 0.8),
        Relu(),
        GlobalAvgPool(),
        Dense(1.0),
        channels="last",
    ),
    "attention_identity": network(
        Dense(1.2, 0.1),
        Relu(),
        Attention(0.9 * 0.7, 1.1 * 0.8, 0.3, mechanism="identity", scaling="sqrt"),
        Relu(),
        Flatten(),
        Dense(1.0),
        channels="last",
    ),
    "concat_mlp": network(
        Dense(1.2, 0.1),
        Concat(
            ((Relu(), Dense(1.3, 0.2), Erf()), (Relu(), Dense(0.8, 0.3), Relu()), ()), (6, 2, 8)
        ),
        Dense(1.1, 0.1),
        Relu(),
        Dense(1.0),
    ),
    "gated_mlp": network(
        Dense(1.2, 0.1),
        Relu(),
        Product(((Dense(1.3, 0.2), Erf()), (Dense(0.8, 0.3),), (Dense(0.9, 0.4), Relu()))),
        Dense(1.1, 0.1),
    ),
    "concat_conv": network(
        Concat(((Conv(1.3, 0.1), Relu()), (Conv(0.7, 0.2, kernel=(1, 1)), Erf()))),
        Conv(1.2, 0.2),
        Relu(),
        GlobalAvgPool(),
        Dense(1.1, 0.1),
        channels="last",
    ),
    "gated_conv": network(
        Product(((Conv(1.3, 0.1), Erf()), (Conv(0.7, 0.2),))),
        AvgPool((2, 2)),
        Conv(1.2, 0.2, kernel=(2, 2), padding="valid"),
        Relu(),
        Flatten(),
        Dense(1.1, 0.1),
        channels="last",
    ),
    "dropout_mlp": network(
        Dense(1.2, 0.1), Relu(), Dropout(0.2), Dense(1.3, 0.2), Erf(), Dropout(0.5), Dense(1.1)
    ),
    "dropout_conv": network(
        Conv(1.3, 0.1),
        Relu(),
        Dropout(0.3),
        Conv(1.2, 0.2),
        Relu(),
        GlobalAvgPool(),
        Dense(1.1, 0.1),
        Relu(),
        Dropout(0.1),
        Dense(1.0),
        channels="last",
    ),
    "graph_network": network(
        Dense(1.2, 0.1),
        Aggregate(),
        Relu(),
        Dense(1.3, 0.2),
        Aggregate(),
        Relu(),
        GlobalAvgPool(),
        Dense(1.0, 0.1),
        channels="last",
    ),
    "conv_transpose": network(
        Conv(1.3, 0.1, kernel=(2, 2), stride=(2, 2), padding="valid"),
        Relu(),
        ConvTranspose(1.2, 0.2, kernel=(3, 3), stride=(2, 2)),
        Relu(),
        GlobalAvgPool(),
        Dense(1.1),
        channels="last",
    ),
    "conv_local": network(
        Conv(1.3, 0.1, kernel=(2, 2), stride=(2, 2), padding="valid"),
        Relu(),
        ConvLocal(1.2, 0.2, kernel=(2, 2), padding="valid"),
        Relu(),
        GlobalAvgPool(),
        Dense(1.1, 0.1),
        Relu(),
        Dense(1.0),
        channels="last",
    ),
    "resize_nearest": network(
        Conv(1.3, 0.1, kernel=(2, 2), stride=(2, 2), padding="valid"),
        Relu(),
        Resize((4, 4), mode="nearest-exact"),
        Conv(1.2, 0.2, kernel=(2, 2), padding="valid"),
        Relu(),
        Flatten(),
        Dense(1.1, 0.1),
        channels="last",
    ),
    "resize_linear": network(
        Conv(1.3, 0.1, kernel=(2, 2), stride=(2, 2), padding="valid"),
        Resize((4, 4), mode="linear"),
        Relu(),
        Conv(1.2, 0.2, kernel=(2, 2), padding="valid"),
        Relu(),
        GlobalAvgPool(),
        Dense(1.1, 0.1),
        channels="last",
    ),
    "resize_shrink": network(
        Conv(1.3, 0.1),
        Relu(),
        Resize((3, 3), mode="linear", antialias=True),
        Conv(1.2, 0.2, kernel=(2, 2), padding="valid"),
        Relu(),
        Flatten(),
        Dense(1.1, 0.1),
        channels="last",
    ),
}


def inputs(*shape):
    grid = np.arange(np.prod(shape)).reshape(shape)
    x, y = np.sin(1.0 + 0.7 * grid + 0.013 * grid**2), np.cos(0.3 + 1.1 * grid)
    return torch.from_numpy(x[:2]), torch.from_numpy(y[:3])


def graphs(x):
    count, nodes = x.shape[:2]
    waves = torch.arange(count * nodes * nodes, dtype=torch.float64).sin()
    return waves.reshape(count, nodes, nodes) + torch.eye(nodes, dtype=torch.float64)


@pytest.mark.parametrize("backend", ["torch", "numba"])
@pytest.mark.parametrize("name", TABLE["architectures"])
def test_both_kernels_agree_with_neural_tangents_to_twelve_digits(name, backend):
    stored = TABLE["architectures"][name]
    x, y = inputs(*stored["shape"])
    if name == "graph_network":
        x, y = graph_inputs(x, graphs(x)), graph_inputs(y, graphs(y))
    second = None if name.startswith("dropout") else y  # masks are shared by equal inputs
    k = ARCHITECTURES[name].kernel(x, second, backend=backend)
    for ours, theirs in ((k.nngp, stored["nngp"]), (k.ntk, stored["ntk"])):
        theirs = torch.tensor(theirs, dtype=torch.float64)
        assert ((ours - theirs).abs() <= 1e-12 * theirs.abs().max()).all()
