r"""The four conditions of the Stone-Weierstrass theorem, checked, and a family that breaks each.

A family of functions on :math:`[0,1]^d` that (i) is continuous, (ii) vanishes at no point, (iii)
separates points and (iv) is an algebra is dense in :math:`C([0,1]^d)`.

A family is given by terms, whose span it is, and by a rule for the product of two terms. Closure
under products is checked by that rule; the rule itself, and the other conditions, on points.

:source: Lucchi (2025), Foundations of Deep Learning, Section 3.3 and Section 3.5, Theorem 24 and
    Problem 2; Stone (1948), The generalized Weierstrass approximation theorem.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError

CONDITIONS = ("continuous", "nowhere vanishing", "point separating", "an algebra")


@dataclass(frozen=True)
class Family:
    """The span of ``value(term, x)`` over all terms that ``contains`` accepts."""

    name: str
    terms: tuple[Any, ...]  # some of them, to look at
    value: Callable[[Any, Tensor], Tensor]  # a term at points (n, d)
    product: Callable[[Any, Any], Sequence[tuple[float, Any]]]  # weights and terms of a product
    contains: Callable[[Any], bool]


class Conditions(NamedTuple):
    """Which conditions hold for a family, as far as the points can tell."""

    continuous: bool
    nowhere_vanishing: bool
    point_separating: bool
    algebra: bool

    @property
    def broken(self) -> tuple[str, ...]:
        """The conditions that do not hold, in words."""
        return tuple(w for w, holds in zip(CONDITIONS, self, strict=True) if not holds)


def stone_weierstrass_report(family: Family, points: Float[Tensor, "n d"]) -> Conditions:
    """Check the four conditions on points of the cube; O(terms² n + terms n²).

    Example:
        >>> points = torch.linspace(0, 1, 9, dtype=torch.float64)[:, None]
        >>> stone_weierstrass_report(polynomials(), points).broken
        ()
        >>> stone_weierstrass_report(affine(), points).broken
        ('an algebra',)

    :covers: stone-weierstrass
    """
    if not bool(((points >= 0) & (points <= 1)).all()):
        raise InputError("the points must lie in the unit cube")
    values = torch.stack([family.value(t, points) for t in family.terms])  # terms, n
    apart = (values[:, :, None] - values[:, None, :]).abs().amax(0)
    apart.fill_diagonal_(math.inf)
    return Conditions(
        continuous=_continuous(family, points),
        nowhere_vanishing=bool((values.abs().amax(0) > 1e-12).all()),
        point_separating=bool((apart > 1e-12).all()),
        algebra=_closed(family, points),
    )


def polynomials(d: int = 1, degree: int = 3) -> Family:
    """All polynomials in d variables; terms are exponents up to ``degree``."""
    terms = [t for t in itertools.product(range(degree + 1), repeat=d) if sum(t) <= degree]
    return _powers("polynomials", terms, lambda t: True)


def cosines(d: int = 1, degree: int = 2) -> Family:
    r"""Cosine networks, terms :math:`\cos(w\cdot x+b)`; products have twice as many terms."""
    frequencies = itertools.product(range(degree + 1), repeat=d)
    terms = [(w, b) for w in frequencies for b in (0.0, 0.7)]

    def product(s: Any, t: Any) -> list[tuple[float, Any]]:
        plus = (tuple(a + b for a, b in zip(s[0], t[0], strict=True)), s[1] + t[1])
        minus = (tuple(a - b for a, b in zip(s[0], t[0], strict=True)), s[1] - t[1])
        return [(0.5, plus), (0.5, minus)]

    def value(t: Any, x: Tensor) -> Tensor:
        return torch.cos(x @ x.new_tensor(t[0]) + t[1])

    return Family("cosine networks", tuple(terms), value, product, lambda t: True)


def exponentials(d: int = 1, degree: int = 2) -> Family:
    r"""Exponential networks, terms :math:`e^{w\cdot x}`."""
    terms = tuple(itertools.product(range(degree + 1), repeat=d))

    def value(t: Any, x: Tensor) -> Tensor:
        return torch.exp(x @ x.new_tensor(t, dtype=x.dtype))

    def product(s: Any, t: Any) -> list[tuple[float, Any]]:
        return [(1.0, tuple(a + b for a, b in zip(s, t, strict=True)))]

    return Family("exponential networks", terms, value, product, lambda t: True)


def affine() -> Family:
    """Affine functions of one variable: not closed under products."""
    return _powers("affine functions", [(0,), (1,)], lambda t: t[0] <= 1)


def vanishing_at_zero(degree: int = 3) -> Family:
    """Polynomials of one variable without constant term."""
    powers = [(k,) for k in range(1, degree + 1)]
    return _powers("polynomials that vanish at 0", powers, lambda t: t[0] >= 1)


def even_about_half(degree: int = 3) -> Family:
    """Polynomials in (x - 1/2)²: they take 0 and 1 to one value."""
    powers = [(k,) for k in range(degree + 1)]
    return _powers("polynomials even about 1/2", powers, lambda t: True, lambda x: (x - 0.5) ** 2)


def swapped(degree: int = 3) -> Family:
    """Polynomials in phi, which exchanges 0 and 1/2 and moves nothing else: not continuous."""

    def phi(x: Tensor) -> Tensor:
        return torch.where(x == 0, 0.5, torch.where(x == 0.5, 0.0, x))

    powers = [(k,) for k in range(degree + 1)]
    return _powers("polynomials in a map that swaps 0 and 1/2", powers, lambda t: True, phi)


class Obstruction(NamedTuple):
    """A family that is not dense, a target it cannot reach, and how far away it stays."""

    family: Family
    target: Callable[[Tensor], Tensor]  # points (n, 1) to values
    distance: float  # no member is closer than this in the sup norm
    broken: str  # the one condition that does not hold


def counterexamples(degree: int = 3) -> tuple[Obstruction, ...]:
    """One family for each condition, with a provable distance from a continuous target.

    (i) :math:`p(1/2)` should be near 0 (at x = 0) and near 1/2 (beside 1/2); (ii) at x = 0 every
    member is 0; (iii) members agree at 0 and 1; (iv) the best affine function errs by 1/8.

    Example:
        >>> [(o.broken, o.distance) for o in counterexamples()][2:]
        [('point separating', 0.5), ('an algebra', 0.125)]

    :covers: stone-weierstrass-counterexamples
    """
    return (
        Obstruction(swapped(degree), lambda x: x[:, 0], 0.25, CONDITIONS[0]),
        Obstruction(vanishing_at_zero(degree), lambda x: x[:, 0] ** 0, 1.0, CONDITIONS[1]),
        Obstruction(even_about_half(degree), lambda x: x[:, 0], 0.5, CONDITIONS[2]),
        Obstruction(affine(), lambda x: x[:, 0] ** 2, 0.125, CONDITIONS[3]),
    )


def _powers(
    name: str,
    terms: Sequence[tuple[int, ...]],
    contains: Callable[[Any], bool],
    inner: Callable[[Tensor], Tensor] = lambda x: x,
) -> Family:
    """Monomials in ``inner(x)``; the product of two adds their exponents."""

    def value(t: Any, x: Tensor) -> Tensor:
        return inner(x).pow(x.new_tensor(t)).prod(1)

    def product(s: Any, t: Any) -> list[tuple[float, Any]]:
        return [(1.0, tuple(a + b for a, b in zip(s, t, strict=True)))]

    return Family(name, tuple(terms), value, product, contains)


def _continuous(family: Family, points: Tensor) -> bool:
    """No term jumps between a point and its neighbours at distance 1e-9."""
    h = 1e-9
    for term in family.terms:
        here = family.value(term, points)
        for near in ((points + h).clamp(max=1.0), (points - h).clamp(min=0.0)):
            if bool(((family.value(term, near) - here).abs() > 1e-6).any()):
                return False
    return True


def _closed(family: Family, points: Tensor) -> bool:
    for s, t in itertools.combinations_with_replacement(family.terms, 2):
        parts = family.product(s, t)
        if not all(family.contains(term) for _, term in parts):
            return False
        whole = family.value(s, points) * family.value(t, points)
        terms = (c * family.value(term, points) for c, term in parts)
        total = sum(terms, torch.zeros_like(whole))
        if not torch.allclose(whole, total, rtol=1e-10, atol=1e-12):
            return False
    return True
