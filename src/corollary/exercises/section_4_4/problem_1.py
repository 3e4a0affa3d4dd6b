r"""Barron's complexity of a Gaussian density.

The density :math:`f(x) = (2\pi\sigma^2)^{-d/2} e^{-\|x\|^2/(2\sigma^2)}` on :math:`\mathbb{R}^d`
has the Fourier transform :math:`\hat f(\omega) = e^{-2\pi^2\sigma^2\|\omega\|^2}`, with the
frequencies of
:math:`e^{-2\pi i \omega^\top x}`. Write :math:`Z = \int \hat f(\omega) \, d\omega`.

:source: Notes, Section 4.4, Problem 1.
:a: ``normalizer(d, sigma)`` Return :math:`Z`, so that :math:`\hat f/Z` is a density. (Which value
    does :math:`f` take at 0?)
:a-hints: It is a Gaussian integral. | Or: the inverse transform at 0. | :math:`Z = f(0)`.
:b: ``moment_bound(d, sigma)`` Return the bound :math:`Z \left(\int \|\omega\|^2 \hat f(\omega)/Z \,
    d\omega\right)^{1/2}` of :math:`\int \|\omega\| \hat f(\omega) \, d\omega`, in closed form.
:b-hints: :math:`\hat f/Z` is a normal density: of which variance? | Each coordinate has the
    variance :math:`1/(4\pi^2\sigma^2)`. | There are :math:`d` coordinates.
:c: ``critical_sigma()`` As :math:`d \to \infty`, the complexity :math:`2\pi\int \|\omega\| \hat
    f(\omega) \, d\omega` vanishes for :math:`\sigma` above a number and explodes below it. Return
    this number.
:c-hints: Multiply the bound of b by :math:`2\pi`. | :math:`\sqrt d` does not decide. |
    :math:`(2\pi\sigma^2)^{-d/2}` does.
"""

from collections.abc import Iterator
from math import gamma

import numpy as np

from corollary.exercises.judging import Case, Rng, equals


def radial(d: int, sigma: float, power: int) -> float:
    """The integral of ‖ω‖^power times the transform: over spheres, by the trapezoidal rule."""
    r = np.linspace(0.0, 8 / (2 * np.pi * sigma) * np.sqrt(d), 200_001)
    sphere = 2 * np.pi ** (d / 2) / gamma(d / 2)
    values = sphere * r ** (d - 1 + power) * np.exp(-2 * (np.pi * sigma * r) ** 2)
    return float((values[1:] + values[:-1]).sum() / 2 * (r[1] - r[0]))


def drawn(rng: Rng) -> Iterator[tuple[int, float, str]]:
    """Dimensions and widths."""
    for d, edge in ((3, ""), (6, ""), (1, "one dimension")):
        yield d, float(rng.uniform(0.2, 0.9)), edge


def part_a(rng: Rng) -> Iterator[Case]:
    """The reference is computed by quadrature."""
    for d, sigma, edge in drawn(rng):
        Z = radial(d, sigma, 0)
        said = {
            "the exponent of the notes has the wrong sign": 1 / Z,
            "your answer is the value for one dimension": Z ** (1 / d),
            "σ must be squared": (2 * np.pi * sigma) ** (-d / 2),
        }
        yield Case({"d": d, "sigma": sigma}, equals(Z, said), edge)


def part_b(rng: Rng) -> Iterator[Case]:
    """The reference is computed by quadrature."""
    for d, sigma, edge in drawn(rng):
        Z = radial(d, sigma, 0)
        bound = Z * np.sqrt(radial(d, sigma, 2) / Z)
        said = {
            "your answer is the integral itself, not its bound": radial(d, sigma, 1),
            "the dimension is missing under the square root": bound / np.sqrt(d),
            "Z is missing": bound / Z,
            "the square root is missing": bound**2 / Z,
        }
        yield Case({"d": d, "sigma": sigma}, equals(bound, said), edge)


def part_c(rng: Rng) -> Iterator[Case]:
    """Where Z does not change with the dimension, by bisection on its quadrature."""
    low, high = 0.2, 0.9
    for _ in range(40):
        mid = (low + high) / 2
        low, high = (mid, high) if radial(2, mid, 0) > 1 else (low, mid)
    said = {
        "the factor 2π is missing under the root": 1.0,
        "the square root is missing": 1 / (2 * np.pi),
    }
    yield Case({}, equals(low, said))
