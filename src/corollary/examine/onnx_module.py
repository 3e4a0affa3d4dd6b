"""A network in ONNX as a module of PyTorch, with gradients and bounds, for its usual operations."""

import os
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from corollary.errors import InputError, NotApplicableError


class OnnxModule(nn.Module):
    """The graph of a file, in float64; rows of inputs (n, d) give rows of outputs (n, k)."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        import onnx
        from onnx import numpy_helper

        super().__init__()
        try:
            graph = onnx.load(os.fspath(path)).graph
        except Exception as error:  # protobuf has its own for what is not ONNX
            raise InputError(f"{path} cannot be read as ONNX ({type(error).__name__})") from None
        self.constants: dict[str, Tensor] = {}
        for held in graph.initializer:
            self.constants[held.name] = _tensor(numpy_helper.to_array(held))
        self.nodes = [_Node(node, numpy_helper) for node in graph.node]
        places = [p for p in graph.input if p.name not in self.constants]
        if len(places) != 1 or len(graph.output) != 1:
            raise NotApplicableError(
                f"expected one input and one output, got {len(places)} and {len(graph.output)}"
            )
        self.place, self.end = places[0].name, graph.output[0].name
        sizes = [d.dim_value or 1 for d in places[0].type.tensor_type.shape.dim]
        self.shape = tuple(sizes)  # with the batch axis
        for node in self.nodes:
            if node.kind not in OPERATIONS and node.kind != "Constant":
                raise NotApplicableError(
                    f"{path} has the operation {node.kind}, which is not supported; supported "
                    f"operations: {', '.join(OPERATIONS)}"
                )

    @property
    def inputs(self) -> int:
        """How many numbers an input has."""
        return int(torch.Size(self.shape).numel())

    def forward(self, x: Tensor) -> Tensor:
        """The outputs of some rows of inputs."""
        rows = x.reshape(-1, *self.shape[1:]) if len(self.shape) > 1 else x
        known = dict(self.constants)
        known[self.place] = rows
        for node in self.nodes:
            if node.kind == "Constant":
                known[node.output] = node.about["value"]
            else:
                given = [known[name] if name else None for name in node.inputs]
                known[node.output] = OPERATIONS[node.kind](given, node.about)
        return known[self.end].reshape(len(x), -1)


class _Node:
    """An operation: its kind, what it takes and gives, and its attributes."""

    def __init__(self, node: Any, helper: Any) -> None:
        from onnx import helper as attributes

        self.kind, self.inputs, self.output = node.op_type, list(node.input), node.output[0]
        self.about = {a.name: attributes.get_attribute_value(a) for a in node.attribute}
        if self.kind == "Constant":
            self.about["value"] = _tensor(helper.to_array(self.about["value"]))


def _tensor(array: Any) -> Tensor:
    made = torch.from_numpy(array.copy())
    return made.double() if made.is_floating_point() else made


def _matmul(given: list[Any], about: dict[str, Any]) -> Tensor:
    a, b = given
    if a.dim() == 2 and b.dim() == 2 and not b.requires_grad:
        return F.linear(a, b.T.contiguous())
    return torch.matmul(a, b)


def _gemm(given: list[Any], about: dict[str, Any]) -> Tensor:
    a, b = given[0], given[1]
    a = a.T if about.get("transA") else a
    weight = b if about.get("transB") else b.T
    weight = weight.contiguous() * about.get("alpha", 1.0)
    bias = given[2] * about.get("beta", 1.0) if len(given) > 2 else None
    return F.linear(a, weight, bias)


def _conv(given: list[Any], about: dict[str, Any]) -> Tensor:
    x, weight = given[0], given[1]
    axes = weight.dim() - 2
    pads = about.get("pads", [0] * 2 * axes)
    if pads[:axes] != pads[axes:] or axes not in (1, 2):
        raise NotApplicableError(
            "a convolution with uneven padding or with three axes is not supported"
        )
    convolve = F.conv1d if axes == 1 else F.conv2d
    return convolve(
        x,
        weight,
        given[2] if len(given) > 2 else None,
        stride=tuple(about.get("strides", [1] * axes)),
        padding=tuple(pads[:axes]),
        dilation=tuple(about.get("dilations", [1] * axes)),
        groups=about.get("group", 1),
    )


def _flat(given: list[Any], about: dict[str, Any]) -> Tensor:
    x: Tensor = given[0]
    return x.flatten(1)


def _reshaped(given: list[Any], about: dict[str, Any]) -> Tensor:
    """The first axis stays the one of samples."""
    x: Tensor = given[0]
    rest = [x.shape[i] if n == 0 else n for i, n in enumerate(given[1].tolist())][1:]
    return x.reshape(len(x), *(rest or [-1]))


def _pooled(given: list[Any], about: dict[str, Any]) -> Tensor:
    size = tuple(about["kernel_shape"])
    strides = tuple(about.get("strides", [1] * len(size)))
    return F.max_pool2d(given[0], size, strides, padding=tuple(about.get("pads", [0] * 4))[:2])


Operation = Callable[[list[Any], dict[str, Any]], Tensor]
OPERATIONS: dict[str, Operation] = {
    "MatMul": _matmul,
    "Gemm": _gemm,
    "Conv": _conv,
    "MaxPool": _pooled,
    "Flatten": _flat,
    "Reshape": _reshaped,
    "Add": lambda given, _: given[0] + given[1],
    "Sub": lambda given, _: given[0] - given[1],
    "Mul": lambda given, _: given[0] * given[1],
    "Div": lambda given, _: given[0] * (1 / given[1]),
    "Relu": lambda given, _: torch.relu(given[0]),
    "LeakyRelu": lambda given, about: F.leaky_relu(given[0], about.get("alpha", 0.01)),
    "Sigmoid": lambda given, _: torch.sigmoid(given[0]),
    "Tanh": lambda given, _: torch.tanh(given[0]),
    "Identity": lambda given, _: given[0],
    "Dropout": lambda given, _: given[0],
}
