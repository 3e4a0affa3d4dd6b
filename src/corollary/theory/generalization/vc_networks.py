r"""The VC dimension of networks with piecewise linear units.

A fully connected ReLU network with W parameters, :math:`k_i` units in layer i of L, and
:math:`W_i` parameters in the layers up to i has at most

.. math:: \prod_{i=1}^L2\Bigl(\frac{2em\,k_i\,i}{W_i}\Bigr)^{W_i}

labelings of :math:`m\ge\sum_iW_i` points, hence with :math:`R=\sum_ii\,k_i\ge3`

.. math:: \operatorname{VCdim}\le L+\Bigl(\sum_iW_i\Bigr)\log_2\bigl(4eR\log_2(2eR)\bigr)
   =O(WL\log W),

and some networks reach :math:`\Omega(WL\log(W/L))`. The number of samples for a given gap grows *in
proportion* to it. For the six networks of Table 1 the constants above give 15 to 109 million where
the table has 26 to 187 million, each 1.7 times as much; at 55,000 samples only the order matters.

:source: Lucchi (2025), Foundations of Deep Learning, Section 8.3 and Table 1; Bartlett, Harvey,
    Liaw and Mehrabian (2019), "Nearly-tight VC-dimension and pseudodimension bounds for piecewise
    linear neural networks", Theorem 7 with one breakpoint and degree 1.
:covers: vc-neural-networks
:erratum: [wrong] Section 8.3 says that the number of points for a small gap scales inversely
    proportionally to O(WL log W); it scales proportionally: for a gap of 0.1 at delta = 0.05 the
    bound asks for 8.6 million points at dimension 1000 and for 86 million at dimension 10000.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from corollary.errors import InputError
from corollary.theory.generalization.conditions import Number
from corollary.theory.generalization.vc import vc_dimension_deviation, vc_samples

TABLE_1 = {  # hidden widths, parameters and VC dimension in millions as printed
    "T-600": ((600,), 471_601, 26),
    "T-1200": ((1200,), 943_201, 56),
    "T-300^2": ((300, 300), 326_101, 26),
    "T-600^2": ((600, 600), 832_201, 66),
    "T-1200^2": ((1200, 1200), 2_384_401, 187),
    "T-600^3": ((600, 600, 600), 1_192_801, 121),
}


class Vacuity(NamedTuple):
    """What a VC bound says about a network trained on n samples."""

    parameters: int
    dimension: float  # upper bound
    deviation: float  # of the risk from the training error, at n; infinite below n = dimension / 2
    needed: int  # samples for a deviation of eps
    vacuous: bool  # the bound at n is 1 or more

    def __repr__(self) -> str:
        says = "vacuous" if self.vacuous else "not vacuous"
        return (
            f"VC bound of {self.parameters} parameters: dimension at most {self.dimension:.4g}, "
            f"deviation {self.deviation:.4g} ({says}); {self.needed} samples would be needed"
        )


def relu_vc_upper(widths: Sequence[int]) -> float:
    r"""The upper bound for the network with these widths, input first and one output last.

    Biases are counted as parameters.

    Example:
        >>> round(relu_vc_upper([784, 600, 1]) / 1e6, 1)  # 26 in the table of the notes
        15.3
    """
    counts = parameters_up_to(widths)
    units = widths[1:]
    R = sum(i * k for i, k in enumerate(units, start=1))
    if R < 3:
        raise InputError(f"the bound needs sum_i i k_i >= 3 units, but the widths are {widths}")
    L = len(units)
    return L + sum(counts) * math.log2(4 * math.e * R * math.log2(2 * math.e * R))


def relu_log2_growth(widths: Sequence[int], m: int) -> float:
    r"""The bound on the number of labelings of m points, as a logarithm to base 2.

    Never more than m; for fewer than :math:`\sum_iW_i` points nothing is excluded.

    Example:
        >>> relu_log2_growth([2, 3, 1], 10)
        10.0
    """
    counts = parameters_up_to(widths)
    if m < 1:
        raise InputError(f"m >= 1 points are needed, got m={m}")
    if m < sum(counts):
        return float(m)
    layers = enumerate(zip(widths[1:], counts, strict=True), start=1)
    total = sum(1 + W * math.log2(2 * math.e * m * k * i / W) for i, (k, W) in layers)
    return min(float(m), total)


def vc_order(W: int, L: int) -> float:
    r"""The order of magnitude :math:`WL\log_2W`, without constants.

    Example:
        >>> round(vc_order(471_601, 2) / 1e6, 1)
        17.8
    """
    if W < 2 or L < 1:
        raise InputError(f"W >= 2 parameters and L >= 1 layers are needed, got W={W}, L={L}")
    return W * L * math.log2(W)


def parameters_up_to(widths: Sequence[int]) -> list[int]:
    """How many weights and biases the layers up to each one have.

    Example:
        >>> parameters_up_to([784, 600, 1])
        [471000, 471601]
    """
    if len(widths) < 2 or min(widths) < 1:
        raise InputError(f"expected widths from the input to the output, each >= 1, got {widths}")
    total, out = 0, []
    for a, b in zip(widths, widths[1:], strict=False):
        total += (a + 1) * b
        out.append(total)
    return out


def vacuity(widths: Sequence[int], n: int, delta: Number = 0.05, *, eps: Number = 0.1) -> Vacuity:
    """Whether the VC bound says anything about a ReLU network trained on n samples.

    Example:
        >>> report = vacuity([784, 600, 1], 55_000)
        >>> report.vacuous, report.deviation, report.needed > 1e11
        (True, inf, True)
    """
    h = relu_vc_upper(widths)
    deviation = vc_dimension_deviation(h, n, delta) if 2 * n >= h else math.inf
    needed = vc_samples(eps, delta, h)
    return Vacuity(parameters_up_to(widths)[-1], h, deviation, needed, deviation >= 1)
