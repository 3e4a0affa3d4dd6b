"""The entrywise functions of torch that bend: values, derivatives, and where they do."""

import math

import torch
from torch import Tensor
from torch.nn import functional as F

from corollary.theory.robustness.certificates.periodic import Periodic, cosine, sine
from corollary.theory.robustness.certificates.smooth import Scalar, Smooth


def _constant(c: float) -> Scalar:
    return lambda x: torch.full_like(x, c)


def _s_shaped(value: Scalar, slope: Scalar) -> Smooth:
    return Smooth(value, slope, bends=(0.0,), curvature=(1, -1))


def _normal_density(x: Tensor) -> Tensor:
    return torch.exp(-x.square() / 2) / math.sqrt(2 * math.pi)


def _gelu_slope(x: Tensor) -> Tensor:
    slope: Tensor = torch.special.ndtr(x) + x * _normal_density(x)
    return slope


def _tanh_gelu(x: Tensor) -> Tensor:
    return F.gelu(x, approximate="tanh")


def _tanh_gelu_slope(x: Tensor) -> Tensor:
    c = math.sqrt(2 / math.pi)
    t = torch.tanh(c * (x + 0.044715 * x**3))
    return (1 + t) / 2 + x * (1 - t**2) / 2 * c * (1 + 3 * 0.044715 * x.square())


def _silu_slope(x: Tensor) -> Tensor:
    s = torch.sigmoid(x)
    return s + x * s * (1 - s)


def _sigmoid_slope(x: Tensor) -> Tensor:
    s = torch.sigmoid(x)
    return s * (1 - s)


def _mish_slope(x: Tensor) -> Tensor:
    t = F.softplus(x).tanh()
    return t + x * torch.sigmoid(x) * (1 - t.square())


_SILU = 2.3993572805154675  # where the second derivatives vanish, to the last digit
_TANH_GELU = 1.4185040087908283
_MISH = (-2.2563763963607931, 1.4905711794854285)
tanh_gelu = Smooth(
    _tanh_gelu, _tanh_gelu_slope, (-_TANH_GELU, _TANH_GELU), (-1, 1, -1), rising=False
)


def softplus(beta: float, threshold: float = 20.0) -> Smooth:
    """log(1 + exp(beta x)) / beta, which torch replaces by x beyond the threshold.

    Example:
        >>> round(softplus(1.0).slope(torch.zeros(())).item(), 3)
        0.5
    """

    def value(x: Tensor) -> Tensor:
        return torch.logaddexp(torch.zeros_like(x), beta * x) / beta

    slack = math.exp(-threshold) / beta
    return Smooth(value, lambda x: torch.sigmoid(beta * x), (), (1,), slack=slack)


def elu(alpha: float, scale: float = 1.0, input_scale: float = 1.0) -> Smooth:
    r"""``scale`` times x above 0 and alpha (exp(``input_scale`` x) - 1) below.

    SELU and CELU are such functions; with ``alpha * input_scale > 1`` there is a concave corner.

    Example:
        >>> elu(0.5).slope(torch.tensor([-0.0, 1.0])).tolist()
        [0.5, 1.0]
    """

    def value(x: Tensor) -> Tensor:
        out: Tensor = torch.ops.aten.elu(x, alpha, scale, input_scale)
        return out

    def below(x: Tensor) -> Tensor:
        return scale * alpha * input_scale * (input_scale * x.clamp_max(0)).exp()

    return Smooth(value, (below, _constant(scale)), (0.0,), (1, 1))


def softshrink(cut: float) -> Smooth:
    """X moved towards 0 by ``cut``, and 0 where it would pass it.

    Example:
        >>> softshrink(0.5).value(torch.tensor([-2.0, 0.25])).tolist()
        [-1.5, 0.0]
    """
    slopes = (_constant(1.0), _constant(0.0), _constant(1.0))
    return Smooth(lambda x: F.softshrink(x, cut), slopes, (-cut, cut), (1, 1, 1), rising=False)


CURVES: dict[str, Smooth | Periodic] = {
    "sigmoid": _s_shaped(torch.sigmoid, _sigmoid_slope),
    "tanh": _s_shaped(torch.tanh, lambda x: 1 - x.tanh().square()),
    "erf": _s_shaped(torch.erf, lambda x: 2 / math.sqrt(math.pi) * torch.exp(-x.square())),
    "softsign": _s_shaped(F.softsign, lambda x: (1 + x.abs()) ** -2),
    "gelu": Smooth(F.gelu, _gelu_slope, (-math.sqrt(2), math.sqrt(2)), (-1, 1, -1), False),
    "silu": Smooth(F.silu, _silu_slope, (-_SILU, _SILU), (-1, 1, -1), False),
    "mish": Smooth(F.mish, _mish_slope, _MISH, (-1, 1, -1), False),
    "exp": Smooth(torch.exp, torch.exp, (), (1,)),
    "log_sigmoid": Smooth(F.logsigmoid, lambda x: torch.sigmoid(-x), (), (-1,)),
    "selu": elu(1.6732632423543772, 1.0507009873554805),  # torch's constants, in double precision
    "hardswish": Smooth(
        F.hardswish,
        (_constant(0.0), lambda x: x / 3 + 0.5, _constant(1.0)),
        (-3.0, 3.0),
        (1, 1, 1),
        False,
    ),
    "hardsigmoid": Smooth(
        F.hardsigmoid,
        (_constant(0.0), _constant(1 / 6), _constant(0.0)),
        (-3.0, 3.0),
        (1, 1, 1),
        False,
    ),
    "sin": sine,
    "cos": cosine,
}
