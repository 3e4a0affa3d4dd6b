"""The numbers of neural-tangents 0.6.5, made by benchmarks/peers/neural_tangents_values.py."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from corollary.theory.kernels.infinite import (
    Abs,
    Attention,
    AvgPool,
    Conv,
    Cos,
    Dense,
    Erf,
    Flatten,
    Gelu,
    GlobalAvgPool,
    LayerNorm,
    LeakyRelu,
    Relu,
    Residual,
    Sin,
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
    "residual_mlp": network(
        Dense(1.2, 0.1), Residual(Relu(), Dense(1.3, 0.2)), Relu(), Dense(1.0)
    ),
    "layer_norm_mlp": network(
        Dense(1.2, 0.4), LayerNorm(), Relu(), Dense(1.3, 0.1), LayerNorm(), Abs(), Dense(1.0)
    ),
    "conv_flatten": network(
        Conv(1.3, 0.1), Relu(),
        Conv(1.2, 0.2, kernel=(3, 2), stride=(2, 1), padding="valid"), Relu(),
        Flatten(), Dense(1.1, 0.1), Relu(), Dense(1.0), channels="last",
    ),
    "conv_global_pool": network(
        Conv(1.3, 0.1), Relu(), Conv(1.2, 0.2), Relu(),
        GlobalAvgPool(), Dense(1.1, 0.1), Relu(), Dense(1.0), channels="last",
    ),
    "conv_average_pool": network(
        Conv(1.3, 0.1, kernel=(2, 2), padding="valid"), Erf(), AvgPool((2, 2)),
        Conv(1.2, 0.2, kernel=(2, 2), padding="valid"), Relu(), Flatten(), Dense(1.1),
        channels="last",
    ),
    "attention_linear": network(
        Dense(1.2, 0.1), Relu(), Attention(0.9 * 1.2, 1.1 * 0.8), Relu(), GlobalAvgPool(),
        Dense(1.0), channels="last",
    ),
    "attention_identity": network(
        Dense(1.2, 0.1), Relu(),
        Attention(0.9 * 0.7, 1.1 * 0.8, 0.3, mechanism="identity", scaling="sqrt"), Relu(),
        Flatten(), Dense(1.0), channels="last",
    ),
}  # fmt: skip


def inputs(*shape):
    grid = np.arange(np.prod(shape)).reshape(shape)
    x, y = np.sin(1.0 + 0.7 * grid + 0.013 * grid**2), np.cos(0.3 + 1.1 * grid)
    return torch.from_numpy(x[:2]), torch.from_numpy(y[:3])


@pytest.mark.parametrize("backend", ["torch", "numba"])
@pytest.mark.parametrize("name", TABLE["architectures"])
def test_both_kernels_agree_with_neural_tangents_to_twelve_digits(name, backend):
    stored = TABLE["architectures"][name]
    k = ARCHITECTURES[name].kernel(*inputs(*stored["shape"]), backend=backend)
    for ours, theirs in ((k.nngp, stored["nngp"]), (k.ntk, stored["ntk"])):
        theirs = torch.tensor(theirs, dtype=torch.float64)
        assert ((ours - theirs).abs() <= 1e-12 * theirs.abs().max()).all()
