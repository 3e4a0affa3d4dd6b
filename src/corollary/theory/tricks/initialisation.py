r"""How large the first weights should be.

For independent centred weights of variance :math:`\sigma^2` in an :math:`m\times n` layer, and
uncorrelated inputs of mean 0, forward variances are multiplied by :math:`n\sigma^2` and backward
ones by :math:`m\sigma^2`:

========  ===========================  =======================================================
LeCun     :math:`1/\sqrt n`            keeps the forward variance
Xavier    :math:`\sqrt{2/(n+m)}`       forward :math:`2n/(n+m)`, backward :math:`2m/(n+m)`
Kaiming   :math:`\sqrt{2/n}`           keeps mean squares through ReLU, which halves them
========  ===========================  =======================================================

:source: Perez Jensen (2025), Deep Learning, Section 8.1; Lucchi (2025), Foundations of Deep
    Learning, Sections 6.2.3 and 6.3; LeCun, Bottou, Orr and Müller (1998), "Efficient backprop";
    Glorot and Bengio (2010), "Understanding the difficulty of training deep feedforward neural
    networks"; He, Zhang, Ren and Sun (2015), "Delving deep into rectifiers".
"""

import math
from typing import Literal, NamedTuple

from corollary.errors import InputError

Nonlinearity = Literal["linear", "relu"]


class Gains(NamedTuple):
    """What a random layer multiplies variances by."""

    forward: float
    backward: float


def lecun_std(n: int) -> float:
    r"""The standard deviation :math:`1/\sqrt n` for n inputs.

    Example:
        >>> lecun_std(16)
        0.25
    """
    _check_fans(n, 1)
    return 1 / math.sqrt(n)


def xavier_std(n: int, m: int, gain: float = 1.0) -> float:
    r"""The standard deviation :math:`g\sqrt{2/(n+m)}` for n inputs and m outputs.

    Example:
        >>> xavier_std(6, 2)
        0.5
    """
    _check_fans(n, m)
    return gain * math.sqrt(2 / (n + m))


def kaiming_std(n: int, nonlinearity: Nonlinearity = "relu", slope: float = 0.0) -> float:
    r"""The standard deviation :math:`\sqrt{2/((1+s^2)n)}` before (leaky) ReLU, else LeCun's.

    For centred normal z, :math:`\mathbb E(z)_+^2=\frac12\operatorname{Var}z`, and a slope s on the
    negative side adds :math:`\frac{s^2}2\operatorname{Var}z`.

    Example:
        >>> kaiming_std(8), kaiming_std(4, "linear")
        (0.5, 0.5)
    """
    _check_fans(n, 1)
    if nonlinearity not in ("linear", "relu"):
        raise InputError(f"nonlinearity must be linear or relu, got {nonlinearity!r}")
    return 1 / math.sqrt(n) if nonlinearity == "linear" else math.sqrt(2 / ((1 + slope**2) * n))


def layer_gains(n: int, m: int, std: float) -> Gains:
    r"""Forward :math:`n\sigma^2` and backward :math:`m\sigma^2`.

    Example:
        >>> layer_gains(30, 10, xavier_std(30, 10))
        Gains(forward=1.5, backward=0.5)
    """
    _check_fans(n, m)
    return Gains(round(n * std**2, 15), round(m * std**2, 15))


def _check_fans(n: int, m: int) -> None:
    if n < 1 or m < 1:
        raise InputError(f"expected sizes of at least 1, got n={n}, m={m}")
