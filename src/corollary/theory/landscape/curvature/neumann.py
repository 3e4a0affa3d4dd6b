r"""The inverse of a damped operator by a truncated Neumann series.

.. math:: (A + \lambda I)^{-1} \approx \alpha \sum_{k=0}^{K} (I - \alpha (A + \lambda I))^k,

with the residual :math:`(I - \alpha(A + \lambda I))^{K+1} b`: the steps of gradient descent of size
:math:`\alpha` on :math:`\frac12 x^\top (A + \lambda I) x - b^\top x`. It converges if and only if
all eigenvalues of :math:`A + \lambda I` (that b has a part in) lie between 0 and
:math:`2/\alpha`, far slower than conjugate gradients; but it is a linear map of b with a
fixed number of products.

Divergence shows before it overflows. The terms have :math:`\|v_k\|^2 = \sum_i c_i \mu_i^{2k}`,
which is log-convex in k: once they grow, they grow forever, so the first term that is longer
than the one before proves that the series diverges.

:source: Lorraine, Vicol and Duvenaud (2020), "Optimizing millions of hyperparameters by implicit
    differentiation", Section 3.2; Agarwal, Bullins and Hazan (2017), "Second-order stochastic
    optimization for machine learning in linear time".
"""

from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.landscape.curvature.calls import of_model
from corollary.theory.landscape.curvature.eigen import as_operator, top_eigenpairs
from corollary.theory.landscape.curvature.inverse import DampedInverse
from corollary.theory.landscape.curvature.landscape import Landscape
from corollary.theory.landscape.curvature.operator import Curvature

GROWTH = 1 + 1e-6  # a longer term than this is no rounding, also in single precision


class NeumannInverse(DampedInverse):
    r"""The truncated series; made by :func:`neumann_inverse`."""

    method = "Neumann series"

    def __init__(self, A: Curvature, damping: float | int, terms: int, scale: float) -> None:
        super().__init__(A, damping)
        self.terms, self.scale = terms, scale
        self.path = f"{terms} terms of the {self.path}"

    def _solution(self, b: Tensor, length: float) -> Tensor:
        v, x, before = b, b.clone(), length
        for _ in range(self.terms):
            moved = self._damped(v)
            new = v - self.scale * moved
            now = float(new.norm())
            if now > GROWTH * before:
                self._refuse_divergence(float(v @ moved) / before**2, now / before)
            v, before = new, now
            x += v
            if now == 0:
                break
        return self.scale * x

    def _refuse_divergence(self, bend: float, growth: float) -> None:
        if bend > 0:
            why = f"scale={self.scale:g} is above 2 over the largest eigenvalue"
            remedy = f"take one below {2 / bend:.3g}, or None to have it chosen"
        else:
            why = f"the damped operator has curvature {bend:.3g} along a direction"
            remedy = f"raise damping above {self.damping - bend:.3g}, or use lsmr_inverse"
        raise InputError(
            f"the Neumann series diverges: each term is {growth:.4g} times the one before, "
            f"because {why}; {remedy}"
        )


@of_model
def neumann_inverse(
    subject: Landscape | Curvature,
    *,
    damping: float | int = 0.0,
    terms: int = 100,
    scale: float | int | None = None,
    rng: int | Generator = 0,
) -> NeumannInverse:
    r"""The operator :math:`\alpha\sum_{k\le K} (I - \alpha(A + \lambda I))^k`.

    A product with it costs K products with A and one for the residual.

    Args:
        subject: A landscape (its Hessian is meant), an operator, or model, loss and data.
        damping: :math:`\lambda`.
        terms: K, the terms after the first.
        scale: :math:`\alpha`; by default one over the largest eigenvalue of
            :math:`A + \lambda I`, found with some products by Lanczos' method.
        rng: Of its start vector.

    Example:
        >>> import torch
        >>> from corollary.theory.landscape.curvature.operator import Explicit
        >>> A = Explicit(torch.diag(torch.tensor([1.0, 0.5])))
        >>> series = neumann_inverse(A, terms=2, scale=1)
        >>> (series @ torch.ones(2)).tolist()  # 1 and 1 + 1/2 + 1/4
        [1.0, 1.75]
        >>> round(series.residual * 2**0.5, 6)  # (1/2)^3
        0.125
    """
    A = as_operator(subject)
    if terms < 1:
        raise InputError(f"terms must be at least 1, got {terms}")
    if scale is None:
        scale = _safe_scale(A, float(damping), rng)
    if not 0 < scale < float("inf"):
        raise InputError(f"scale must be a positive number, got {scale}")
    return NeumannInverse(A, damping, terms, float(scale))


def _safe_scale(A: Curvature, damping: float, rng: int | Generator) -> float:
    """One over the largest eigenvalue: half of what would still converge."""
    top = top_eigenpairs(A, 1, tol=0.01, rng=rng)
    largest = float(top.values[0] + top.residuals[0]) + damping
    if largest <= 0:
        raise InputError(
            f"the largest eigenvalue of the damped operator is {largest:.3g}, so no scale makes "
            "the Neumann series converge; raise damping, or use lsmr_inverse"
        )
    return 1 / largest
