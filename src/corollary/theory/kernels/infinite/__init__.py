"""Infinitely wide networks: the kernels NNGP and NTK of an architecture, without its weights."""

from corollary.theory.kernels.infinite.activations import (
    Abs,
    Activation,
    Cos,
    Erf,
    Gelu,
    Identity,
    LeakyRelu,
    Rbf,
    Rectifier,
    Relu,
    Sin,
)
from corollary.theory.kernels.infinite.attention import Attention
from corollary.theory.kernels.infinite.branches import Concat, Product, Residual, Sum
from corollary.theory.kernels.infinite.convolution import Conv
from corollary.theory.kernels.infinite.dropout import Dropout
from corollary.theory.kernels.infinite.graphs import Aggregate, graph_inputs, node_kernels
from corollary.theory.kernels.infinite.layers import (
    AvgPool,
    Dense,
    Flatten,
    GlobalAvgPool,
    Layer,
    LayerNorm,
    Scale,
)
from corollary.theory.kernels.infinite.network import Kernels, Network, network
from corollary.theory.kernels.infinite.operator import KernelOperator
from corollary.theory.kernels.infinite.padding import Pad
from corollary.theory.kernels.infinite.resize import Resize
from corollary.theory.kernels.infinite.sampling import Sampled, sampled_kernels
from corollary.theory.kernels.infinite.series import Series, Sigmoid, Silu, Softplus, Tanh
from corollary.theory.kernels.infinite.tracing import from_module
from corollary.theory.kernels.infinite.transposed_and_local import ConvLocal, ConvTranspose

__all__ = [
    "Abs",
    "Activation",
    "Aggregate",
    "Attention",
    "AvgPool",
    "Concat",
    "Conv",
    "ConvLocal",
    "ConvTranspose",
    "Cos",
    "Dense",
    "Dropout",
    "Erf",
    "Flatten",
    "Gelu",
    "GlobalAvgPool",
    "Identity",
    "KernelOperator",
    "Kernels",
    "Layer",
    "LayerNorm",
    "LeakyRelu",
    "Network",
    "Pad",
    "Product",
    "Rbf",
    "Rectifier",
    "Relu",
    "Residual",
    "Resize",
    "Sampled",
    "Scale",
    "Series",
    "Sigmoid",
    "Silu",
    "Sin",
    "Softplus",
    "Sum",
    "Tanh",
    "from_module",
    "graph_inputs",
    "network",
    "node_kernels",
    "sampled_kernels",
]
