"""Where a run left the finite numbers, found by looking again at the step that did.

Nothing here runs while training goes well. When a loss is not finite, the step's forward pass is
repeated with hooks on every layer, with the same batch and the same noise.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

REMEDY = "lower the learning rate, clip the gradient, or look at the data and the initialisation"


def is_finite(tensor: Tensor) -> bool:
    """Whether no entry is NaN or infinite."""
    if hasattr(tensor, "to_local"):  # a shard: the other processes look at theirs
        tensor = tensor.to_local()
    if tensor.is_sparse:
        tensor = tensor.coalesce().values()
    return bool(torch.isfinite(tensor).all())


def broken_parameters(model: nn.Module) -> list[str]:
    """Names of the parameters that are not finite, in the model's order."""
    return [name for name, p in model.named_parameters() if not is_finite(p.detach())]


def broken_gradients(model: nn.Module) -> list[str]:
    """Names of the parameters whose gradient is not finite, in the model's order."""
    named = [(n, p.grad) for n, p in model.named_parameters() if p.grad is not None]
    return [name for name, grad in named if not is_finite(grad)]


def blame_update(model: nn.Module, broken: list[str], step: int) -> str:
    """A sentence on parameters that an update has made NaN or infinite.

    The gradients of that update are still there, because they are cleared only after the next
    forward pass went well. A bad number spreads from the loss towards the input, so of several
    bad gradients the one nearest to the output is the first.
    """
    if step < 0:
        return f"the parameter '{broken[0]}' is not finite before the first step"
    gradients = broken_gradients(model)
    if gradients:
        others = f" (and of {len(gradients) - 1} before it)" if len(gradients) > 1 else ""
        return (
            f"the gradient of the parameter '{gradients[-1]}'{others} is not finite at step {step}"
        )
    return (
        f"the update of step {step} made the parameter '{broken[0]}' not finite, "
        "although its gradient was finite"
    )


def blame_forward(
    model: nn.Module, batch: Iterable[Tensor], forward: Callable[[], Any], step: int
) -> str:
    """A sentence on the first thing in a forward pass that is not finite."""
    for position, tensor in enumerate(batch):
        if tensor.is_floating_point() and not is_finite(tensor):
            return f"the batch of step {step} has a value that is not finite in tensor {position}"
    name = first_broken_layer(model, forward)
    if name is None:
        return (
            f"the loss is not finite at step {step}, although the outputs of all layers are finite"
        )
    return f"the first output that is not finite is the output of {name}, at step {step}"


def first_broken_layer(model: nn.Module, forward: Callable[[], Any]) -> str | None:
    """The first layer, in the order of computation, whose output is NaN or infinite."""
    found: list[str] = []

    def watch(name: str) -> Callable[..., None]:
        def hook(module: nn.Module, _: Any, output: Any) -> None:
            if not found and not all(is_finite(t) for t in _tensors(output)):
                kind = type(module).__name__
                found.append(f"the layer '{name}' ({kind})" if name else f"the model ({kind})")

        return hook

    handles = [m.register_forward_hook(watch(n)) for n, m in model.named_modules()]
    try:
        with _buffers_kept(model):
            forward()
    finally:
        for handle in handles:
            handle.remove()
    return found[0] if found else None


@contextmanager
def _buffers_kept(model: nn.Module) -> Iterator[None]:
    kept = [(b, b.detach().clone()) for b in model.buffers()]
    try:
        yield
    finally:
        with torch.no_grad():
            for buffer, value in kept:
                buffer.copy_(value)


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        if value.is_floating_point() or value.is_complex():
            yield value.detach()
    elif isinstance(value, dict):
        for part in value.values():
            yield from _tensors(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _tensors(part)
