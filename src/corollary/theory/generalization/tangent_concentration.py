r"""How near the tangent kernel of a random two-layer network is to its expectation.

For :math:`f(x)=\frac1{\sqrt m}\sum_ka_k\sigma(w_k^\top x)` with :math:`a_k=\pm1`,
:math:`|\sigma'|\le B` and the first layer trained, the tangent kernel on the rows of X is a mean of
independent matrices,

.. math:: \hat G=\frac1m\sum_kH_k,\qquad
    (H_k)_{ij}=x_i^\top x_j\,\sigma'(w_k^\top x_i)\,\sigma'(w_k^\top x_j),\qquad
    \|H_k\|_F\le B^2\|XX^\top\|_F\le B^2\|X\|_F^2 ,

and with probability at least :math:`1-\delta`, for all :math:`\|u\|\le1`,

.. math:: |u^\top Gu-u^\top\hat Gu|\le\star
    =\frac{2B^2\|X\|_F^2}{\sqrt m}+6B^2\|X\|_F^2\sqrt{\frac{\ln(2/\delta)}{2m}},\qquad G=\mathbb
    E\,\hat G .

:source: Lucchi (2025), Foundations of Deep Learning, Chapter 8, Problem 2, (8.28) and Theorem 66.
"""

import math

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.networks.activations import Activation

ENUMERABLE = 12  # matrices up to which all 2^m signs are tried


def ntk_summands(
    W: Float[Tensor, "m d"],
    X: Float[Tensor, "n d"],
    act: Activation,
    a: Float[Tensor, " m"] | None = None,
) -> Float[Tensor, "m n n"]:
    r"""The matrices :math:`a_k^2H_k`, whose mean is the tangent kernel; :math:`O(mn^2)` numbers.

    Args:
        W: Weights of the units.
        X: Inputs.
        act: The activation with its derivative.
        a: Output weights; ``None`` for signs.

    Example:
        >>> from corollary.theory.networks.activations import activation
        >>> x = torch.tensor([[3.0], [2.0]])
        >>> ntk_summands(torch.ones(1, 1), x, activation("relu")).tolist()
        [[[9.0, 6.0], [6.0, 4.0]]]

    :covers: ntk-gram-frobenius-bound
    """
    features = act.derivative(W @ X.T)  # (m, n)
    if a is not None:
        features = features * a[:, None]
    return features[:, :, None] * (X @ X.T) * features[:, None, :]


def sampled_gram(
    W: Float[Tensor, "*r m d"],
    X: Float[Tensor, "n d"],
    act: Activation,
    a: Float[Tensor, "*r m"] | None = None,
) -> Float[Tensor, "*r n n"]:
    r"""Their mean :math:`\hat G` without the summands, for many draws of weights at once.

    Example:
        >>> from corollary.theory.networks.activations import activation
        >>> w = torch.tensor([[1.0], [-1.0]])
        >>> sampled_gram(w, torch.tensor([[2.0]]), activation("relu")).item()
        2.0
    """
    features = act.derivative(W @ X.T)  # (*r, m, n)
    if a is not None:
        features = features * a[..., None]
    return (X @ X.T) * (features.mT @ features) / W.shape[-2]


def gram_frobenius_bound(X: Float[Tensor, "n d"], B: float | int = 1.0) -> tuple[float, float]:
    r"""The two bounds on :math:`\|H_k\|_F`: by :math:`\|XX^\top\|_F` and by :math:`\|X\|_F^2`.

    Example:
        >>> sharp, loose = gram_frobenius_bound(torch.eye(4))
        >>> sharp, loose
        (2.0, 4.0)
    """
    _check_slope(B)
    return B**2 * float((X @ X.T).norm()), B**2 * float(X.square().sum())


