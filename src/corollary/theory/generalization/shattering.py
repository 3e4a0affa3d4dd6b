r"""Labelings: which ones a class of functions realises on given points.

.. math:: S_{\mathcal F}(n)=\max_{z_1,\dots,z_n}
   \bigl|\{(f(z_1),\dots,f(z_n)):f\in\mathcal F\}\bigr|\le2^n

is the growth function; points are *shattered* when all :math:`2^n` labelings occur, and the VC
dimension is the largest n for which some n points are. On the line, thresholds
:math:`1[x\ge t]` have n + 1 labelings and dimension 1, intervals :math:`1+\binom{n+1}2` and
dimension 2; axis-parallel rectangles have dimension 4, half-spaces of :math:`\mathbb R^d` have
:math:`2\sum_{i\le d}\binom{n-1}i` labelings and dimension d + 1, and sine waves shatter
:math:`2^{-1},\dots,2^{-n}` for every n.

:source: Lucchi (2025), Foundations of Deep Learning, Section 8.3, Definitions 27 and 28; Vapnik and
    Chervonenkis (1971), "On the uniform convergence of relative frequencies of events to their
    probabilities"; Radon (1921), "Mengen konvexer Körper, die einen gemeinsamen Punkt enthalten".
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.connectionism.cover import cover_count, enumerate_dichotomies
from corollary.theory.connectionism.labelled import homogeneous
from corollary.theory.prerequisites.wellformed import check_finite
from corollary.theory.seeding import as_generator

Labelings = Callable[[Float[Tensor, "n d"]], Bool[Tensor, "k n"]]  # points to all labelings


class Shattered(NamedTuple):
    """The largest shattered set that was found, and what was tried beyond it."""

    dimension: int
    witness: Float[Tensor, "n d"] | None  # shattered points; none for a class of one labeling
    refuted: int  # sets of one point more that were tried and are not shattered

    def __repr__(self) -> str:
        return (
            f"VC dimension at least {self.dimension}; none of {self.refuted} sets of "
            f"{self.dimension + 1} points was shattered"
        )


class RadonPartition(NamedTuple):
    """Two disjoint groups of points whose convex hulls meet."""

    first: Bool[Tensor, " n"]  # the others are the second group
    point: Float[Tensor, " d"]  # in both hulls
    weights: Float[Tensor, " n"]  # convex weights within each group


def thresholds(x: Float[Tensor, "n d"]) -> Bool[Tensor, "k n"]:
    r"""All labelings :math:`1[x\ge t]` of points on a line.

    Example:
        >>> len(thresholds(torch.tensor([[0.0], [1.0], [2.0]])))
        4
    """
    rank = _ranks(x)
    cuts = torch.arange(int(rank.max()) + 2, device=x.device)
    return rank >= cuts[:, None]


def intervals(x: Float[Tensor, "n d"]) -> Bool[Tensor, "k n"]:
    r"""All labelings :math:`1[a\le x\le b]` of points on a line, the empty one included.

    Example:
        >>> len(intervals(torch.tensor([[0.0], [1.0], [2.0]])))  # all but + - +
        7
    """
    return unions_of_intervals(x, 1)


def unions_of_intervals(x: Float[Tensor, "n d"], k: int = 2) -> Bool[Tensor, "c n"]:
    r"""All labelings by unions of at most k intervals; their dimension is 2k.

    Example:
        >>> len(unions_of_intervals(torch.arange(5.0)[:, None], 2))  # all but + - + - +
        31
    """
    rank = _ranks(x)
    n = int(rank.max()) + 1
    every = _all_signs(n)
    starts = every & ~torch.cat([torch.zeros(len(every), 1, dtype=torch.bool), every[:, :-1]], 1)
    return every[starts.sum(dim=1) <= k].to(x.device)[:, rank]


def rectangles(x: Float[Tensor, "n d"]) -> Bool[Tensor, "k n"]:
    """All labelings by boxes with sides along the axes: a set is cut out iff its own box holds it.

    Costs 2^n boxes, so it is for small sets.

    Example:
        >>> diamond = torch.tensor([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
        >>> len(rectangles(diamond))
        16
    """
    check_finite("x", x)
    every = _all_signs(len(x)).to(x.device)
    inf = torch.full_like(x[0], math.inf)
    chosen = every[:, :, None]
    low = torch.where(chosen, x, inf).amin(dim=1)  # k d; an empty set has an empty box
    high = torch.where(chosen, x, -inf).amax(dim=1)
    inside = ((x >= low[:, None]) & (x <= high[:, None])).all(dim=2)
    return every[(inside == every).all(dim=1)]


def half_spaces(x: Float[Tensor, "n d"]) -> Bool[Tensor, "k n"]:
    r"""All labelings :math:`1[\langle w,x\rangle+b>0]`, found by splitting version spaces.

    Example:
        >>> triangle = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], dtype=torch.float64)
        >>> len(half_spaces(triangle))
        8
    """
    return enumerate_dichotomies(homogeneous(x)) > 0


def half_spaces_through_origin(x: Float[Tensor, "n d"]) -> Bool[Tensor, "k n"]:
    r"""All labelings :math:`1[\langle w,x\rangle>0]`; their dimension is d.

    Example:
        >>> len(half_spaces_through_origin(torch.eye(2, dtype=torch.float64)))
        4
    """
    return enumerate_dichotomies(x) > 0


def growth(labelings: Labelings, x: Float[Tensor, "n d"]) -> int:
    """How many different labelings the class realises on these points.

    Example:
        >>> square = torch.tensor([[0.0, 0.0], [1.0, 0.1], [0.0, 1.0], [1.2, 1.0]]).double()
        >>> growth(half_spaces, square)  # all 16 but the two of the diagonals
        14

    :covers: growth-function
    :erratum: [loose] The example says that the trend 2^n of half-planes does not continue "past 4
        points"; it already stops at n = 4, where 14 of the 16 labelings are realised.
    """
    found = labelings(x)
    return len(torch.unique(found, dim=0)) if len(found) else 0


def half_space_growth(n: int, d: int) -> int:
    r"""The growth function :math:`2\sum_{i\le d}\binom{n-1}i` of half-spaces in d dimensions.

    Example:
        >>> [half_space_growth(n, 2) for n in range(1, 6)]
        [2, 4, 8, 14, 22]

    :covers: growth-function
    """
    return cover_count(n, d + 1)


def vc_dimension(
    labelings: Labelings,
    draw: Callable[[int, Generator], Float[Tensor, "n d"]],
    max_n: int,
    *,
    tries: int = 20,
    rng: int | Generator = 0,
) -> Shattered:
    """The largest n up to ``max_n`` for which a drawn set is shattered, with that set.

    A witness proves that the dimension is at least its size; the sets refuted beyond it prove
    nothing, but for half-spaces :func:`radon_partition` does. Subsets of shattered sets are
    shattered, so the search stops at the first size without a witness.

    Args:
        labelings: The class, as all its labelings of given points.
        draw: ``draw(n, rng)`` proposes n points.
        max_n: Where to stop.
        tries: Sets proposed for each size.
        rng: Where they come from.

    Example:
        >>> line = lambda n, rng: torch.randn(n, 1, generator=rng)
        >>> found = vc_dimension(intervals, line, 4, rng=torch.Generator().manual_seed(0))
        >>> found.dimension, found.refuted
        (2, 20)

    :covers: vc-dimension
    """
    rng = as_generator(rng)
    best: Float[Tensor, "n d"] | None = None
    for n in range(1, max_n + 1):
        sets = (draw(n, rng) for _ in range(tries))
        witness = next((x for x in sets if growth(labelings, x) == 2**n), None)
        if witness is None:
            return Shattered(n - 1, best, tries)
        best = witness
    return Shattered(max_n, best, 0)


def radon_partition(x: Float[Tensor, "n d"]) -> RadonPartition:
    r"""Split d + 2 or more points into two groups whose convex hulls meet.

    A nonzero :math:`\lambda` with :math:`\sum_i\lambda_ix_i=0`, :math:`\sum_i\lambda_i=0` splits
    them by sign. No half-space can hold one group and miss the other, so d + 2 points are never
    shattered.

    Example:
        >>> square = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]).double()
        >>> split = radon_partition(square)
        >>> bool(split.first[0] == split.first[3]), [round(v, 3) for v in split.point.tolist()]
        (True, [0.5, 0.5])

    :covers: vc-dimension
    """
    check_finite("x", x)
    n, d = x.shape
    if n < d + 2:
        raise InputError(f"Radon's theorem needs d + 2 = {d + 2} points, got {n}")
    # The last right singular vector of the (d + 1, n) system spans part of its null space.
    weights = torch.linalg.svd(homogeneous(x[: d + 2]).T, full_matrices=True).Vh[-1]
    weights = torch.cat([weights, weights.new_zeros(n - d - 2)])
    first = weights > 0
    mass = weights[first].sum()
    point = (weights[first, None] * x[first]).sum(dim=0) / mass
    return RadonPartition(first, point, weights.abs() / mass)


def sine_frequency(labels: Bool[Tensor, " n"]) -> int:
    r"""The integer k such that :math:`\sin(\pi k2^{-i})>0` iff label i is true, i = 1, ..., n.

    One parameter realises every labeling of the points :math:`2^{-1},\dots,2^{-n}`: a class with
    one parameter and infinite VC dimension. The integer is exact, of n + 1 bits.

    Example:
        >>> k = sine_frequency(torch.tensor([True, False, True]))
        >>> [math.sin(math.pi * k / 2**i) > 0 for i in (1, 2, 3)]
        [True, False, True]

    :covers: vc-dimension
    """
    return 1 + sum(1 << i for i, label in enumerate(labels.tolist(), start=1) if not label)


def sine_labels(k: int, n: int) -> Bool[Tensor, " n"]:
    r"""The labels :math:`1[\sin(\pi k2^{-i})>0]`, decided in integers.

    Example:
        >>> sine_labels(sine_frequency(torch.tensor([False, True])), 2).tolist()
        [False, True]
    """
    phases = [k % 2 ** (i + 1) for i in range(1, n + 1)]  # of 2^(i+1), a full period
    return torch.tensor([0 < p < 2**i for i, p in enumerate(phases, start=1)])


def _all_signs(n: int) -> Bool[Tensor, "k n"]:
    if n > 20:
        raise InputError(f"expected n <= 20, because n points have 2^n labelings, got {n}")
    bits = torch.arange(2**n)[:, None] >> torch.arange(n)
    return bits % 2 == 1


def _ranks(x: Tensor) -> Tensor:
    """The place of each point among the different values on the line."""
    if x.ndim != 2 or x.shape[1] != 1 or len(x) == 0:
        raise InputError(
            f"expected points on a line, with shape (n, 1) and n >= 1, got {tuple(x.shape)}"
        )
    check_finite("x", x)
    places: Tensor = torch.unique(x[:, 0], return_inverse=True)[1]
    return places
