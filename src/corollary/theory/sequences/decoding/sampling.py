r"""Sampling from the head of a distribution: top-k and nucleus (top-p).

With probabilities sorted, :math:`p_{(1)}\ge p_{(2)}\ge\dots`, top-k keeps the first k tokens,
and the nucleus the fewest whose mass reaches p,

.. math:: m=\min\Bigl\{j:\sum_{i\le j}p_{(i)}\ge p\Bigr\};

what is kept is renormalised and drawn from. Top-k keeps k tokens whether the distribution is flat
or peaked; the nucleus grows with its entropy. Of equally probable tokens the first is kept.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.4.4; Fan, Lewis and Dauphin (2018),
    "Hierarchical neural story generation"; Holtzman, Buys, Du, Forbes and Choi (2020), "The curious
    case of neural text degeneration".
"""

import math

import torch
from jaxtyping import Bool, Float, Int
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.networks.softmax import softmax
from corollary.theory.prerequisites.wellformed import check_no_nan


def top_k(logits: Float[Tensor, "*b K"], k: int) -> Bool[Tensor, "*b K"]:
    """True at the k largest logits of each row.

    Example:
        >>> top_k(torch.tensor([1.0, 3.0, 2.0, 3.0]), 2).int().tolist()
        [0, 1, 0, 1]
    """
    K = logits.shape[-1]
    if not 1 <= k <= K:
        raise InputError(f"k must lie between 1 and the {K} tokens, got {k}")
    values, order = logits.sort(dim=-1, descending=True, stable=True)
    check_no_nan("logits", values[..., :1])  # NaN is sorted first
    return torch.zeros_like(logits, dtype=torch.bool).scatter(-1, order[..., :k], True)


def nucleus(logits: Float[Tensor, "*b K"], p: float | int) -> Bool[Tensor, "*b K"]:
    """True at the fewest most probable tokens of each row whose mass reaches p.

    Example:
        >>> nucleus(torch.tensor([0.5, 0.25, 0.125, 0.125]).log(), 0.6).int().tolist()
        [1, 1, 0, 0]
    """
    if not 0 < p <= 1:
        raise InputError(f"p must lie in (0, 1], got {p:g}")
    if p == 1:  # no rounding of the sum may leave a token out
        return torch.ones_like(logits, dtype=torch.bool)
    probability, order = softmax(logits).sort(dim=-1, descending=True, stable=True)
    before = probability.cumsum(dim=-1) - probability  # mass of the more probable ones
    kept = (before < p).cummin(dim=-1).values  # rounding must not open gaps
    return torch.zeros_like(kept).scatter(-1, order, kept)


def sample(
    logits: Float[Tensor, "*b K"],
    kept: Bool[Tensor, "*b K"] | None = None,
    *,
    temperature: float | int = 1.0,
    rng: Generator,
) -> Int[Tensor, "*b"]:
    """A token of each row, among the kept ones, in the proportion exp(logit / temperature).

    Example:
        >>> logits = torch.tensor([0.0, 5.0, 9.0])
        >>> kept = torch.tensor([False, True, False])
        >>> sample(logits, kept, rng=torch.Generator().manual_seed(0)).item()
        1
    """
    if not (temperature > 0 and math.isfinite(temperature)):
        raise InputError(f"temperature must be positive and finite, got {temperature:g}")
    scaled = logits / temperature
    if kept is not None:
        scaled = scaled.masked_fill(~kept, -torch.inf)
    rows = softmax(scaled).reshape(-1, logits.shape[-1])
    return torch.multinomial(rows, 1, generator=rng).reshape(logits.shape[:-1])


def sample_top_k(
    logits: Float[Tensor, "*b K"], k: int, *, temperature: float | int = 1.0, rng: Generator
) -> Int[Tensor, "*b"]:
    """A token of each row among its k most probable ones; k = 1 is greedy, k = K is plain.

    Example:
        >>> sample_top_k(torch.tensor([[0.0, 1.0]]), 1, rng=torch.Generator().manual_seed(0))
        tensor([1])

    :covers: top-k-sampling
    """
    return sample(logits, top_k(logits, k), temperature=temperature, rng=rng)


def sample_top_p(
    logits: Float[Tensor, "*b K"],
    p: float | int,
    *,
    temperature: float | int = 1.0,
    rng: Generator,
) -> Int[Tensor, "*b"]:
    """A token of each row's nucleus, which is taken after the temperature; p = 1 is plain.

    Example:
        >>> sample_top_p(torch.tensor([[0.0, 9.0]]), 0.5, rng=torch.Generator().manual_seed(0))
        tensor([1])

    :covers: top-p-sampling
    :test: tests/theory/sequences/decoding/test_sampling.py
    """
    if not temperature > 0:
        raise InputError(f"temperature must be positive and finite, got {temperature:g}")
    return sample(logits, nucleus(logits / temperature, p), temperature=temperature, rng=rng)
