r"""Dense associative memory: energies of higher order hold more patterns.

.. math:: E(X) = -\sum_{t=1}^K F(\langle x_t, X \rangle), \qquad F(z) = z^p \text{ or } e^z

Neuron :math:`i` takes the sign with the lower energy, the sign of

.. math:: D_i = \sum_t \Big[ F\big(x_{t,i} + \textstyle\sum_{j \ne i} x_{t,j} X_j\big)
    - F\big({-x_{t,i}} + \sum_{j \ne i} x_{t,j} X_j\big) \Big],

so the energy never rises. With :math:`M_t = \langle x_t, X \rangle` and
:math:`G(z) = F(z+1) - F(z-1)`, sorting the patterns by whether they agree with :math:`X_i` gives

.. math:: 2 D_i = \sum_t x_{t,i} \big[ G(M_t - 1) + G(M_t + 1) \big]
    + X_i \sum_t \big[ G(M_t - 1) - G(M_t + 1) \big],

one matrix product for all neurons. :math:`p = 2` is Hopfield's network: :math:`D = 4 n h`.

:source: Perez Jensen (2025), Deep Learning, Section 1.4; Krotov and Hopfield (2016), "Dense
    associative memory for pattern recognition"; Demircigil, Heusel, Löwe, Upgang and Vermet
    (2017), "On a model of associative memory with huge storage capacity".
:covers: dense-associative-memory
"""

import math

import torch
from jaxtyping import Float
from scipy.special import erfc, factorial2
from torch import Tensor

from corollary.errors import InputError


def checked_power(power: int | None) -> int | None:
    """Give back ``power`` if it is ``None`` (the exponential) or a whole number from 2 on."""
    whole = power is None or (isinstance(power, int) and not isinstance(power, bool))
    if not whole or (power is not None and power < 2):
        raise InputError(f"power must be a whole number of at least 2, got {power!r}")
    return power


def dense_energy(
    patterns: Float[Tensor, "K n"], X: Float[Tensor, "*batch n"], power: int | None
) -> Float[Tensor, "*batch"]:
    r"""The energy :math:`-\sum_t F(\langle x_t, X\rangle)`; ``power=None`` is :math:`F = \exp`.

    Example:
        >>> x = torch.tensor([[1.0, 1.0, 1.0]])
        >>> dense_energy(x, x, 3).tolist()
        [-27.0]
    """
    M = X @ patterns.mT
    p = checked_power(power)
    F = M.exp() if p is None else M**p
    return -F.sum(-1)


def dense_field(
    patterns: Float[Tensor, "K n"], X: Float[Tensor, "*batch n"], power: int | None
) -> Float[Tensor, "*batch n"]:
    r"""The preference :math:`D_i` of every neuron for +1, :math:`O(Kn)` a state.

    For :math:`F = \exp` it is given relative to the largest term, which keeps its sign and avoids
    overflow. For powers sums of whole numbers below :math:`2^{53}` are exact in float64.

    Example:
        >>> x = torch.tensor([[1.0, 1.0, 1.0]])
        >>> dense_field(x, torch.tensor([1.0, 1.0, -1.0]), 2).tolist()  # 4 n h of Hopfield
        [0.0, 0.0, 8.0]
    """
    M = X @ patterns.mT  # (..., K)
    if checked_power(power) is None:
        M = M - M.amax(-1, keepdim=True)
    below, above = _gain(M - 1, power), _gain(M + 1, power)
    return 0.5 * ((below + above) @ patterns + X * (below - above).sum(-1, keepdim=True))


def _gain(z: Tensor, power: int | None) -> Tensor:
    """What one more agreement is worth, ``F(z + 1) - F(z - 1)``."""
    if power is None:
        return 2 * math.sinh(1) * torch.exp(z)
    return (z + 1) ** power - (z - 1) ** power


def dense_bit_error(n: int, K: float | int, power: int) -> float:
    r"""Probability :math:`\frac12\operatorname{erfc}\sqrt{n^{p-1} / (2K(2p-3)!!)}` of a wrong bit.

    For :math:`K` random patterns and large :math:`n`.

    Example:
        >>> round(dense_bit_error(100, 30, 2), 4)  # Hopfield at load 0.3
        0.0339
    """
    checked_power(power)
    return 0.5 * float(erfc(math.sqrt(n ** (power - 1) / (2 * K * factorial2(2 * power - 3)))))


def dense_capacity(n: int, power: int) -> float:
    r"""Patterns recalled without a wrong bit, :math:`n^{p-1} / (2 (2p-3)!! \ln n)`.

    Example:
        >>> round(dense_capacity(1000, 2)), round(dense_capacity(1000, 3))
        (72, 24127)
    """
    checked_power(power)
    patterns: float = n ** (power - 1) / (2 * float(factorial2(2 * power - 3)) * math.log(n))
    return patterns
