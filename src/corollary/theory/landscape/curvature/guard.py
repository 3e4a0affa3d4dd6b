r"""Running a user's module so that it can be differentiated twice and comes back as it was.

Fused CPU kernels lack second derivatives (the default scaled-dot-product attention) or forward
derivatives (oneDNN's LSTM). Inside :func:`guarded` attention takes its mathematical form, oneDNN
can be switched off, buffers are copies (so BatchNorm's running statistics stay), and the mode,
the ``requires_grad`` flags and the random state are restored on the way out, also after an error.
"""

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn.attention import SDPBackend, sdpa_kernel

Mode = Literal["eval", "train", "keep"]


@contextmanager
def guarded(
    module: nn.Module,
    parameters: Iterable[Tensor],
    *,
    mode: Mode = "eval",
    seed: int = 0,
    onednn: bool = True,
) -> Iterator[None]:
    """Everything in one context: kernels, mode, buffers, gradient flags, random state.

    Random layers draw from ``seed``, so a loss with dropout is the same function in each pass.
    """
    cuda = {t.device.index or 0 for t in module.parameters() if t.device.type == "cuda"}
    with (
        torch.random.fork_rng(devices=sorted(cuda)),
        sdpa_kernel(SDPBackend.MATH),
        nullcontext() if onednn else without_onednn(),
        borrowed_buffers(module),
        in_mode(module, mode),
        requiring_grad(parameters),
        torch.enable_grad(),
    ):
        torch.manual_seed(seed)
        yield


@contextmanager
def requiring_grad(parameters: Iterable[Tensor]) -> Iterator[None]:
    """Frozen parameters can be differentiated; they are frozen again afterwards."""
    frozen = [p for p in parameters if not p.requires_grad]
    for p in frozen:
        p.requires_grad_(True)
    try:
        yield
    finally:
        for p in frozen:
            p.requires_grad_(False)


@contextmanager
def in_mode(module: nn.Module, mode: Mode) -> Iterator[None]:
    """Evaluation or training mode, each submodule's own flag restored."""
    before = [(m, m.training) for m in module.modules()]
    try:
        if mode != "keep":
            module.train(mode == "train")
        yield
    finally:
        for m, training in before:
            m.training = training


@contextmanager
def borrowed_buffers(module: nn.Module) -> Iterator[None]:
    """The module works on copies of its buffers; the originals are not written to."""
    before = [(m, dict(m._buffers)) for m in module.modules() if m._buffers]
    copies: dict[int, Tensor] = {}
    for m, buffers in before:
        for name, b in buffers.items():
            if b is not None:  # a buffer held in two places stays one tensor
                m._buffers[name] = copies.setdefault(id(b), b.detach().clone())
    try:
        yield
    finally:
        for m, buffers in before:
            m._buffers.clear()
            m._buffers.update(buffers)


@contextmanager
def without_onednn() -> Iterator[None]:
    """OneDNN's fused kernels off."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # setting the flag also speaks of a GPU mode
        with torch.backends.mkldnn.flags(enabled=False):
            yield


@contextmanager
def moved(parameters: list[Tensor]) -> Iterator[None]:
    """Parameters may be overwritten inside; their bits come back."""
    before = [p.detach().clone() for p in parameters]
    try:
        yield
    finally:
        with torch.no_grad():
            for p, old in zip(parameters, before, strict=True):
                p.copy_(old)


def nodes(outputs: Iterable[Tensor]) -> Iterator[Any]:
    """All nodes of the autograd graphs behind ``outputs``."""
    todo = [t.grad_fn for t in outputs if t.grad_fn is not None]
    seen = set(todo)
    while todo:
        node = todo.pop()
        yield node
        fresh = {n for n, _ in node.next_functions if n is not None} - seen
        seen |= fresh
        todo.extend(fresh)


def refuse_once_differentiable(value: Tensor) -> None:
    """Raise if a custom function was marked so; autograd would take its derivative for constant."""
    mark = once_differentiable(lambda ctx: None).__code__
    for node in nodes([value]):
        backward = getattr(getattr(node, "_forward_cls", None), "backward", None)
        if getattr(backward, "__code__", None) is mark:
            raise NotImplementedError(f"{node.name()} is marked once_differentiable")


def graph_bytes(outputs: Iterable[Tensor], besides: Iterable[Tensor] = ()) -> int:
    """Memory held by the autograd graphs behind ``outputs``.

    A tensor saved twice counts once; storage that ``besides`` (parameters, data) holds anyway
    does not count.
    """
    owned = {t.untyped_storage().data_ptr() for t in besides if t.layout == torch.strided}
    held = {}
    for node in nodes(outputs):
        for tensor in _saved(node):
            if tensor.untyped_storage().data_ptr() not in owned:
                held[tensor.data_ptr()] = tensor.numel() * tensor.element_size()
    return sum(held.values())


def _saved(node: object) -> Iterator[Tensor]:
    for name in dir(node):
        if name.startswith("_saved_"):
            value = getattr(node, name)
            for item in value if isinstance(value, tuple | list) else (value,):
                if isinstance(item, Tensor) and item.layout == torch.strided:
                    yield item
