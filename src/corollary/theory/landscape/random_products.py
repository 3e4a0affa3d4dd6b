r"""Second and fourth moments of products of random matrices, in closed form.

All layers are :math:`d\times d`, independent, with independent centred entries of variance
:math:`\sigma^2` (``s2``). What decides whether a deep linear network starts with a signal and a
gradient is whether :math:`d\sigma^2` is 1.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.2, Lemma 48 to Theorem 52. The exact
    values behind Lemma 51 and Theorem 52 are ours, derived at the functions.
"""

import math
from typing import Any, Literal

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError

Law = Literal["gaussian", "rademacher", "uniform", "laplace"]
KURTOSIS: dict[Law, float] = {"gaussian": 3.0, "rademacher": 1.0, "uniform": 1.8, "laplace": 6.0}


def entries(law: Law, shape: tuple[int, ...], s2: float, *, rng: Generator) -> Tensor:
    """Independent centred numbers of variance ``s2``, in float64.

    Example:
        >>> entries("rademacher", (2,), 4.0, rng=torch.Generator()).abs().tolist()
        [2.0, 2.0]
    """
    if law not in KURTOSIS:
        raise InputError(f"the law must be one of {', '.join(KURTOSIS)}, got {law!r}")
    f64: dict[str, Any] = {"generator": rng, "device": rng.device, "dtype": torch.float64}
    sigma: float = s2**0.5
    if law == "gaussian":
        return sigma * torch.randn(shape, **f64)
    u = torch.rand(shape, **f64) - 0.5
    if law == "rademacher":
        return sigma * (2 * (u >= 0).to(u) - 1)
    if law == "uniform":
        width: float = (12 * s2) ** 0.5
        return width * u
    scale: float = (s2 / 2) ** 0.5
    return scale * -u.sign() * torch.log1p(-2 * u.abs().clamp_max(0.5 - 2**-54))


def second_moment(A: Float[Tensor, "a d"], B: Float[Tensor, "e b"], s2: float) -> float:
    r"""The mean :math:`\mathbb E\|AWB\|_F^2=\sigma^2\|A\|_F^2\|B\|_F^2` for fixed A, B.

    Random A and B that are independent of W and of each other enter by their own means.

    Example:
        >>> second_moment(torch.tensor([[3.0, 4.0]]), torch.ones(2, 1), 0.5)
        25.0

    :covers: random-matrix-second-moment
    :erratum: [missing hypothesis] For random A, B Lemma 48 asks only that A, B and W be
        uncorrelated. The numbers A = z u, B = z v with independent signs u, v are uncorrelated, yet
        E A^2 B^2 = E z^4, not (E z^2)^2: 1.64 against 1 for z^2 = 0.2 or 1.8. Independence suffices
        and holds where the lemma is used.
    """
    return s2 * float(A.square().sum() * B.square().sum())


def forward_second_moment(d: int, s2: float, t: int) -> float:
    r"""The growth :math:`\mathbb E\|W^t\cdots W^1x\|^2/\|x\|^2=(d\sigma^2)^t`.

    Example:
        >>> forward_second_moment(4, 0.5, 3)
        8.0

    :covers: forward-norm-growth
    :erratum: [typo] The right side of (6.37) has W^{t-1} where the product W^{t-1:1} is meant, and
        so has u = W^{k-1} x before (6.45). The result is right.
    """
    _check(d, s2, t)
    return (d * s2) ** t


def fourth_moment(xi: Float[Tensor, " d"], s2: float, kappa: float) -> float:
    r"""The mean :math:`\mathbb E\|W\xi\|_2^4` for a :math:`\xi` independent of W.

    .. math:: d(d+2)\sigma^4\|\xi\|_2^4+(\kappa-3)\,d\,\sigma^4\|\xi\|_4^4,\qquad
        \kappa=\mathbb Ew^4/\sigma^4

    Example:
        >>> fourth_moment(torch.tensor([1.0]), 2.0, 3.0)  # three times the squared variance
        12.0

    :covers: random-matrix-fourth-moment
    :erratum: [missing hypothesis] Lemma 50 takes an arbitrary random vector xi; it must be
        independent of W. In the proof of (6.40) the first underbrace lacks E||xi||_2^4, the second
        lacks brackets, 3d(E||xi||_2^4 - E||xi||_4^4), and the pairings are those of r, s, u, v. The
        final formula is right.
    """
    d, two, four = len(xi), float(xi.square().sum()), float(xi.pow(4).sum())
    return s2**2 * (d * (d + 2) * two**2 + (kappa - 3) * d * four)


def gaussian_fourth_moment(d: int, s2: float, m: int) -> float:
    r"""For Gaussian layers :math:`\mathbb E\|W^m\cdots W^1x\|^4/\|x\|^4=(\sigma^4d(d+2))^m`.

    Example:
        >>> gaussian_fourth_moment(2, 1.0, 2)
        64.0
    """
    _check(d, s2, m)
    return (s2**2 * d * (d + 2)) ** m


