r"""Bounds on the number of affine pieces and linear regions, beside which the counts are set.

:source: Perez Jensen (2025), Deep Learning, Section 2.5; Lucchi (2025), Foundations of Deep
    Learning, Section 4.2.1.
"""

import math
from collections.abc import Sequence
from functools import cache
from itertools import accumulate

from corollary.errors import InputError


def zaslavsky(m: int, n: int) -> int:
    r"""The most regions that m hyperplanes make in :math:`\mathbb R^n`.

    .. math:: R(m) = \sum_{i=0}^{\min(n, m)} \binom{m}{i}

    with equality in general position; :math:`2^m` for :math:`m \le n`.

    Example:
        >>> zaslavsky(3, 2), zaslavsky(3, 3), zaslavsky(3, 10)
        (7, 8, 8)

    :covers: zaslavsky-region-count
    :source: Perez Jensen (2025), Deep Learning, Theorem 2.8; Zaslavsky (1975), "Facing up to
        arrangements".
    """
    _check("m", m, 0)
    _check("n", n, 0)
    return sum(math.comb(m, i) for i in range(min(n, m) + 1))


def montufar_lower(d: int, widths: Sequence[int]) -> int:
    r"""Regions that *some* ReLU network with these hidden widths has, by folding.

    .. math:: \prod_{i<l} \lfloor n_i/d \rfloor^d \; \sum_{j\le d} \binom{n_l}{j}

    Example:
        >>> montufar_lower(2, [4, 4])
        44

    :source: Montufar, Pascanu, Cho and Bengio (2014), "On the number of linear regions of deep
        neural networks"; Perez Jensen (2025), Deep Learning, Theorem 2.9.
    """
    widths = _widths(widths)
    if min(widths) < d:
        raise InputError(f"the folding needs widths of at least d={d}, got {min(widths)}")
    copies: int = math.prod((n // d) ** d for n in widths[:-1])
    return copies * zaslavsky(widths[-1], d)


def product_upper(d: int, widths: Sequence[int]) -> int:
    r"""The crude bound :math:`\prod_i \sum_{j\le d}\binom{n_i}{j}`: each layer cuts every region.

    Example:
        >>> product_upper(2, [4, 4])
        121
    """
    return math.prod(zaslavsky(n, d) for n in _widths(widths))


def serra_upper(d: int, widths: Sequence[int]) -> int:
    r"""At most so many regions has any ReLU network with these hidden widths.

    .. math:: \sum_{(j_1,\dots,j_L)\in J} \prod_l \binom{n_l}{j_l}, \qquad
       J = \{0 \le j_l \le \min(d,\, n_1 - j_1, \dots, n_{l-1} - j_{l-1},\, n_l)\}

    A region in which only k units of a layer are on has an image of dimension at most k, and later
    layers cut that image. Never above :func:`product_upper`; equal to :func:`zaslavsky` for L = 1.

    Example:
        >>> serra_upper(2, [3]), serra_upper(2, [1, 1]), serra_upper(1, [1, 1])
        (7, 3, 3)

    :source: Serra, Tjandraatmadja and Ramalingam (2018), "Bounding and counting linear regions of
        deep neural networks", Theorem 1.
    """
    widths = _widths(widths)
    _check("d", d, 1)

    @cache
    def total(layer: int, room: int) -> int:
        if layer == len(widths):
            return 1
        n = widths[layer]
        return sum(
            math.comb(n, j) * total(layer + 1, min(room, n - j)) for j in range(min(room, n) + 1)
        )

    return total(0, d)


def affine_pieces_upper(widths: Sequence[int]) -> int:
    r"""Pieces of a ReLU network on the line: :math:`\delta_A \le 2^L \prod_j m_j`.

    Example:
        >>> affine_pieces_upper([3, 3])
        36

    :covers: affine-pieces-depth-bound
    :source: Lucchi (2025), Foundations of Deep Learning, Lemma 32.
    """
    return math.prod(2 * m for m in _widths(widths))


def affine_pieces_report(widths: Sequence[int]) -> list[int]:
    r"""The bound :math:`2^i \prod_{j<i} m_j` on a single unit of each layer i = 1, ..., L.

    A unit of layer i rectifies a sum of :math:`m_{i-1}` functions, each of which obeys the bound
    of the layer before.

    Example:
        >>> affine_pieces_report([3, 3, 3])
        [2, 12, 72]
    """
    widths = _widths(widths)
    before = accumulate([1, *widths[:-1]], lambda a, b: a * b)
    return [2 ** (i + 1) * product for i, product in enumerate(before)]


def affine_pieces_mean(widths: Sequence[int]) -> float:
    r"""The same bound by the number of units only: :math:`(2m/L)^L`, :math:`m = \sum_j m_j`.

    At least :func:`affine_pieces_upper`, by the inequality of the means.

    Example:
        >>> affine_pieces_mean([2, 4]), affine_pieces_upper([2, 4])
        (36.0, 32)
    """
    widths = _widths(widths)
    return (2 * sum(widths) / len(widths)) ** len(widths)


def optimal_depth(m: int) -> tuple[float, int]:
    r"""The depth that maximises :math:`(2m/L)^L` for m units: real, and the best whole number.

    The logarithm :math:`L \log(2m/L)` is concave with its maximum at :math:`L = 2m/e`, where it
    is :math:`2m/e`; the best whole number is one of the two next to it. There a layer has
    :math:`m/L = e/2 \approx 1.36` units, fewer than a network can use.

    Example:
        >>> [round(depth, 3) for depth in optimal_depth(10)]
        [7.358, 7]

    :covers: affine-pieces-optimal-depth
    :source: Lucchi (2025), Foundations of Deep Learning, Section 4.4, Problem 3d.
    """
    _check("m", m, 1)
    real = 2 * m / math.e
    whole = max((max(1, math.floor(real)), math.ceil(real)), key=lambda L: log_pieces(m, L))
    return real, whole


def log_pieces(m: float | int, depth: float | int) -> float:
    r"""The logarithm :math:`L \log(2m/L)` of the bound on the pieces of m units in L layers.

    Example:
        >>> log_pieces(2, 4)
        0.0
    """
    if not (m > 0 and depth > 0):
        raise InputError(f"m and depth must be positive, got m={m:g}, depth={depth:g}")
    return depth * math.log(2 * m / depth)


def _widths(widths: Sequence[int]) -> tuple[int, ...]:
    out = tuple(int(n) for n in widths)
    if not out or min(out) < 1:
        raise InputError(f"widths must be a list of numbers >= 1, got {list(widths)}")
    return out


def _check(name: str, value: int, least: int) -> None:
    if value < least:
        raise InputError(f"{name} must be at least {least}, got {value}")
