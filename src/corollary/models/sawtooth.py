r"""The tent map and its iterates as ReLU networks.

.. math:: \Delta(x) = 2(x)_+ - 4(x - \tfrac12)_+ + 2(x - 1)_+
                    = \big(2(x)_+ - 4(x - \tfrac12)_+\big)_+

Three units in one hidden layer, or two and one in two. Composed k times either form has 3k
rectifiers and :math:`2^k` pieces on [0, 1]. All weights are dyadic, so values at dyadic points are
exact.

:source: Lucchi (2025), Foundations of Deep Learning, Section 4.2.1 and Figures 4.3 and 4.4;
    Mathematical Foundations of Deep Learning (slides), Telgarsky's Theorem; Telgarsky (2016),
    "Benefits of depth in neural networks".
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import torch
from torch import nn

from corollary.errors import InputError

Form = Literal["three_units", "two_layer"]


def tent(form: Form = "three_units", *, dtype: torch.dtype = torch.float64) -> nn.Sequential:
    """The tent map ``1 -> 3 -> 1`` or ``1 -> 2 -> 1``, rectified.

    Example:
        >>> x = torch.tensor([[-1.0], [0.25], [0.5], [0.75], [2.0]], dtype=torch.float64)
        >>> tent("two_layer")(x).flatten().tolist()
        [0.0, 0.5, 1.0, 0.5, 0.0]

    :covers: tent-map
    """
    return sawtooth(1, form, dtype=dtype)


def sawtooth(
    k: int, form: Form = "three_units", *, dtype: torch.dtype = torch.float64
) -> nn.Sequential:
    """The tent map composed k times, with 3k rectifiers.

    ``three_units`` has k hidden layers of width 3; what one tent sums, the next takes in.
    ``two_layer`` has 2k layers of width 2 and 1, and no linear output: the last rectifier is it.
    The slides count 3k + 1 nodes, with the input (or a linear output) as one.

    Example:
        >>> net = sawtooth(3)
        >>> relu_count(net), net(torch.arange(9).double()[:, None] / 8).flatten().tolist()
        (9, [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0])

    :covers: sawtooth-composition
    """
    if not 1 <= k <= 40:
        raise InputError(f"the tent map can be composed 1 to 40 times, got k={k}")
    layers: list[nn.Module] = []
    if form == "three_units":
        ones, bends, sums = [[1.0]] * 3, [0.0, -0.5, -1.0], [[2.0, -4.0, 2.0]]
        for i in range(k):
            layers += [_linear(ones if i == 0 else sums * 3, bends, dtype), nn.ReLU()]
        return nn.Sequential(*layers, _linear(sums, [0.0], dtype))
    if form == "two_layer":
        for _ in range(k):
            layers += [_linear([[1.0], [1.0]], [0.0, -0.5], dtype), nn.ReLU()]
            layers += [_linear([[2.0, -4.0]], [0.0], dtype), nn.ReLU()]
        return nn.Sequential(*layers)
    raise InputError(f"expected form to be 'three_units' or 'two_layer', got {form!r}")


def telgarsky_network(L: int) -> nn.Sequential:
    r"""The network :math:`\Delta^{L^2+2}`: :math:`3L^2+6` rectifiers in :math:`2L^2+4` layers.

    Example:
        >>> net = telgarsky_network(2)
        >>> relu_count(net), depth(net)
        (18, 12)

    :source: Lucchi (2025), Foundations of Deep Learning, Theorem 30.
    """
    if L < 1:
        raise InputError(f"L must be at least 1, got {L}")
    return sawtooth(L**2 + 2, "two_layer")


def tooth_follower(k: int, m: int) -> nn.Sequential:
    r"""One hidden layer that follows the first teeth of :math:`\Delta^k` and then rests at 1/2.

    With m units it has m pieces on [0, 1]: m - 1 flanks (half of the last one) and the level 1/2.
    What is left, :math:`(1 - (m - 3/2)/2^k)/4`, is the least :math:`L^1` error known to us for m
    units.

    Example:
        >>> net = tooth_follower(3, 3)
        >>> net(torch.tensor([[0.125], [0.1875], [1.0]], dtype=torch.float64)).flatten().tolist()
        [1.0, 0.5, 0.5]
    """
    if not 2 <= m <= 2**k:
        raise InputError(f"m must be between 2 and 2^k = {2**k}, got {m}")
    side = 2.0**k
    at = [i / side for i in range(m - 1)] + [(m - 1.5) / side]
    slopes = [side * (-1) ** i for i in range(m - 1)] + [0.0]
    steps = [b - a for a, b in zip([0.0, *slopes], slopes, strict=False)]
    return shallow_relu(at, steps)


def shallow_relu(at: Sequence[float], steps: Sequence[float]) -> nn.Sequential:
    r"""The function :math:`\sum_i c_i (x - a_i)_+` as a network ``1 -> m -> 1``.

    Example:
        >>> shallow_relu([0.0, 1.0], [1.0, -1.0])(torch.tensor([[3.0]]).double()).item()
        1.0
    """
    if len(at) != len(steps) or not at:
        raise InputError(f"expected one step per bend, got {len(steps)} steps for {len(at)} bends")
    first = _linear([[1.0]] * len(at), [-a for a in at], torch.float64)
    return nn.Sequential(first, nn.ReLU(), _linear([list(steps)], [0.0], torch.float64))


def relu_count(model: nn.Sequential) -> int:
    """Rectified units of a chain of linear layers.

    Example:
        >>> relu_count(tent("two_layer"))
        3
    """
    return sum(layer.out_features for layer in _rectified(model))


def depth(model: nn.Sequential) -> int:
    """Rectified layers of a chain of linear layers.

    Example:
        >>> depth(tent("two_layer")), depth(tent())
        (2, 1)
    """
    return len(_rectified(model))


def _rectified(model: nn.Sequential) -> list[nn.Linear]:
    pairs = pairwise(model)
    return [a for a, b in pairs if isinstance(a, nn.Linear) and isinstance(b, nn.ReLU)]


def _linear(w: list[list[float]], b: list[float], dtype: torch.dtype) -> nn.Linear:
    layer = nn.Linear(len(w[0]), len(w), dtype=dtype)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor(w, dtype=dtype))
        layer.bias.copy_(torch.tensor(b, dtype=dtype))
    return layer
