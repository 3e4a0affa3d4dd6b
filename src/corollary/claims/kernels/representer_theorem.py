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
:cost: instant
:covers: representer-theorem
:erratum: [missing hypothesis] Theorem 53 speaks of a regularised risk but is then applied to the
    loss (7.1), which has no regulariser. With more features than inputs, theta + v with Phi v = 0
    has the same loss and other values elsewhere: the counterexample (lambda = 0) measures it.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, equals, option
from corollary.theory.kernels.regression import kernel_regression, outside_span


class Given(NamedTuple):
    """A regularised problem in feature space and where descent starts."""

    phi: Float[Tensor, "n p"]
    y: Float[Tensor, " n"]
    new: Float[Tensor, "m p"]
    start: Float[Tensor, " p"]
    lam: float


class RepresenterTheorem(Claim[Given]):
    n: int = option(10, low=1, high=50)  # inputs
    p: int = option(30, low=2, high=200)  # features
    lam: float = option(1.0, low=0.1, high=10.0)  # regulariser
    relation = equals(ulps=2**18, scale=1.0)  # descent stops 1e-11 from its limit

    def given(self, rng: Generator) -> Given:
        """Gaussian features and a Gaussian start."""
        phi = torch.randn(self.n, self.p, generator=rng, dtype=torch.float64)
        y = torch.randn(self.n, generator=rng, dtype=torch.float64)
        new = torch.randn(4, self.p, generator=rng, dtype=torch.float64)
        start = torch.randn(self.p, generator=rng, dtype=torch.float64)
        return Given(phi, y, new, start, self.lam)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The regulariser increases."""
        yield Hypothesis("the regulariser is strictly increasing", given.lam > 0)

    def predict(self, given: Given) -> list[float]:
        """Values at new inputs from the coefficients, and nothing outside the span."""
        k = given.phi @ given.phi.T
        alpha = kernel_regression(k, given.y, ridge=given.lam, singular="pinv").alpha
        return [*(given.new @ given.phi.T @ alpha).tolist(), 0.0]

    def measure(self, given: Given) -> list[float]:
        """The same from gradient descent on the features."""
        theta = _descent(given)[-1]
        return [*(given.new @ theta).tolist(), outside_span(theta, given.phi)]

    def counterexample(self, rng: Generator) -> Given:
        """No regulariser: what lies outside the span stays."""
        return self.given(rng)._replace(lam=0.0)

    def figure(self, given: Given) -> Figure:
        """How the part outside the span dies out, with and without a regulariser."""
        steps = range(0, 400, 20)
        marks = []
        for lam, label, role in ((given.lam, "λ > 0", "measured"), (0.0, "λ = 0", "other")):
            path = _descent(given._replace(lam=lam), 400)
            size = [outside_span(path[k], given.phi) for k in steps]
            marks.append(Curve(size, x=list(steps), label=label, role=role))
        return Figure(
            "Descent into the span of the training features",
            x="step",
            y="distance to the span",
            marks=(*marks, Level(0.0, label="the theorem")),
        )


def _descent(given: Given, steps: int | None = None) -> Float[Tensor, "t p"]:
    """Iterates of gradient descent, until the slowest direction has shrunk by 1e-12."""
    phi, y, _, theta, lam = given
    top = float(torch.linalg.matrix_norm(phi, 2)) ** 2 + lam
    if steps is None:
        steps = min(int(28 * top / max(lam, 0.1)) + 1, 20_000)
    path = [theta]
    matrix = torch.eye(len(theta), dtype=theta.dtype) * (1 - lam / top) - phi.T @ phi / top
    shift = phi.T @ y / top
    for _ in range(steps):
        path.append(torch.addmv(shift, matrix, path[-1]))
    return torch.stack(path)