def gram_fourth_moment(d: int, s2: float, m: int, *, exact: bool = True) -> float:
    r"""The mean :math:`\mathbb E\|M^\top M\|_F^2` of a product M of m Gaussian matrices.

    .. math:: \frac{\sigma^{4m}}3\Bigl[(d(d+2))^{m+1}-(d(d-1))^{m+1}\Bigr]

    With :math:`B=MM^\top` and a new layer, the pair :math:`(\mathbb E\operatorname{tr}B^2,
    \mathbb E(\operatorname{tr}B)^2)` is multiplied by :math:`\sigma^4\begin{pmatrix}d^2+d&d\\2d&
    d^2\end{pmatrix}`, whose eigenvalues are :math:`d(d+2)` and :math:`d(d-1)`; it starts at
    :math:`(d,d^2)`. Without the second power it is the bound in the proof of Theorem 52.

    Example:
        >>> gram_fourth_moment(2, 1.0, 1)  # d²(2d + 1)
        20.0

    :covers: random-gram-fourth-moment
    :erratum: [loose] The proof of Theorem 52 derives the bound from Lemma 48, which treats one
        random factor independent of the rest; here each W occurs four times. The bound is right, by
        the recursion above; d = 6, m = 1: the mean is 468, the bound 768.
    """
    _check(d, s2, m)
    top, low = (d * (d + 2)) ** (m + 1), (d * (d - 1)) ** (m + 1)
    mean: float = s2 ** (2 * m) * (top - low if exact else top) / 3
    return mean


def layer_gradient_second_moment(
    d: int, L: int, k: int, s2: float, *, rho: float, gamma: float, exact: bool = True
) -> float:
    r"""The mean of :math:`\|\partial\ell/\partial W^k\|_F^2` for the squared error of one example.

    For :math:`\ell=\frac12\|y-W^L\cdots W^1x\|^2` it is

    .. math:: \sigma^2\,\mathbb E\|W^{k-1:1}x\|^4\,\mathbb E\|M^\top M\|_F^2+
        (d\sigma^2)^{L-1}\gamma,\qquad M=W^{L:k+1}

    with :math:`\rho=\|x\|^4`, :math:`\gamma=\|x\|^2\|y\|^2`, for Gaussian layers. The cross term is
    linear in :math:`W^k` and has mean zero. Lemma 51 has both terms twice: ``exact=False``.

    Example:
        >>> layer_gradient_second_moment(1, 1, 1, 1.0, rho=1.0, gamma=4.0)  # E (w - 2)²
        5.0

    :covers: gradient-norm-lemma
    """
    if not 1 <= k <= L:
        raise InputError(f"k must lie between 1 and L = {L}, got {k}")
    first = rho * gaussian_fourth_moment(d, s2, k - 1) * gram_fourth_moment(d, s2, L - k)
    return (1 if exact else 2) * (s2 * first + gamma * (d * s2) ** (L - 1))


def deep_linear_gradient_bound(d: int, L: int, s2: float, *, rho: float, gamma: float) -> float:
    r"""A bound on that mean for every layer at once.

    .. math:: \frac{2\rho}{3\sigma^2}\bigl[\sigma^4d(d+2)\bigr]^L+2\gamma(\sigma^2d)^{L-1}

    Example:
        >>> deep_linear_gradient_bound(1, 1, 1.0, rho=1.0, gamma=4.0)  # twice the mean
        10.0

    :covers: gradient-norm-theorem
    :erratum: [loose] Theorem 52 is right. The comment after it gives sigma^4 > d(d+2) as the range
        where the first term dominates (rho about gamma); the ratio of the terms is
        (rho/gamma)(d/3)[s2(d+2)]^L, so s2 (d+2) >= 1 and d > 3 suffice, and sigma^4 > 1/(d(d+2)) is
        presumably meant. d = 10, s2 = 0.5: 0.25 is far below 120, yet the first term is larger by
        (10/3) 6^L.
    """
    _check(d, s2, L)
    first = 2 * rho / (3 * s2) * gaussian_fourth_moment(d, s2, L)
    return first + 2 * gamma * (d * s2) ** (L - 1)


def cross_entropy_gradient_bound(d: int, L: int, s2: float, *, x_sq: float) -> float:
    r"""The bound :math:`\mathbb E\|\partial\ell/\partial W^l\|_F^2\le2d(d\sigma^2)^{L-1}\|x\|^2`.

    From :math:`\|p-y\|^2\le2` and :math:`\|W^{L:l+1}\|\le\|W^{L:l+1}\|_F`, all widths d.

    Example:
        >>> cross_entropy_gradient_bound(4, 3, 0.25, x_sq=1.0)
        8.0
    """
    _check(d, s2, L)
    return 2 * d * (d * s2) ** (L - 1) * x_sq


def _check(d: int, s2: float, m: int) -> None:
    if d < 1 or m < 0 or not 0 < s2 < math.inf:
        raise InputError(
            f"d >= 1, s2 > 0 and a number of layers >= 0 are needed, got d={d}, s2={s2}, m={m}"
        )
