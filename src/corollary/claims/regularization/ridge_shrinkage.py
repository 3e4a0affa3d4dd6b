r"""Ridge regression shrinks thin directions most.

For :math:`\min_w\|Xw-y\|^2+\lambda\|w\|^2` and :math:`X=UDV^\top` the predictions are

.. math:: X\hat w=\sum_iu_i\,\frac{d_i^2}{d_i^2+\lambda}\,u_i^\top y .

Least squares has all factors 1; the ridge leaves directions with :math:`d_i^2\gg\lambda` alone and
erases those with :math:`d_i^2\ll\lambda`. With the penalty :math:`\frac\lambda2\|w\|^2`, as printed
in the notes, the denominator is :math:`d_i^2+\lambda/2`.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.3, Problem 1, (11.28)-(11.29);
    Hoerl and Kennard (1970), "Ridge regression: biased estimation for nonorthogonal problems".
:kind: identity
:cost: instant
:covers: ridge-regression-shrinkage
:erratum: [typo] (11.28) has the penalty (lambda/2)||w||^2, for which the denominator of (11.29) is
    d_i^2 + lambda/2; the printed d_i^2 + lambda belongs to lambda ||w||^2. The counterexample
    minimises (11.28) as printed and does not meet (11.29).
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, equals, option
from corollary.theory.regularization.ridge import degrees_of_freedom, ridge_prediction


class Given(NamedTuple):
    """Data, the strength lambda, and what stands before the squared length in the objective."""

    X: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]
    lam: float
    penalty: float


class RidgeShrinkage(Claim[Given]):
    n: int = option(30, low=2, high=500)  # data points
    d: int = option(8, low=1, high=100)  # parameters
    lam: float = option(5.0, low=1e-6, high=1e6)  # strength of the penalty
    relation = equals(ulps=2**16, scale=1.0)  # a linear system of condition up to some hundred

    def given(self, rng: Generator) -> Given:
        """Columns of decreasing size, and targets with noise."""
        scale = torch.logspace(0, -1, self.d, dtype=torch.float64)
        X = scale * torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        y = X.sum(dim=1) + 0.3 * torch.randn(self.n, generator=rng, dtype=torch.float64)
        return Given(X, y, self.lam, self.lam)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The factor of the penalty."""
        detail = f"λ = {given.lam:g}, penalty {given.penalty:g} ‖w‖²"
        yield Hypothesis("the penalty is λ‖w‖²", given.penalty == given.lam, detail)

    def predict(self, given: Given) -> list[float]:
        """Shrunken targets."""
        return ridge_prediction(given.X, given.y, given.lam).tolist()

    def measure(self, given: Given) -> list[float]:
        """Predictions of the w where the gradient of the objective vanishes."""
        X, y, _, penalty = given
        gram = X.T @ X + penalty * torch.eye(X.shape[1], dtype=X.dtype)
        return (X @ torch.linalg.solve(gram, X.T @ y)).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Half the penalty, as (11.28) has it."""
        given = self.given(rng)
        return given._replace(penalty=given.lam / 2)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The factors of this data, and the degrees of freedom over the penalty."""
        X, y = given.X, given.y
        U, d, _ = torch.linalg.svd(X, full_matrices=False)
        kept = (U.T @ y.new_tensor(self.measure(given))) / (U.T @ y)
        grid = torch.logspace(-1.5, 1.5, 80, dtype=torch.float64) * self.lam**0.5
        factors = Figure(
            "What is kept of the targets along each singular vector",
            x="singular value d",
            y="share kept",
            log_x=True,
            marks=(
                Curve(
                    grid**2 / (grid**2 + given.lam), x=grid, label="d²/(d² + λ)", role="predicted"
                ),
                Curve(
                    grid**2 / (grid**2 + given.lam / 2),
                    x=grid,
                    label="d²/(d² + λ/2), the printed penalty",
                    role="other",
                    dashed=True,
                ),
                Points(d, kept, label="this data"),
            ),
        )
        lams = torch.logspace(-3, 4, 60, dtype=torch.float64)
        freedom = Figure(
            "Degrees of freedom that a penalty leaves",
            x="λ",
            y="Σ d²/(d² + λ)",
            log_x=True,
            marks=(
                Curve([degrees_of_freedom(X, float(v)) for v in lams], x=lams, label="ridge"),
                Level(X.shape[1], label="least squares", role="other"),
                Level(given.lam, label="λ of the claim", role="other", axis="x"),
            ),
        )
        return factors, freedom
