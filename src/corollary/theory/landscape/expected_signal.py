r"""The signal that mean-field theory expects of a given module, layer by layer.

Each weight of a module counts by its second moment alone, as if its entries were independent and
centred, and each activation sees normal numbers. Forward, a layer multiplies the mean square of
what comes in; backward, it multiplies the squared length of the derivative:

==================  ============================================  ===============================
layer               mean square of the output                     squared length one layer back
==================  ============================================  ===============================
weights, fan-in d   :math:`d\,\overline{w^2}\,q+\overline{b^2}`   times :math:`d\,\overline{w^2}`
activation          :math:`\mathbb E\,\phi(\sqrt qz)^2`           times
                                                                  :math:`\mathbb E\,\phi'^2`
layer norm          :math:`\overline{\gamma^2}+\overline{b^2}`    times
                                                                  :math:`\overline{\gamma^2}/q`
==================  ============================================  ===============================

Zero padding of convolutions is ignored, so their borders are overestimated.

:source: Poole et al. (2016), "Exponential expressivity in deep neural networks through transient
    chaos"; Schoenholz et al. (2017), "Deep information propagation"; He, Zhang, Ren and Sun (2015),
    "Delving deep into rectifiers", Section 2.2.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Generator, Tensor, nn

from corollary.errors import InputError, NotApplicableError
from corollary.theory.landscape.mean_field import second_moment, squared_slope
from corollary.theory.landscape.signal import LayerSignal, Signal, matrix_weight, measured_signal
from corollary.theory.modules.keeping import kept

Scheme = Literal["xavier", "he", "lecun", "orthogonal"]
SCHEMES: tuple[Scheme, ...] = ("xavier", "he", "lecun", "orthogonal")
_POINTWISE = (
    nn.ReLU,
    nn.ReLU6,
    nn.LeakyReLU,
    nn.ELU,
    nn.CELU,
    nn.SELU,
    nn.GELU,
    nn.SiLU,
    nn.Mish,
    nn.Tanh,
    nn.Sigmoid,
    nn.Softplus,
    nn.Softsign,
    nn.Hardtanh,
    nn.Hardswish,
    nn.Hardsigmoid,
    nn.LogSigmoid,
)
_PASSING = (nn.Identity, nn.Flatten, nn.Unflatten)
_WEIGHTED = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d)


@dataclass(frozen=True)
class Expected:
    """What theory expects of one call; letters and names as in the measured signal."""

    name: str
    forward: float  # mean square of the output's entries
    backward: float  # mean square of the derivative, given that of the last layer


def expected_signal(signal: Signal) -> tuple[Expected, ...]:
    """Mean-field numbers beside the measured ones, from the input of the first layer on.

    Args:
        signal: As measured: its modules give weights and activations, its first input the start
            of the forward numbers, its last derivative the start of the backward numbers.

    Raises:
        NotApplicableError: if the calls are not one chain, or a layer has no rule; named by path.

    Example:
        >>> model = nn.Sequential(nn.Linear(2, 2, bias=False), nn.ReLU())
        >>> _ = nn.init.eye_(model[0].weight)
        >>> x = torch.tensor([[3.0, -4.0]])
        >>> found = expected_signal(measured_signal(model, lambda: model(x).sum()))
        >>> [(round(h.forward, 9), round(h.backward, 9)) for h in found]
        [(12.5, 0.5), (6.25, 1.0)]
    """
    for before, layer in zip(signal.layers, signal.layers[1:], strict=False):
        if not layer.follows:
            raise NotApplicableError(
                f"mean-field rules need a chain of layers, but the input of '{layer.name}' is not "
                f"the output of '{before.name}'"
            )
    forward, factors, q = [], [], signal.layers[0].incoming
    for layer in signal.layers:
        q, factor = _rule(layer, q)
        forward.append(q)
        factors.append(factor)
    last = signal.layers[-1]
    length = math.nan if last.backward is None else last.backward * last.width
    lengths = [length]
    for factor in factors[:0:-1]:
        lengths.append(lengths[-1] * factor)
    return tuple(
        Expected(layer.name, f, b / layer.width)
        for layer, f, b in zip(signal.layers, forward, lengths[::-1], strict=True)
    )


def compare_starts(
    model: nn.Module,
    scalar: Callable[[], Tensor],
    schemes: tuple[Scheme, ...] = SCHEMES,
    *,
    rng: Generator,
) -> dict[Scheme, Signal]:
    """The signal under each initialisation of the weight matrices; the model comes back unchanged.

    Example:
        >>> model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64))
        >>> x = torch.randn(32, 64, generator=torch.Generator().manual_seed(0))
        >>> found = compare_starts(model, lambda: model(x).sum(), rng=torch.Generator())
        >>> found["xavier"].layers[-1].forward < found["he"].layers[-1].forward
        True
    """
    found = {}
    for scheme in schemes:
        with restarted(model, scheme, rng=rng):
            found[scheme] = measured_signal(model, scalar)
    return found


@contextmanager
def restarted(model: nn.Module, scheme: Scheme, *, rng: Generator) -> Iterator[None]:
    r"""Inside the block, weight matrices are drawn anew and their biases are 0.

    Variances are :math:`2/(d_{in}+d_{out})` (``xavier``), :math:`2/d_{in}` (``he``) and
    :math:`1/d_{in}` (``lecun``); ``orthogonal`` has orthonormal rows or columns.
    """
    if scheme not in SCHEMES:
        raise InputError(f"scheme must be one of {', '.join(SCHEMES)}, got {scheme!r}")
    with kept(model):
        with torch.no_grad():
            for module in model.modules():
                _draw(module, scheme, rng)
        yield


def _draw(module: nn.Module, scheme: Scheme, rng: Generator) -> None:
    weight = matrix_weight(module)
    if weight is None:
        return
    if scheme == "xavier":
        nn.init.xavier_normal_(weight, generator=rng)
    elif scheme == "orthogonal":
        nn.init.orthogonal_(weight, generator=rng)
    else:
        kind: Literal["relu", "linear"] = "relu" if scheme == "he" else "linear"
        nn.init.kaiming_normal_(weight, nonlinearity=kind, generator=rng)
    bias = getattr(module, "bias", None)
    if isinstance(bias, Tensor):
        bias.zero_()


def _rule(layer: LayerSignal, q: float) -> tuple[float, float]:
    """Mean square of the output, and the factor of the derivative's squared length."""
    module = layer.module
    if isinstance(module, _WEIGHTED):
        weight = module.weight.detach().double()
        gain = weight[0].numel() * float(weight.square().mean())
        return gain * q + _mean_square(module.bias), gain
    if isinstance(module, _POINTWISE):
        return second_moment(module, q), squared_slope(module, q)
    if isinstance(module, _PASSING) or (isinstance(module, nn.Dropout) and not module.training):
        return q, 1.0
    if isinstance(module, nn.LayerNorm):
        gain = 1.0 if module.weight is None else _mean_square(module.weight)
        return gain + _mean_square(module.bias), gain / (q + module.eps)
    raise NotApplicableError(
        f"there is no mean-field rule for '{layer.name}' (type {type(module).__name__}); compare "
        "the measured values with each other instead"
    )


def _mean_square(t: Tensor | None) -> float:
    return 0.0 if t is None else float(t.detach().double().square().mean())
