r"""Hebbian storage, and the crosstalk between what is stored.

.. math:: w_{ij} = \frac1n \sum_{t=1}^s x_{t,i} x_{t,j} \quad (i \ne j), \qquad w_{ii} = 0

At a stored pattern the field is signal plus crosstalk,

.. math:: h_i(x_t) = \tfrac{n-1}{n} x_{t,i} + C_{t,i}, \qquad
    C_{t,i} = \frac1n \sum_{j \ne i} \sum_{r \ne t} x_{r,i} x_{r,j} x_{t,j},

so bit :math:`i` is stable if and only if :math:`-x_{t,i} C_{t,i} < (n-1)/n`;
:math:`|C_{t,i}| < 1 - 1/n` is sufficient, not necessary. For independent fair signs
:math:`n\, x_{t,i} C_{t,i}` is a sum of exactly :math:`(s-1)(n-1)` independent fair signs, hence
mean 0, variance :math:`(s-1)(n-1)/n^2` and, in the limit, :math:`\mathcal N(0, s/n)`.

:source: Perez Jensen (2025), Deep Learning, Section 1.4; Hebb (1949), "The Organization of
    Behavior"; Hertz, Krogh and Palmer (1991), "Introduction to the Theory of Neural
    Computation", Section 2.2.
:covers: hopfield-hebbian-storage, hopfield-crosstalk
:erratum: [missing hypothesis] The notes demand a zero diagonal, yet their Hebb rule gives
    w_ii = s/n and their crosstalk sum keeps j = i. Then the mean of x_ti C_ti is (s-1)/n, not 0:
    it does not vanish at fixed s/n and it favours stability (n = 1000, s = 100: 0.099 against 0).
    The limit N(0, s/n) belongs to the sum over i != j.
"""

from jaxtyping import Bool, Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.connectionism.hopfield.energy import field
from corollary.theory.connectionism.hopfield.states import (
    checked_couplings,
    checked_patterns,
    checked_signs,
)


def hebbian_counts(
    patterns: Float[Tensor, "s n"], *, zero_diagonal: bool = True
) -> Float[Tensor, "n n"]:
    r"""The whole numbers :math:`n\,w_{ij}`: agreements minus disagreements of two neurons.

    Sums of whole numbers are exact in any order, so dynamics on these couplings break ties the
    same way on every path of computation. Costs :math:`O(s n^2)`.

    Example:
        >>> import torch
        >>> hebbian_counts(torch.tensor([[1.0, 1.0, -1.0], [1.0, 1.0, 1.0]])).tolist()
        [[0.0, 2.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    P = checked_patterns(patterns)
    J = P.mT @ P
    return J.fill_diagonal_(0) if zero_diagonal else J


def hebbian_weights(
    patterns: Float[Tensor, "s n"], *, zero_diagonal: bool = True
) -> Float[Tensor, "n n"]:
    r"""Couplings :math:`\frac1n \sum_t x_t x_t^\top`, by default without the diagonal.

    Args:
        patterns: Signs, one pattern per row.
        zero_diagonal: ``False`` keeps :math:`w_{ii} = s/n`, the rule as the notes print it.

    Example:
        >>> import torch
        >>> hebbian_weights(torch.tensor([[1.0, -1.0]])).tolist()
        [[0.0, -0.5], [-0.5, 0.0]]
    """
    return hebbian_counts(patterns, zero_diagonal=zero_diagonal) / patterns.shape[-1]


def hebbian_field(
    patterns: Float[Tensor, "s n"], X: Float[Tensor, "*batch n"]
) -> Float[Tensor, "*batch n"]:
    r"""The field :math:`\frac1n P^\top P X - \frac sn X` without ever forming :math:`W`.

    :math:`O(sn)` a state where the matrix costs :math:`O(n^2)`.

    Example:
        >>> import torch
        >>> hebbian_field(torch.tensor([[1.0, -1.0]]), torch.tensor([1.0, 1.0])).tolist()
        [-0.5, -0.5]
    """
    s, n = patterns.shape
    return ((X @ patterns.mT) @ patterns - s * X) / n


def is_stable(
    W: Float[Tensor, "n n"], x: Float[Tensor, "*batch n"], b: Float[Tensor, " n"] | None = None
) -> Bool[Tensor, "*batch"]:
    r"""Whether a state stays as it is with room to spare: :math:`x_i h_i > 0` for all neurons.

    A field of exactly zero is not stable here, although the rule :math:`\operatorname{sgn}(0)=+1`
    would leave a +1 alone.

    Example:
        >>> import torch
        >>> x = torch.tensor([[1.0, -1.0], [1.0, 1.0]])
        >>> is_stable(hebbian_weights(x[:1]), x).tolist()
        [True, False]
    """
    W, b = checked_couplings(W, b)
    return (checked_signs(x, W.shape[0]) * field(W, b, x) > 0).all(-1)


def crosstalk(
    patterns: Float[Tensor, "s n"], *, zero_diagonal: bool = True
) -> Float[Tensor, "s n"]:
    r"""The crosstalk :math:`C_{t,i}` of every stored bit, :math:`O(s^2 n)`.

    Args:
        patterns: Signs, one pattern per row.
        zero_diagonal: ``False`` keeps the terms :math:`j = i`, as the notes print the sum.

    Example:
        >>> import torch
        >>> crosstalk(torch.tensor([[1.0, 1.0, 1.0], [1.0, 1.0, -1.0]])).mul(3).tolist()
        [[0.0, 0.0, -2.0], [0.0, 0.0, 2.0]]
    """
    s, n = checked_patterns(patterns).shape
    overlaps = (patterns @ patterns.mT).fill_diagonal_(0)  # r != t
    C = overlaps @ patterns
    return (C - (s - 1) * patterns if zero_diagonal else C) / n


def overlap(
    X: Float[Tensor, "*batch n"], patterns: Float[Tensor, "*batch n"]
) -> Float[Tensor, "*batch"]:
    r"""The overlap :math:`m = \frac1n \langle X, x_t \rangle` of states with their patterns.

    Example:
        >>> import torch
        >>> overlap(torch.tensor([1.0, 1.0, 1.0, -1.0]), torch.ones(4)).item()
        0.5
    """
    if X.shape[-1] != patterns.shape[-1]:
        raise InputError(
            f"states and patterns need the same length, got {X.shape[-1]} and "
            f"{patterns.shape[-1]} entries"
        )
    return (X * patterns).mean(-1)


def squared_overlap(patterns: Float[Tensor, "s n"]) -> float:
    r"""Mean of :math:`\langle x_r, x_t\rangle^2 / n` over :math:`r \ne t`; independent signs: 1.

    Orthogonal patterns have 0, patterns that resemble each other more than 1. For independent
    fair signs the standard deviation is about :math:`\sqrt{2 / \text{pairs}}`.

    Example:
        >>> import torch
        >>> squared_overlap(torch.ones(3, 5)), squared_overlap(torch.tensor([[1.0, 1], [1, -1]]))
        (5.0, 0.0)
    """
    s, n = checked_patterns(patterns).shape
    if s < 2:
        raise InputError(f"an overlap needs two patterns, got {s}")
    G = (patterns @ patterns.mT).fill_diagonal_(0)
    return float((G**2).sum() / (n * s * (s - 1)))
