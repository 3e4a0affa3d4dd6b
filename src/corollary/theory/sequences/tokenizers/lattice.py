r"""All ways to cut a string into pieces: the best one, their sum, and draws from them.

A segmentation of a string into pieces :math:`u_1 \cdots u_k` of a vocabulary has the weight
:math:`\prod_j p(u_j)`. Places between characters are nodes and pieces are edges, so sums and maxima
over the :math:`2^{n-1}` segmentations are taken by going once from left to right, in
:math:`O(n \ell)` for pieces of at most :math:`\ell` characters.

:source: Kudo (2018), Subword regularization, Section 3.2; Viterbi (1967), Error bounds for
    convolutional codes and an asymptotically optimum decoding algorithm.
"""

import math
from collections.abc import Mapping

import torch
from torch import Generator

from corollary.theory.prerequisites.wellformed import check_at_least

Scores = Mapping[str, float]  # log p of each piece
NONE = -math.inf
FAINT = 1e-150  # a weight below it may have lost terms to underflow


def log_add(a: float, b: float) -> float:
    r""":math:`\log(e^a + e^b)`.

    Example:
        >>> round(log_add(0.0, 0.0), 6), log_add(-math.inf, 2.0)
        (0.693147, 2.0)
    """
    low, high = min(a, b), max(a, b)
    return high if low == NONE else high + math.log1p(math.exp(low - high))


def best_cut(text: str, scores: Scores, longest: int) -> tuple[list[str], float]:
    """The segmentation of largest weight, and its log weight; ``([], -inf)`` if there is none.

    Ties go to the segmentation whose last piece is longest.

    Example:
        >>> scores = {"a": -1.0, "b": -1.0, "ab": -1.5}
        >>> best_cut("abb", scores, 2)
        (['ab', 'b'], -2.5)
    """
    check_at_least("longest", longest, 1)
    n = len(text)
    best, back = [0.0] + [NONE] * n, [0] * (n + 1)
    for end in range(1, n + 1):
        most = NONE
        for start in range(max(0, end - longest), end):
            piece = text[start:end]
            if piece in scores and best[start] + scores[piece] > most:
                most, back[end] = best[start] + scores[piece], start
        best[end] = most
    pieces, end = [], n if best[n] > NONE else 0
    while end > 0:
        pieces.append(text[back[end] : end])
        end = back[end]
    return pieces[::-1], best[n]


def forward(text: str, scores: Scores, longest: int) -> list[float]:
    """Log of the summed weight of all segmentations of each beginning of ``text``.

    Example:
        >>> half = math.log(0.5)
        >>> ways = forward("aa", {"a": half, "aa": half}, 2)  # 1/4 + 1/2
        >>> round(math.exp(ways[-1]), 6)
        0.75
    """
    check_at_least("longest", longest, 1)
    alpha = [0.0] + [NONE] * len(text)
    for end in range(1, len(text) + 1):
        for start in range(max(0, end - longest), end):
            score = scores.get(text[start:end])
            if score is not None and alpha[start] > NONE:
                alpha[end] = log_add(alpha[end], alpha[start] + score)
    return alpha


def expected_pieces(text: str, scores: Scores, longest: int) -> tuple[dict[str, float], float]:
    """How often each piece is expected in a random segmentation, and the log of the total weight.

    Example:
        >>> half = math.log(0.5)
        >>> counts, _ = expected_pieces("aa", {"a": half, "aa": half}, 2)
        >>> {u: round(c, 6) for u, c in counts.items()}  # a a: 1/3, aa: 2/3
        {'a': 0.666667, 'aa': 0.666667}
    """
    n, alpha = len(text), forward(text, scores, longest)
    beta = [NONE] * n + [0.0]
    counts: dict[str, float] = {}
    for start in range(n - 1, -1, -1):
        for end in range(min(n, start + longest), start, -1):
            score = scores.get(text[start:end])
            if score is None or beta[end] == NONE:
                continue
            beta[start] = log_add(beta[start], score + beta[end])
            share = math.exp(alpha[start] + score + beta[end] - alpha[n])
            counts[text[start:end]] = counts.get(text[start:end], 0.0) + share
    return {u: c for u, c in counts.items() if c > 0}, alpha[n]


def expected_shares(
    text: str, p: Mapping[str, float], longest: int
) -> tuple[dict[str, float], float] | None:
    """:func:`expected_pieces` from probabilities, without logarithms: several times faster.

    ``None`` where the weights leave the range of floats, as those of very long words do, and
    where no piece fits.

    Example:
        >>> counts, log_weight = expected_shares("aa", {"a": 0.5, "aa": 0.5}, 2)
        >>> {u: round(c, 6) for u, c in counts.items()}, round(math.exp(log_weight), 6)
        ({'a': 0.666667, 'aa': 0.666667}, 0.75)
    """
    check_at_least("longest", longest, 1)
    n = len(text)
    alpha, edges = [1.0] + [0.0] * n, []
    for start in range(n):
        here = alpha[start]
        for end in range(start + 1, min(n, start + longest) + 1):
            piece = text[start:end]
            if piece in p:
                alpha[end] += here * p[piece]
                edges.append((start, end, piece))
    if alpha[n] < FAINT:
        return None
    beta = [0.0] * n + [1.0 / alpha[n]]
    counts: dict[str, float] = {}
    for start, end, piece in reversed(edges):
        tail = p[piece] * beta[end]
        beta[start] += tail
        counts[piece] = counts.get(piece, 0.0) + alpha[start] * tail
    return {u: c for u, c in counts.items() if c > 0}, math.log(alpha[n])


def drawn_cut(text: str, scores: Scores, longest: int, *, rng: Generator) -> list[str]:
    """A segmentation drawn with probability proportional to its weight; the text must have one.

    Example:
        >>> drawn_cut("ab", {"ab": -1.0}, 2, rng=torch.Generator().manual_seed(0))
        ['ab']
    """
    alpha, pieces, end = forward(text, scores, longest), [], len(text)
    while end > 0:
        starts = range(max(0, end - longest), end)
        into = [alpha[s] + scores.get(text[s:end], NONE) for s in starts]
        weights = torch.tensor(into, dtype=torch.float64, device=rng.device).sub(alpha[end]).exp()
        start = starts[int(torch.multinomial(weights, 1, generator=rng))]
        pieces.append(text[start:end])
        end = start
    return pieces[::-1]
