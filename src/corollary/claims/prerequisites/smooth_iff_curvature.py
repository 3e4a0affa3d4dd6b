r"""A function is L-smooth if and only if the norm of its Hessian is at most L.

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
:uses: mean_value, operator_norm
:covers: smooth-function
:scale-free: the gradients of theory are in the hypothesis too, which notices a factor first.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn.functional import softplus

from corollary.core import Claim, Parity, Suppose, Trial, at_most, normal, option
from corollary.core.picture import Curve, Marks, picture
from corollary.theory.prerequisites.lipschitz import batch_gradient
from corollary.theory.prerequisites.smoothness import GALLERY, regularity


class Given(NamedTuple):
    z: Float[Tensor, "n d"]  # signed data y_i x_i
    loss: Callable[[Tensor], Tensor]  # of the margin
    a: Float[Tensor, "s d"]  # pairs of weights
    b: Float[Tensor, "s d"]


def _curvature(given: Given) -> float:
    """The steepest quotient of slopes of the loss, over a fine grid of margins."""
    m = torch.linspace(-6, 6, 4801, dtype=torch.float64)[:, None]
    slope = batch_gradient(lambda m: given.loss(m[:, 0]), m)[:, 0]
    return float((slope.diff() / m[:, 0].diff()).abs().max())


def hinge(given: Given) -> Given:
    """The slope of the hinge loss jumps between two weights on both sides of its kink."""
    one = torch.ones(1, 1, dtype=torch.float64)
    return Given(one, lambda m: (1 - m).relu(), 0.999 * one, 1.001 * one)


class SmoothIffCurvature(Claim[Given]):
    n: int = option(50, low=1, high=2000)  # data points
    d: int = option(3, low=1, high=50)  # dimension
    pairs: int = option(400, low=1, high=10_000)  # pairs of weights

    relation = at_most(ulps=2**16)  # differences of gradients over lengths down to 1e-3
    supposes = Suppose(
        "the loss has curvature at most 1/4", lambda g: 0.25 + 1e-9 - _curvature(g), without=hinge
    )
    symbols = "L ‖a − b‖", "‖∇f(a) − ∇f(b)‖"
    shows = Parity("Gradients of the logistic loss", log="xy")

    def given(self, rng: Generator) -> Given:
        z, (a, b) = normal(rng, self.n, self.d), normal(rng, 2, self.pairs, self.d)
        s = torch.logspace(-3, 0.5, self.pairs, dtype=torch.float64)[:, None]  # near to far apart
        return Given(z, lambda m: softplus(-m), s * a, s * b)

    def predict(self, given: Given) -> Tensor:
        L: Tensor = torch.linalg.eigvalsh(given.z.T @ given.z)[-1] / 4 / len(given.z)
        return L * (given.a - given.b).square().sum(dim=1).sqrt()

    def measure(self, given: Given) -> Tensor:
        def gradient(w: Tensor) -> Tensor:
            return batch_gradient(lambda w: given.loss(w @ given.z.T).mean(dim=1), w)

        rise: Tensor = (gradient(given.a) - gradient(given.b)).norm(dim=1)
        return rise

    @picture("Regularity at 0 of several functions", x="x", y="f(x)")
    def marks(self, trial: Trial[Given]) -> Marks:
        x = torch.linspace(-1, 1, 201, dtype=torch.float64)
        for g in GALLERY:
            yield Curve(g.function(x), x, f"{g.name}: {regularity(g.function)}", "other")
