r"""Ridge regression shrinks directions of small variance most.

For :math:`\min_w\|Xw-y\|^2+\lambda\|w\|^2` and :math:`X=UDV^\top` the predictions are

.. math:: X\hat w=\sum_iu_i\,\frac{d_i^2}{d_i^2+\lambda}\,u_i^\top y .

Least squares has all factors 1; the ridge leaves directions with :math:`d_i^2\gg\lambda` alone and
erases those with :math:`d_i^2\ll\lambda`. With the penalty :math:`\frac\lambda2\|w\|^2`, as printed
in the notes, the denominator is :math:`d_i^2+\lambda/2`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.3, Problem 1, (11.28)-(11.29);
    Hoerl and Kennard (1970), "Ridge regression: biased estimation for nonorthogonal problems".
:kind: identity
:uses: singular_vectors, normal_equations
:covers: ridge-regression-shrinkage
:erratum: [typo] (11.28) has the penalty (lambda/2)||w||^2, for which the denominator of (11.29) is
    d_i^2 + lambda/2; the printed d_i^2 + lambda belongs to lambda ||w||^2. The counterexample
    minimises (11.28) as printed and does not meet (11.29). (11.31) has the opposite slip: the two
    formulas have each other's penalty.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, normal, option
from corollary.theory.regularization.ridge import ridge_prediction


class Given(NamedTuple):
    X: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]
    lam: float  # strength lambda
    penalty: float  # what stands before the squared length in the objective

    @property
    def singular_values(self) -> Tensor:
        """Those of X, the largest first."""
        values: Tensor = torch.linalg.svdvals(self.X)
        return values

    def share(self, prediction: Tensor) -> Tensor:
        """What a prediction keeps of the targets along each left singular vector."""
        U: Tensor = torch.linalg.svd(self.X, full_matrices=False).U
        return (U.T @ prediction) / (U.T @ self.y)


class RidgeShrinkage(Claim[Given]):
    n: int = option(30, low=2, high=500)  # data points
    d: int = option(8, low=1, high=100)  # parameters
    lam: float = option(5.0, low=1e-6, high=1e6)  # strength of the penalty

    relation = equals(ulps=2**20, scale=1.0)  # a system of condition some hundred, over uᵀy
    supposes = Suppose(
        "the penalty is λ‖w‖²",
        lambda g: (g.penalty == g.lam, f"λ = {g.lam:g}, penalty {g.penalty:g} ‖w‖²"),
        "With half of the penalty, as in (11.28), the denominator is d² + λ/2.",
        penalty=lambda g: g.lam / 2,
    )
    symbols = "d²/(d² + λ)", "share of uᵀy that is kept"
    shows = Along(
        "Ridge regression shrinks directions of small variance most",
        x="singular value d",
        at="singular_values",
        log="x",
    )

    def given(self, rng: Generator) -> Given:
        X = torch.logspace(0, -1, self.d, dtype=torch.float64) * normal(rng, self.n, self.d)
        y = X.sum(dim=1) + 0.3 * normal(rng, self.n)
        return Given(X, y, self.lam, self.lam)

    def predict(self, given: Given) -> Tensor:
        return given.share(ridge_prediction(given.X, given.y, given.lam))

    def measure(self, given: Given) -> Tensor:
        X, y, _, penalty = given
        gram = X.T @ X + penalty * torch.eye(X.shape[1], dtype=X.dtype)
        return given.share(X @ torch.linalg.solve(gram, X.T @ y))
