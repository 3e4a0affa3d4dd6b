r"""Smooth means bounded curvature.

A twice differentiable f on a convex set is L-smooth,
:math:`\|\nabla f(x)-\nabla f(y)\|\le L\|x-y\|`, iff :math:`\|H(x)\|_2\le L` everywhere. For the
mean logistic loss :math:`\frac1n\sum_i\log(1+e^{-y_ix_i^\top w})` the curvature of each term in
its margin is at most :math:`\frac14`, so

.. math:: L=\frac{\lambda_{\max}(X^\top X)}{4n},

attained at :math:`w=0`. The hinge loss is continuous and convex too, but its gradient jumps: no L
will do.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.3.6, Definition 4; Perez Jensen
    (2025), Deep Learning, Section 3.2, Definition 3.1.
:kind: bound
:cost: instant
:covers: smooth-function
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn.functional import softplus

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most, option
from corollary.theory.prerequisites.lipschitz import batch_gradient, steepest_secant
from corollary.theory.prerequisites.smoothness import GALLERY, regularity


class Given(NamedTuple):
    """Signed data, a loss of the margin, and pairs of weights."""

    z: Float[Tensor, "n d"]  # y_i x_i
    loss: Callable[[Tensor], Tensor]
    a: Float[Tensor, "s d"]
    b: Float[Tensor, "s d"]


class SmoothIffCurvature(Claim[Given]):
    n: int = option(50, low=1, high=2000)  # data points
    d: int = option(3, low=1, high=50)  # dimension
    pairs: int = option(400, low=1, high=10_000)  # pairs of weights
    relation = at_most(ulps=2**16)  # differences of gradients over lengths down to 1e-3

    def given(self, rng: Generator) -> Given:
        """Normal data; pairs from far apart to near, around the origin."""
        z = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        a, b = torch.randn(2, self.pairs, self.d, generator=rng, dtype=torch.float64)
        s = torch.logspace(-3, 0.5, self.pairs, dtype=torch.float64)[:, None]
        return Given(z, _logistic, s * a, s * b)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The slope of the loss in its margin, over a fine grid."""
        m = torch.linspace(-6, 6, 4801, dtype=torch.float64)[:, None]
        slope = batch_gradient(lambda m: given.loss(m[:, 0]), m)[:, 0]
        largest = float((slope.diff() / m[:, 0].diff()).abs().max())
        detail = f"largest quotient of slopes {largest:.3g}"
        yield Hypothesis("the loss has curvature at most 1/4", largest <= 0.25 + 1e-9, detail)

    def predict(self, given: Given) -> float:
        """A quarter of the largest eigenvalue."""
        return float(torch.linalg.eigvalsh(given.z.T @ given.z)[-1]) / 4 / len(given.z)

    def measure(self, given: Given) -> float:
        """The steepest quotient of gradients."""
        return steepest_secant(_gradient(given), given.a, given.b).slope

    def counterexample(self, rng: Generator) -> Given:
        """The hinge loss, at weights on both sides of its kink."""
        one = torch.ones(1, 1, dtype=torch.float64)
        return Given(one, lambda m: (1 - m).relu(), 0.999 * one, 1.001 * one)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Gradients against distances; and the gallery from a jump to smooth."""
        gradient = _gradient(given)
        distance = (given.a - given.b).norm(dim=1)
        rise = (gradient(given.a) - gradient(given.b)).norm(dim=1)
        ends = [float(distance.min()), float(distance.max())]
        quotients = Figure(
            "Gradients of the logistic loss",
            x="‖a − b‖",
            y="‖∇f(a) − ∇f(b)‖",
            log_x=True,
            log_y=True,
            marks=(
                Points(distance, rise, label="pairs of weights"),
                Curve([self.predict(given) * e for e in ends], ends, "L ‖a − b‖", "predicted"),
            ),
        )
        return quotients, _gallery()


def _logistic(m: Tensor) -> Tensor:
    return softplus(-m)


def _gradient(given: Given) -> Callable[[Tensor], Tensor]:
    return lambda w: batch_gradient(lambda w: given.loss(w @ given.z.T).mean(dim=1), w)


def _gallery() -> Figure:
    x = torch.linspace(-1, 1, 201, dtype=torch.float64)
    return Figure(
        "From a jump to smooth, at 0",
        x="x",
        y="f(x)",
        marks=tuple(
            Curve(g.function(x), x, f"{g.name}: {regularity(g.function)}", "other") for g in GALLERY
        ),
    )
