r"""Uniform convergence of Bernstein polynomials: a bound on all later errors.

:math:`g_m\to f` uniformly on [0, 1] if the largest of all later errors tends to zero,
:math:`\sup_{m\ge M}\|g_m-f\|_\infty\to0`. For f of Lipschitz constant s the Bernstein polynomials
do, with

.. math:: \sup_{m\ge M}\|q_m-f\|_\infty\le\frac s{2\sqrt M},

since the mean of :math:`|X/m-x|` for a binomial X is at most its standard deviation
:math:`\sqrt{x(1-x)/m}`. That single errors are small is not enough.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.1 and (3.1); Bernstein (1912);
    Lorentz (1953), Bernstein Polynomials, Section 1.6.
:kind: bound
:uses: bernstein_moments
:covers: universal-approximator-definition
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, at_most, near, option, uniform
from corollary.theory.approximation.bernstein import bernstein
from corollary.theory.approximation.convergence import uniform_convergence

Line = Callable[[Tensor], Tensor]
GRID = torch.linspace(0, 1, 401, dtype=torch.float64)


class Given(NamedTuple):
    f: Line
    s: float  # Lipschitz constant of f
    sequence: Callable[[int], Line]  # the approximations, by their number


def polynomials(f: Line) -> Callable[[int], Line]:
    """The Bernstein polynomials of f."""
    return lambda m: lambda x: bernstein(f, m, x)


def are_bernstein(given: Given) -> tuple[bool, str]:
    """Two members, compared with the formula."""
    found = torch.cat([given.sequence(m)(GRID) for m in (5, 8)])
    return near(found, torch.cat([bernstein(given.f, m, GRID) for m in (5, 8)]))


def jump(given: Given) -> Given:
    """At a jump there is no Lipschitz constant, and half of the jump remains as error."""
    f: Line = lambda x: 10 * (x >= 0.5).to(x.dtype)  # noqa: E731  (a function of the given)
    return given._replace(f=f, sequence=polynomials(f))


class UniformLimit(Claim[Given]):
    degrees: tuple[int, ...] = (4, 8, 16, 32, 64, 128)  # degrees at which the errors are measured
    s: float = option(1.0, low=0.1, high=10.0)  # Lipschitz constant

    relation = at_most(ulps=64)  # sums of m terms are rounded
    supposes = (
        Suppose(
            "f has Lipschitz constant s",
            lambda g: g.s * (1 + 1e-9) - (g.f(GRID).diff().abs() / GRID.diff()).max(),
            without=jump,
        ),
        Suppose(
            "g is the Bernstein polynomial",
            are_bernstein,
            "Members 5, 10, 15, ... are f itself, and all others are f + 1, so the errors do not "
            "stay small.",
            sequence=lambda g: lambda m: lambda x: g.f(x) + float(m % 5 > 0),
        ),
    )
    symbols = "s / (2√M)", "largest error from M on"
    rows = "M = {degrees}"
    shows = Along("Largest error from degree M on", x="M", at="degrees", log="xy")

    def given(self, rng: Generator) -> Given:
        """A kink near the middle."""
        at = 0.45 + 0.1 * float(uniform(rng))
        return self._kink(at)

    def _kink(self, at: float) -> Given:
        def f(x: Tensor) -> Tensor:
            return self.s * (x - at).abs()

        return Given(f, self.s, polynomials(f))

    def predict(self, given: Given) -> list[float]:
        return [given.s / (2 * m**0.5) for m in self.degrees]

    def measure(self, given: Given) -> list[float]:
        found = uniform_convergence(given.sequence, given.f, GRID, self.degrees)
        return found.tails.tolist()

    def tight(self) -> Given:
        """A kink in the middle, where the binomial spreads most."""
        return self._kink(0.5)
