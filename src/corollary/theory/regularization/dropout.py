r"""Dropout in front of a linear read-out is a penalty, to the last digit.

With :math:`B_{jj}=b_j/(1-p)` and independent :math:`b_j\sim\mathrm{Ber}(1-p)`, of mean 1 and
variance :math:`p/(1-p)`,

.. math:: \frac1n\sum_iE_B\|y_i-WBa_i\|^2=\frac1n\sum_i\|y_i-Wa_i\|^2
   +\frac p{1-p}\sum_j\|W_{:j}\|^2\hat a_j^2,\qquad\hat a_j^2=\frac1n\sum_ia_{ij}^2 .

For a linear model, :math:`a_i=x_i`, this is ridge regression with :math:`\mathrm{diag}(X^\top X)`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.2, Theorem 74; Arora, Bartlett,
    Mianjy and Srebro (2020), "Dropout: explicit forms and capacity control"; Wager, Wang and Liang
    (2013), "Dropout training as adaptive regularization".
:covers: dropout-regression-regularizer
:erratum: [typo] The proof of Theorem 74 starts from B_ii ~ Ber(1-p), whose mean is 1-p; the factor
    1/(1-p) of the definition is needed for mean 1 and variance p/(1-p). (11.24) and (11.25) are
    called population risks but are averages over the n examples.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.wellformed import check_finite

MOST_UNITS = 16  # 2^16 masks are as many as one wants to enumerate


def check_rate(p: float) -> None:
    """Refuse a rate outside [0, 1): with p = 1 nothing is kept and nothing can be rescaled."""
    if not 0 <= p < 1:
        raise InputError(f"the dropout rate p must lie in [0, 1), got {p:g}")


def dropout_penalty(
    W: Float[Tensor, "k m"], A: Float[Tensor, "n m"], p: float
) -> Float[Tensor, ""]:
    r"""The penalty :math:`\frac p{1-p}\sum_j\|W_{:j}\|^2\hat a_j^2` of the read-out W.

    Args:
        W: Read-out weights, one row per output.
        A: Activations that are dropped, one row per example.
        p: The share that is dropped.

    Example:
        >>> dropout_penalty(torch.tensor([[2.0]]), torch.tensor([[3.0]]), p=0.5).item()
        36.0
    """
    _check(W, A, p)
    return p / (1 - p) * (W.square().sum(dim=0) * A.square().mean(dim=0)).sum()


def squared_loss(
    W: Float[Tensor, "k m"], A: Float[Tensor, "n m"], Y: Float[Tensor, "n k"]
) -> Float[Tensor, ""]:
    r"""The mean of :math:`\|y_i-Wa_i\|^2`, without dropout.

    Example:
        >>> squared_loss(torch.tensor([[2.0]]), torch.tensor([[3.0]]), torch.tensor([[7.0]])).item()
        1.0
    """
    return (Y - A @ W.T).square().sum(dim=1).mean()


def expected_dropout_loss(
    W: Float[Tensor, "k m"],
    A: Float[Tensor, "n m"],
    Y: Float[Tensor, "n k"],
    p: float,
    *,
    inverted: bool = True,
) -> Float[Tensor, ""]:
    r"""The mean of :math:`\|y_i-WBa_i\|^2` over every mask, weighted by its probability.

    Exact, by enumeration: :math:`O(2^mnmk)`, for at most 16 units. ``inverted=False`` leaves out
    the factor :math:`1/(1-p)`: another loss, whose mean output is :math:`(1-p)Wa`.

    Example:
        >>> W, A, Y = torch.tensor([[2.0]]), torch.tensor([[3.0]]), torch.tensor([[6.0]])
        >>> expected_dropout_loss(W, A, Y, p=0.5).item()  # outputs 0 and 12, with probability 1/2
        36.0
    """
    _check(W, A, p)
    m = W.shape[1]
    if m > MOST_UNITS:
        raise InputError(f"at most {MOST_UNITS} units can be enumerated, got {m}")
    bits = torch.arange(2**m, device=W.device)[:, None] >> torch.arange(m, device=W.device) & 1
    B = bits.to(W.dtype)
    weights = (B * (1 - p) + (1 - B) * p).prod(dim=1)
    scaled = B / (1 - p) if inverted else B
    outputs = torch.einsum("km,sm,nm->snk", W, scaled, A)
    return weights @ (Y - outputs).square().sum(dim=2).mean(dim=1)


def dropout_regression(
    X: Float[Tensor, "n d"], y: Float[Tensor, " n"], p: float
) -> Float[Tensor, " d"]:
    r"""The minimiser of the linear model's loss with dropped inputs, in closed form.

    .. math:: \hat w=\Bigl(X^\top X+\frac p{1-p}\operatorname{diag}(X^\top X)\Bigr)^{-1}X^\top y .

    Example:
        >>> dropout_regression(torch.tensor([[1.0]]), torch.tensor([4.0]), p=0.5).tolist()
        [2.0]
    """
    check_finite("X", X)
    check_rate(p)
    gram = X.T @ X
    if p == 0 or bool((gram.diagonal() == 0).any()):
        raise InputError(
            "p must be positive and no column of X may be zero, because the penalty must "
            "depend on all of w"
        )
    penalised = gram + p / (1 - p) * torch.diag(gram.diagonal())
    w: Tensor = torch.linalg.solve(penalised, X.T @ y)
    return w


def _check(W: Tensor, A: Tensor, p: float) -> None:
    check_finite("W", W)
    check_finite("A", A)
    check_rate(p)
