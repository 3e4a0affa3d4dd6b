r"""A function as a network of infinite width: cosines, and thresholds.

With :math:`\hat f=|\hat f|e^{2\pi i\theta}`,

.. math:: f(x)=\int\cos(2\pi w\cdot x+2\pi\theta(w))\,|\hat f(w)|\,dw

and for :math:`\|x\|\le1`

.. math:: f(x)-f(0)=-2\pi\int\!\!\int_0^{\|w\|}\mathbb{1}[w\cdot x\ge b]\sin(2\pi b+2\pi\theta)
   |\hat f|\,db\,dw+2\pi\int\!\!\int_{-\|w\|}^0\mathbb{1}[w\cdot x\le b]\sin(2\pi b+2\pi\theta)
   |\hat f|\,db\,dw ,

a mixture of thresholds with a signed measure of mass at most :math:`4\pi C_f`. Everything here is
quadrature; :mod:`corollary.models.approximators.barron` draws from the same integrals.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 26 and (4.2)-(4.4); Barron (1993),
    Universal approximation bounds for superpositions of a sigmoidal function; Telgarsky (2021),
    Deep learning theory lecture notes.
"""

import math
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.approximation.distance import quadrature
from corollary.theory.prerequisites.wellformed import check_finite


@runtime_checkable
class Polar(Protocol):
    """A Fourier transform as modulus and phase."""

    @property
    def d(self) -> int:
        """Dimension."""

    def modulus(self, w: Tensor) -> Tensor:
        """The modulus at frequencies (n, d)."""

    def phase(self, w: Tensor) -> Tensor:
        """The phase at frequencies (n, d), in turns."""


def cosine_representation(
    f: Polar, x: Float[Tensor, "n d"], *, reach: float, panels: int = 32
) -> Float[Tensor, " n"]:
    r"""The integral of :math:`\cos(2\pi w\cdot x+2\pi\theta)|\hat f|` over the cube of frequencies.

    A product Gauss rule with :math:`(4\,\mathrm{panels})^d` points, so for d up to 3.

    Args:
        f: Modulus and phase of the transform.
        x: Points.
        reach: Half the side of the cube; beyond it the modulus should be negligible.
        panels: Along each axis.

    Example:
        >>> from corollary.theory.approximation.spectra import GaussianBump
        >>> bump = GaussianBump(torch.tensor([0.3], dtype=torch.float64), 0.5)
        >>> x = torch.tensor([[0.3], [0.8]], dtype=torch.float64)
        >>> [round(v, 9) for v in cosine_representation(bump, x, reach=3.0).tolist()]
        [1.0, 0.60653066]

    :covers: barron-cosine-representation
    :test: tests/theory/approximation/test_barron.py
    :erratum: [wrong] After (4.3) boundedness of f(x) - f(0) is concluded from ||x|| and
        ||w|| |fhat(w)| being bounded. The latter must be integrable. The box on [-1, 1/100) has
        |w| |fhat(w)| <= 1/pi, but f(0.02) - f(0) = -1 where 2 pi ||x|| / pi = 0.04. The middle term
        of (4.3) also lacks absolute values, since 2 pi w.x can be negative.
    """
    w, weight = _frequencies(f, reach, panels)
    turns = x @ w.T + f.phase(w)
    return torch.cos(2 * math.pi * turns) @ (f.modulus(w) * weight)


def increment_bound(C: float, x: Float[Tensor, "n d"]) -> Float[Tensor, " n"]:
    r"""The bound :math:`|f(x)-f(0)|\le2\pi\|x\|C_f`, with the constant in the ordinary convention.

    Example:
        >>> x = torch.tensor([[3.0, 4.0]], dtype=torch.float64)
        >>> (increment_bound(0.1, x) / math.pi).tolist()
        [1.0]
    """
    if not 0 <= C < math.inf:
        raise InputError(f"the bound needs a finite constant C >= 0, got C={C:g}")
    lengths: Tensor = x.norm(dim=1)
    return 2 * math.pi * C * lengths


