r"""Representer theorem.

A minimiser of :math:`\sum_i\ell(f(x_i), y_i) + \Omega(\|f\|)` with :math:`\Omega` strictly
increasing has the form :math:`f = \sum_i\alpha_iK(\cdot, x_i)`: a part orthogonal to the training
features would cost norm and change no loss. For ridge regression
:math:`\alpha = (K + \lambda I)^{-1}y`, and gradient descent on the features ends there from any
start. Without a regulariser only the minimiser of smallest norm must have this form.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 53; Kimeldorf and Wahba (1971), "Some
    results on Tchebycheffian spline functions"; Schölkopf, Herbrich and Smola (2001), "A
    generalized representer theorem".
:kind: theorem
:covers: representer-theorem
:erratum: [missing hypothesis] Theorem 53 speaks of a regularised risk but is then applied to the
    loss (7.1), which has no regulariser. With more features than inputs, theta + v with Phi v = 0
    has the same loss and other values elsewhere: the counterexample (lambda = 0) measures it.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, equals, normal, option
from corollary.core.picture import Curve, Marks, picture
from corollary.theory.kernels.regression import kernel_regression, outside_span


class Given(NamedTuple):
    phi: Float[Tensor, "n p"]  # features of the inputs
    y: Float[Tensor, " n"]  # targets
    new: Float[Tensor, "m p"]  # features of other inputs
    start: Float[Tensor, " p"]  # where descent starts
    lam: float  # regulariser


class RepresenterTheorem(Claim[Given]):
    n: int = option(10, low=1, high=50)  # inputs
    p: int = option(30, low=2, high=200)  # features
    lam: float = option(1.0, low=0.1, high=10.0)  # regulariser

    relation = equals(ulps=2**18, scale=1.0)  # descent stops 1e-11 from its limit
    supposes = Suppose(
        "the regulariser is strictly increasing",
        lambda g: g.lam,
        "Without a regulariser, the part outside the span does not decay.",
        lam=0.0,
    )
    symbols = "Σ αᵢ K(x, xᵢ)", "by gradient descent"
    rows = "f(x₁)", "f(x₂)", "f(x₃)", "f(x₄)", "distance to the span"

    def given(self, rng: Generator) -> Given:
        phi, y = normal(rng, self.n, self.p), normal(rng, self.n)
        return Given(phi, y, normal(rng, 4, self.p), normal(rng, self.p), self.lam)

    def predict(self, given: Given) -> list[float]:
        k = given.phi @ given.phi.T
        alpha = kernel_regression(k, given.y, ridge=given.lam, singular="pinv").alpha
        return [*(given.new @ given.phi.T @ alpha).tolist(), 0.0]

    def measure(self, given: Given) -> Kept:
        phi, y, new, theta, lam = given
        top = float(torch.linalg.matrix_norm(phi, 2)) ** 2 + lam
        matrix = torch.eye(len(theta)).double() * (1 - lam / top) - phi.T @ phi / top
        outside = []
        for step in range(min(int(28 * top / max(lam, 0.1)) + 1, 20_000)):  # down to 1e-12
            if step < 400:
                outside.append(outside_span(theta, phi))
            theta = torch.addmv(phi.T @ y / top, matrix, theta)
        return Kept([*(new @ theta).tolist(), outside_span(theta, phi)], outside=outside)

    @picture(
        "Distance to the span of the training features in gradient descent",
        x="step",
        y="distance to the span",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        yield Curve(trial.kept.outside, label="with a regulariser")
        for b in trial.without:
            yield Curve(b.kept.outside, label=b.words, role="other")
