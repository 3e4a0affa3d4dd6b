r"""How signals and gradients pass through a network, layer by layer, measured on any module.

For every leaf module in the order of the calls: the mean square of its output's entries, that of
the derivative of a number (a loss, say) in this output, the gradient in its weight, how alike the
outputs of different samples are, and which of its units are dead or saturated.

.. math:: q^l=\frac{1}{n\,d_l}\sum_{s,i}(h^l_{si})^2,\qquad
    g^l=\frac{1}{n\,d_l}\sum_{s,i}\Bigl(\frac{\partial\mathcal L}{\partial h^l_{si}}\Bigr)^2

What theory expects of it: :mod:`corollary.theory.landscape.mean_field` and, exactly, for linear
networks, :mod:`corollary.theory.landscape.random_products`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.2; Glorot and Bengio (2010),
    "Understanding the difficulty of training deep feedforward neural networks"; Schoenholz, Gilmer,
    Ganguli and Sohl-Dickstein (2017), "Deep information propagation".
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError, NotApplicableError

_ZERO_BELOW = (nn.ReLU, nn.ReLU6, nn.Threshold, nn.Hardshrink, nn.Softshrink)


@dataclass
class LayerSignal:
    """One call of one leaf module; numbers are over all samples of the batch."""

    name: str  # path of the module; a second call has "#2" after it
    module: nn.Module = field(repr=False)
    follows: bool  # its input is the very output of the call before it
    width: int  # entries of the output that belong to one sample
    forward: float  # mean square of the output's entries
    incoming: float  # mean square of the input's entries
    similarity: float  # mean cosine between the outputs of two samples; NaN for one sample
    backward: float | None = None  # mean square of the derivative in the output's entries
    gradient: float | None = None  # Frobenius norm of the derivative in the weight
    weight: float | None = None  # Frobenius norm of the weight
    dead: float | None = None  # share of units that give 0 to every sample, where 0 is possible
    saturated: float | None = None  # share of entries with a slope below 1 % of the steepest

    @property
    def weighted(self) -> bool:
        """Whether the module multiplies by a matrix (or a kernel) of weights."""
        return matrix_weight(self.module) is not None


@dataclass(frozen=True)
class Signal:
    """All calls in their order, and the number that was differentiated."""

    layers: tuple[LayerSignal, ...]
    value: float

    def weighted(self) -> tuple[LayerSignal, ...]:
        """The calls that multiply by weights: the depth of the network is counted in these."""
        return tuple(layer for layer in self.layers if layer.weighted)


def measured_signal(model: nn.Module, scalar: Callable[[], Tensor]) -> Signal:
    """Run ``scalar`` once, watch every leaf module, and differentiate the number it returns.

    Args:
        model: Any module. It comes back without hooks and with the gradients it had; put it in the
            mode you mean. Functions called inside ``forward`` (``F.relu``) are not seen.
        scalar: Calls the model and returns one number, such as the loss of a batch.

    Costs a forward and a backward pass. Layers through which no derivative flows have ``backward``
    None.

    Example:
        >>> model = nn.Sequential(nn.Linear(2, 2, bias=False), nn.ReLU())
        >>> _ = nn.init.eye_(model[0].weight)
        >>> x = torch.tensor([[3.0, -4.0]])
        >>> found = measured_signal(model, lambda: model(x).sum())
        >>> [(h.forward, round(h.backward, 9)) for h in found.layers]  # 25/2 and 1/2; 9/2 and 1
        [(12.5, 0.5), (4.5, 1.0)]
    """
    watch = _Watch(model)
    try:
        with torch.enable_grad():
            value = scalar()
            if not isinstance(value, Tensor) or value.numel() != 1:
                shape = tuple(value.shape) if isinstance(value, Tensor) else type(value).__name__
                raise InputError(f"scalar must return one number, got {shape}")
            _differentiate(model, value, watch.layers)
    finally:
        watch.stop()
    if not watch.layers:
        raise NotApplicableError("no layer of the module returned a tensor of real numbers")
    return Signal(tuple(watch.layers), float(value.detach()))


def random_projection(output: Float[Tensor, "n ..."], *, rng: Generator) -> Float[Tensor, ""]:
    r"""The number :math:`\langle v,f\rangle` for independent signs :math:`v`.

    The squared derivative of it estimates that of all outputs at once: its mean over v is
    :math:`\|\partial f/\partial h\|_F^2`.

    Example:
        >>> random_projection(torch.tensor([[2.0]]), rng=torch.Generator()).abs().item()
        2.0
    """
    signs = torch.randint(0, 2, output.shape, generator=rng, device=rng.device) * 2 - 1
    return (output * signs.to(output)).sum()


def matrix_weight(module: nn.Module) -> Tensor | None:
    """The weight of a module if it is a matrix or a convolution kernel, else None."""
    weight = getattr(module, "weight", None)
    if isinstance(module, nn.Embedding | nn.EmbeddingBag):
        return None
    return weight if isinstance(weight, Tensor) and weight.dim() >= 2 else None


class _Watch:
    """Forward hooks on all leaf modules; what they see goes into ``layers``."""

    def __init__(self, model: nn.Module) -> None:
        self.layers: list[LayerSignal] = []
        self.calls: dict[str, int] = {}
        self.last: Tensor | None = None  # output of the call before
        leaves = [(n or "(model)", m) for n, m in model.named_modules() if not [*m.children()]]
        self.handles = [m.register_forward_hook(self._hook(name)) for name, m in leaves]

    def _hook(self, name: str) -> Callable[[nn.Module, Any, Any], None]:
        def see(module: nn.Module, inputs: Any, output: Any) -> None:
            h, x = _tensor(output), _tensor(inputs)
            if h is not None:
                self._note(name, module, x, h)

        return see

    def _note(self, name: str, module: nn.Module, x: Tensor | None, h: Tensor) -> None:
        self.calls[name] = count = self.calls.get(name, 0) + 1
        weight = matrix_weight(module)
        layer = LayerSignal(
            name=name if count == 1 else f"{name}#{count}",
            module=module,
            follows=x is not None and x is self.last,
            width=max(1, h.numel() // max(1, len(h) if h.dim() else 1)),
            forward=_mean_square(h),
            incoming=math.nan if x is None else _mean_square(x),
            similarity=_similarity(h.detach()),
            weight=None if weight is None else float(weight.detach().norm()),
            dead=_dead(module, h.detach()),
            saturated=_saturated(module, h.detach()),
        )
        if h.requires_grad:

            def see_gradient(g: Tensor) -> None:
                layer.backward = _mean_square(g)

            h.register_hook(see_gradient)
        self.layers.append(layer)
        self.last = h

    def stop(self) -> None:
        for handle in self.handles:
            handle.remove()
        self.last = None


def _differentiate(model: nn.Module, value: Tensor, layers: Sequence[LayerSignal]) -> None:
    """Run the backward pass; the hooks note it, and ``.grad`` of the parameters is left alone."""
    parameters = [p for p in model.parameters() if p.requires_grad]
    if not value.requires_grad or not parameters:
        return
    gradients = torch.autograd.grad(value, parameters, allow_unused=True)
    lengths = {id(p): g for p, g in zip(parameters, gradients, strict=True) if g is not None}
    for layer in layers:
        gradient = lengths.get(id(matrix_weight(layer.module)))
        layer.gradient = None if gradient is None else float(gradient.norm())


def _tensor(value: Any) -> Tensor | None:
    """The first tensor of real numbers in a structure."""
    if isinstance(value, Tensor):
        return value if value.is_floating_point() and value.numel() else None
    parts = value.values() if isinstance(value, Mapping) else value
    if isinstance(value, Mapping | list | tuple):
        return next((t for t in map(_tensor, parts) if t is not None), None)
    return None


def _mean_square(t: Tensor) -> float:
    return float(torch.linalg.vector_norm(t.detach().cpu(), dtype=torch.float64)) ** 2 / t.numel()


def _similarity(h: Tensor) -> float:
    """Mean cosine over pairs of samples, from the mean of the directions: no pair is formed."""
    n = len(h) if h.dim() > 1 else 1
    if n < 2:
        return math.nan
    rows = h.reshape(n, -1).to(torch.promote_types(h.dtype, torch.float32))
    lengths = rows.norm(dim=1, keepdim=True)
    sums = float((rows / lengths.clamp_min(torch.finfo(rows.dtype).tiny)).sum(dim=0).square().sum())
    alive = int((lengths > 0).sum())
    return (sums - alive) / (alive * (alive - 1)) if alive > 1 else math.nan


def _units(h: Tensor) -> Tensor:
    """One column per unit: channels of an image, else the last axis."""
    if h.dim() >= 4:
        return h.transpose(0, 1).reshape(h.shape[1], -1).T
    return h.reshape(-1, h.shape[-1]) if h.dim() else h.reshape(1, 1)


def _dead(module: nn.Module, h: Tensor) -> float | None:
    if not isinstance(module, _ZERO_BELOW):
        return None
    return float((_units(h) == 0).all(dim=0).cpu().double().mean())


def _saturated(module: nn.Module, h: Tensor) -> float | None:
    """By the derivative as a function of the value: 1 - y² and 4 y (1 - y)."""
    if isinstance(module, nn.Tanh):
        slope = 1 - h.square()
    elif isinstance(module, nn.Sigmoid):
        slope = 4 * h * (1 - h)
    elif isinstance(module, nn.Hardtanh) and not isinstance(module, nn.ReLU6):
        slope = ((h > module.min_val) & (h < module.max_val)).cpu().double()
    else:
        return None
    return float((slope < 0.01).cpu().double().mean())