def threshold_representation(
    f: Polar, x: Float[Tensor, "n d"], *, reach: float, panels: int = 48, strict: bool = True
) -> Float[Tensor, " n"]:
    r"""The double integral over frequencies and thresholds, for d up to 3.

    With :math:`b=\pm t\|w\|` the jump of the indicator is at :math:`t=|w\cdot x|/\|w\|`, where
    the rule for b has an edge.

    Args:
        f: Modulus and phase of the transform.
        x: Points of the unit ball.
        reach: Half the side of the cube of frequencies.
        panels: Along each axis of the frequencies.
        strict: Refuse points outside the ball, where the formula is not true.

    Example:
        >>> from corollary.theory.approximation.spectra import GaussianBump
        >>> bump = GaussianBump(torch.zeros(1, dtype=torch.float64), 0.5, (2 / math.pi) ** 0.5)
        >>> x = torch.tensor([[0.3], [-0.8]], dtype=torch.float64)
        >>> [round(v, 4) for v in threshold_representation(bump, x, reach=3.0).tolist()]
        [-0.1314, -0.576]

    :covers: barron-threshold-representation
    :test: tests/theory/approximation/test_barron.py
    :erratum: [loose] Theorem 26 says "for bounded ||w||"; w is integrated over all of R^d, so this
        is no hypothesis and should go: ||x|| <= 1 is the one that is used. For the Gaussian with
        sigma = 0.5 the formula at x = 2 gives what is true at x = 1, -0.69, in place of -0.80.
        [possible OCR artefact] The first display shows the gradient of fhat for the transform of
        grad f.
    """
    check_finite("x", x)
    if strict and bool((x.norm(dim=1) > 1).any()):
        raise InputError("the representation holds for ||x|| <= 1 only; rescale the variable")
    w, weight = _frequencies(f, reach, panels)
    length, mass, theta = w.norm(dim=1, keepdim=True), f.modulus(w) * weight, f.phase(w)[:, None]
    t, tau = quadrature([(0.0, 1.0)], 1, nodes=24)
    out = []
    for point in x:
        along = (w @ point)[:, None]
        edge = (along.abs() / length).clamp(max=1.0)
        total = torch.zeros_like(length)
        for sign in (1.0, -1.0):  # b = sign t |w|
            for low, high in ((0 * edge, edge), (edge, edge.new_ones(()))):
                b = sign * length * (low + (high - low) * t.T)
                active = sign * (along - b) >= 0  # w.x >= b on the right, w.x <= b on the left
                sine = (torch.sin(2 * math.pi * (b + theta)) * active) @ tau[:, None]
                total = total - sign * 2 * math.pi * sine * (high - low) * length
        out.append(total[:, 0] @ mass)
    return torch.stack(out)


def threshold_mass(f: Polar, *, reach: float, panels: int = 48, r: float = 1.0) -> float:
    r"""Mass of the thresholds for the ball of radius r, at most :math:`4\pi rC_f`.

    .. math:: 2\pi\int|\hat f(w)|\int_{-r\|w\|}^{r\|w\|}|\sin(2\pi b+2\pi\theta(w))|\,db\,dw

    Example:
        >>> from corollary.theory.approximation.spectra import GaussianBump
        >>> bump = GaussianBump(torch.zeros(1, dtype=torch.float64), 0.5)
        >>> round(threshold_mass(bump, reach=3.0), 3), round(4 * math.pi * bump.constant, 3)
        (1.935, 3.192)
    """
    w, weight = _frequencies(f, reach, panels)
    length, theta = r * w.norm(dim=1), f.phase(w)
    upper, lower = _sine_variation(length + theta), _sine_variation(theta - length)
    return float(2 * math.pi * (upper - lower) @ (f.modulus(w) * weight))


def _sine_variation(t: Tensor) -> Tensor:
    """The integral of |sin(2 pi s)| from 0 to t: 1/pi on each half turn."""
    half = torch.floor(2 * t)
    return (half + (1 - torch.cos(2 * math.pi * (t - half / 2))) / 2) / math.pi


def _frequencies(f: Polar, reach: float, panels: int) -> tuple[Tensor, Tensor]:
    if f.d > 3 or not 0 < reach < math.inf or panels < 1:
        raise InputError(
            f"quadrature needs d <= 3, reach > 0, panels >= 1, got d={f.d}, reach={reach:g}"
        )
    return quadrature([(-reach, reach)] * f.d, 2 * ((panels + 1) // 2))
