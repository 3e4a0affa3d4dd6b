r"""The probability of a sequence, one token after the other.

.. math:: p(y_{1:n}\mid x)=\prod_{i=1}^np(y_i\mid x,y_{<i})

Each factor is a distribution over K tokens, so the product is one over all :math:`K^n` sequences.
Teacher forcing: the model reads the true :math:`y_{<i}`, and all factors come from one pass.

:source: Perez Jensen (2025), Deep Learning, Section 5.3; Lucchi (2025), Foundations of Deep
    Learning, Section 10.4.4.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.networks.softmax import log_softmax

LARGEST = 1_000_000  # sequences that may be listed


def token_log_probs(
    logits: Float[Tensor, "*B n K"], y: Int[Tensor, "*B n"]
) -> Float[Tensor, "*B n"]:
    r""":math:`\ln p(y_i\mid x,y_{<i})` from the logits of each place.

    Example:
        >>> token_log_probs(torch.zeros(1, 4), torch.tensor([2])).exp().tolist()
        [0.25]
    """
    K = logits.shape[-1]
    if y.numel() and not 0 <= int(y.min()) <= int(y.max()) < K:
        raise InputError(
            f"tokens must lie in 0, ..., {K - 1}, but they go from {int(y.min())} to {int(y.max())}"
        )
    return log_softmax(logits).gather(-1, y[..., None].long())[..., 0]


def sequence_log_prob(
    logits: Float[Tensor, "*B n K"],
    y: Int[Tensor, "*B n"],
    lengths: Int[Tensor, "*B"] | None = None,
) -> Float[Tensor, "*B"]:
    r""":math:`\ln p(y_{1:n}\mid x)`: the sum over the first ``lengths`` places (all without it).

    Sums of logarithms do not underflow where the product would: 1000 fair coins are 2^-1000.

    Example:
        >>> logits, y = torch.zeros(1000, 2, dtype=torch.float64), torch.zeros(1000).long()
        >>> round(sequence_log_prob(logits, y).item() / torch.tensor(2.0).log().item(), 4)
        -1000.0

    :covers: sequence-probability-factorization
    """
    terms = token_log_probs(logits, y)
    return terms.sum(-1) if lengths is None else (terms * _alive(terms, lengths)).sum(-1)


def teacher_forced_loss(
    logits: Float[Tensor, "*B n K"],
    y: Int[Tensor, "*B n"],
    lengths: Int[Tensor, "*B"] | None = None,
) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
    r"""Sum of :math:`-\ln p(y_i\mid x,y_{<i})` over all tokens that count, and their number.

    The pair is what :func:`corollary.train.fit` takes as a loss: sum over count, also when a
    batch is computed in pieces with different numbers of tokens.

    Example:
        >>> total, count = teacher_forced_loss(torch.zeros(2, 3, 4), torch.zeros(2, 3).long())
        >>> round((total / count).item(), 4), count.item()  # ln 4 for each of 6 tokens
        (1.3863, 6.0)
    """
    terms = -token_log_probs(logits, y)
    alive = torch.ones_like(terms) if lengths is None else _alive(terms, lengths)
    return (terms * alive).sum(), alive.sum()


def all_sequences(K: int, n: int) -> Int[Tensor, "N n"]:
    """All K^n sequences of n tokens, as numbers in base K; the memory is O(n K^n).

    Example:
        >>> all_sequences(2, 2).tolist()
        [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    if K < 1 or n < 1 or K**n > LARGEST:
        raise InputError(
            f"K >= 1 tokens and n >= 1 positions with K^n <= {LARGEST} are needed, got K={K}, n={n}"
        )
    return torch.cartesian_prod(*[torch.arange(K)] * n).reshape(-1, n)


def _alive(terms: Tensor, lengths: Tensor) -> Tensor:
    n = terms.shape[-1]
    if lengths.numel() and not 0 <= int(lengths.min()) <= int(lengths.max()) <= n:
        raise InputError(f"lengths must lie between 0 and {n}, got {lengths.tolist()}")
    return (torch.arange(n, device=terms.device) < lengths[..., None]).to(terms)