def rademacher_matrix_ball(
    H: Float[Tensor, "m n p"], *, draws: int = 1000, rng: Generator | None = None
) -> Float[Tensor, " s"]:
    r"""Draws of :math:`\|\frac1m\sum_i\epsilon_iH_i\|_F`; their mean is the complexity.

    The supremum of :math:`\langle U,V\rangle_F` over :math:`\|V\|_F\le1` is :math:`\|U\|_F`, so
    this mean is :math:`\mathcal R(\mathcal F|_{\mathcal H})`. Without ``rng`` all :math:`2^{m-1}`
    signs (up to a common factor) are taken, and the mean is exact.

    Example:
        >>> e = torch.eye(2)[:, :, None]  # two matrices of length 1, at right angles
        >>> round(rademacher_matrix_ball(e).mean().item(), 4)  # half the root of 2
        0.7071

    :covers: ntk-rademacher-matrix-class
    """
    m = len(H)
    if rng is None:
        if m > ENUMERABLE:
            raise InputError(
                f"the signs of {m} matrices are too many to list (at most "
                f"{ENUMERABLE}); pass rng to draw them"
            )
        bits = torch.arange(2 ** (m - 1), device=H.device)[:, None] >> torch.arange(m).to(H.device)
        signs = 1 - 2 * (bits & 1).to(H.dtype)
    else:
        bits = torch.randint(0, 2, (draws, m), generator=rng, device=rng.device)
        signs = 1 - 2 * bits.to(H.dtype)
    lengths: Tensor = (signs @ H.flatten(1)).norm(dim=1)
    return lengths / m


def rademacher_matrix_bound(m: int, X: Float[Tensor, "n d"], B: float | int = 1.0) -> float:
    r"""The bound :math:`B^2\|X\|_F^2/\sqrt m` on the complexity.

    Example:
        >>> rademacher_matrix_bound(4, torch.eye(2))
        1.0
    """
    return gram_frobenius_bound(X, B)[1] / math.sqrt(_checked(m))


def ntk_concentration_bound(
    X: Float[Tensor, "n d"], B: float | int, m: int, delta: float, *, sharp: bool = False
) -> float:
    r"""The deviation :math:`\star` that holds with probability :math:`1-\delta` for all u at once.

    Args:
        X: Inputs.
        B: Largest slope of the activation.
        m: Units.
        delta: Probability of failure.
        sharp: Take :math:`\|XX^\top\|_F` for :math:`\|X\|_F^2`, which the same proof allows.

    Example:
        >>> star = ntk_concentration_bound(torch.ones(1, 1), 1.0, 100, 2 / math.e**2)
        >>> round(star, 12)  # (2 + 6) / 10
        0.8

    :covers: ntk-quadratic-form-concentration
    :erratum: [typo] Theorem 66 bounds f(H) minus the mean of the f(H_k) with a slack over 2n; the
        first term must be E f(H), and the slack is over 2m with m the number of matrices, as in
        (8.28).
    """
    scale = gram_frobenius_bound(X, B)[0 if sharp else 1]
    return scale * (2 + 6 * math.sqrt(_log_two_over(delta) / 2)) / math.sqrt(_checked(m))


def ntk_eigen_bounds(
    G: Float[Tensor, "n n"], X: Float[Tensor, "n d"], B: float | int, m: int, delta: float
) -> tuple[float, float]:
    r"""What :math:`\lambda_{\min}(\hat G)` is at least and :math:`\lambda_{\max}(\hat G)` at most.

    Example:
        >>> x = torch.eye(2)
        >>> low, high = ntk_eigen_bounds(x / 2, x, 1.0, 10**10, 0.1)
        >>> round(low, 3), round(high, 3)
        (0.5, 0.5)

    :covers: ntk-eigenvalue-concentration
    """
    star, values = ntk_concentration_bound(X, B, m, delta), torch.linalg.eigvalsh(G)
    return float(values[0]) - star, float(values[-1]) + star


def width_for_positive_definiteness(
    lambda_min: float | int, X: Float[Tensor, "n d"], B: float | int, delta: float
) -> int:
    r"""The width from which :math:`\lambda_{\min}(\hat G)>0` with probability :math:`1-\delta`.

    It grows like :math:`(B^2\|X\|_F^2/\lambda_{\min})^2`.

    Example:
        >>> width_for_positive_definiteness(0.8, torch.ones(1, 1), 1.0, 2 / math.e**2)
        101
    """
    if not 0 < lambda_min < math.inf:
        raise InputError(f"lambda_min must be positive, got {lambda_min:g}")
    at_one = ntk_concentration_bound(X, B, 1, delta)
    return math.floor(round((at_one / lambda_min) ** 2, 9)) + 1


def _log_two_over(delta: float) -> float:
    if not 0 < delta < 1:
        raise InputError(f"delta must lie between 0 and 1, got {delta:g}")
    return math.log(2 / delta)


def _checked(m: int) -> int:
    if m < 1:
        raise InputError(f"the number of units must be at least 1, got {m}")
    return m


def _check_slope(B: float | int) -> None:
    if not 0 < B < math.inf:
        raise InputError(f"the largest slope B must be a positive number, got {B:g}")
