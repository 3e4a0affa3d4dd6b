r"""Gradient descent on a quadratic, in closed form, and what a change of variables does for it.

For :math:`f(x)=\frac12x^\top Qx-q^\top x` with :math:`Q\succ0` the coordinate :math:`z_i` along an
eigenvector has :math:`g_i(z)-g_i^*=\frac1{2\lambda_i}(\lambda_iz-q_i)^2`, and a step multiplies it
by :math:`(1-\eta\lambda_i)^2`. So descent converges from every start iff
:math:`0<\eta<2/\lambda_{\max}`, and the best constant step and its rate are

.. math:: \eta^*=\frac2{\lambda_{\max}+\lambda_{\min}},\qquad
   \rho=\Bigl(\frac{\kappa-1}{\kappa+1}\Bigr)^2\le\Bigl(1-\frac1\kappa\Bigr)^2,\qquad
   \kappa=\frac{\lambda_{\max}}{\lambda_{\min}} .

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.4, Figures 5.4 and 5.5.
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.prerequisites.gradients import Function
from corollary.theory.prerequisites.orthogonal import random_orthogonal
from corollary.theory.prerequisites.wellformed import check_positive, check_symmetric


class QuadraticRate(NamedTuple):
    """How a step of size eta acts on each eigenvector of Q."""

    eigenvalues: Float[Tensor, " d"]  # ascending
    directions: Float[Tensor, "d d"]  # eigenvectors as columns
    factors: Float[Tensor, " d"]  # (1 - eta lambda)^2, of the gap in f
    converges: bool  # from every start


class OptimalStep(NamedTuple):
    """The best constant step, its rate and the condition number."""

    eta: float
    rho: float  # factor a step of the gap in f, from the worst start
    kappa: float


def quadratic_rate(Q: Float[Tensor, "d d"], eta: float) -> QuadraticRate:
    r"""The factor :math:`(1-\eta\lambda)^2` of a step along each eigenvector; :math:`Q\succ0`.

    Example:
        >>> rate = quadratic_rate(torch.diag(torch.tensor([1.0, 2.0])), eta=0.75)
        >>> rate.factors.tolist(), rate.converges
        ([0.0625, 0.25], True)

    :covers: gd-quadratic-rate
    :erratum: [loose] Section 5.4 says that eta < 1/lambda (in d dimensions eta <= 1/lambda_max) is
        needed; it is sufficient. |1 - eta lambda| < 1 iff 0 < eta < 2/lambda, and the optimal step
        of the same section breaks the stated condition: eigenvalues 1 and 10 give eta* = 0.182 >
        0.1 with factor 0.669. The claim gd_stability_threshold finds the limit. The sum over
        coordinates runs to d, not n.
    """
    values, vectors = _spectrum(Q)
    check_positive("eta", eta)
    factors = (1 - eta * values).square()
    return QuadraticRate(values, vectors, factors, bool(factors.max() < 1))


def quadratic_iterate(
    Q: Float[Tensor, "d d"], q: Float[Tensor, " d"], x0: Float[Tensor, " d"], eta: float, k: int
) -> Float[Tensor, " d"]:
    r"""Iterate k without iterating: :math:`x_k=x^*+(I-\eta Q)^k(x_0-x^*)`, :math:`x^*=Q^{-1}q`.

    Example:
        >>> x = quadratic_iterate(torch.eye(1), torch.zeros(1), torch.ones(1), eta=0.5, k=3)
        >>> x.item()
        0.125
    """
    values, V = _spectrum(Q)
    z = V.T @ x0 - (V.T @ q) / values
    return V @ ((V.T @ q) / values + (1 - eta * values) ** k * z)


def optimal_step(Q: Float[Tensor, "d d"]) -> OptimalStep:
    r"""The step that minimises :math:`\max_i(1-\eta\lambda_i)^2`, with that rate.

    Example:
        >>> optimal_step(torch.diag(torch.tensor([1.0, 3.0], dtype=torch.float64)))
        OptimalStep(eta=0.5, rho=0.25, kappa=3.0)

    :covers: gd-optimal-step
    :erratum: [typo] Section 5.4 prints rho <= (1 - kappa)^2 with kappa = lambda_max/lambda_min,
        which is true and says nothing for kappa >= 2 (kappa = 10: 81 against rho = 0.669); kappa is
        meant inverted, (1 - 1/kappa)^2 = 0.81. And eta* is an argmin, written as a min.
    """
    values, _ = _spectrum(Q)
    low, high = float(values[0]), float(values[-1])
    return OptimalStep(2 / (high + low), ((high - low) / (high + low)) ** 2, high / low)


def iterations_to(eps: float, rho: float) -> int:
    r"""The steps after which :math:`\rho^k\le\varepsilon`.

    Example:
        >>> iterations_to(0.01, 0.5)
        7
    """
    if not (0 < eps < 1 and 0 <= rho < 1):
        raise InputError(f"eps and rho must lie in (0, 1) and [0, 1), got eps={eps:g}, rho={rho:g}")
    return 1 if rho == 0 else math.ceil(math.log(eps) / math.log(rho))


def precondition(f: Function, P: Float[Tensor, "d d"]) -> Function:
    r"""The function :math:`z\mapsto f(Pz)` of the new variable :math:`x=Pz`, with Hessian PHP.

    Example:
        >>> g = precondition(lambda x: (x**2).sum(), 3 * torch.eye(2))
        >>> g(torch.ones(2)).item()
        18.0

    :covers: preconditioner
    """
    check_symmetric("P", P)
    return lambda z: f(P @ z)


def whitening(Q: Float[Tensor, "d d"]) -> Float[Tensor, "d d"]:
    r"""The preconditioner :math:`Q^{-1/2}`: it makes all level sets round.

    Example:
        >>> whitening(torch.diag(torch.tensor([4.0, 0.25]))).diagonal().tolist()
        [0.5, 2.0]
    """
    values, V = _spectrum(Q)
    return (V * values.rsqrt()) @ V.T


def diagonal_scaling(Q: Float[Tensor, "d d"]) -> Float[Tensor, "d d"]:
    r"""Jacobi's preconditioner :math:`\mathrm{diag}(Q)^{-1/2}`: cheap, blind to rotations.

    Example:
        >>> diagonal_scaling(torch.diag(torch.tensor([4.0, 0.25]))).diagonal().tolist()
        [0.5, 2.0]
    """
    _spectrum(Q)
    return torch.diag(Q.diagonal().rsqrt())


def matrix_with_spectrum(values: Float[Tensor, " d"], *, rng: Generator) -> Float[Tensor, "d d"]:
    """A symmetric matrix with these eigenvalues, turned at random.

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> Q = matrix_with_spectrum(torch.tensor([1.0, 9.0], dtype=torch.float64), rng=rng)
        >>> [round(v, 9) for v in torch.linalg.eigvalsh(Q).tolist()]
        [1.0, 9.0]
    """
    V = random_orthogonal(len(values), rng=rng, dtype=values.dtype)
    Q = (V * values) @ V.T
    return (Q + Q.T) / 2


def _spectrum(Q: Tensor) -> tuple[Tensor, Tensor]:
    check_symmetric("Q", Q)
    values, vectors = torch.linalg.eigh((Q + Q.T) / 2)
    if not bool(values[0] > 0):
        raise InputError(
            f"Q must be positive definite, but its smallest eigenvalue is {float(values[0]):.3g}"
        )
    return values, vectors
