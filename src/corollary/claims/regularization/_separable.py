"""Separable points on which a gradient flow is followed: for claims on its rates."""

from typing import NamedTuple

from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import normal
from corollary.data.supported_cloud import supported_cloud
from corollary.theory.connectionism.max_margin import max_margin
from corollary.theory.regularization.hard_margin import HardMargin, hard_margin_svm
from corollary.theory.regularization.margin_losses import LOGISTIC, MarginLoss
from corollary.theory.regularization.separable_descent import separable_flow


class Given(NamedTuple):
    """Points with their labels multiplied in, their max-margin vector, a start, a loss."""

    x: Float[Tensor, "n d"]
    svm: HardMargin
    w0: Float[Tensor, " d"]
    loss: MarginLoss = LOGISTIC

    def margin(self) -> float:
        """Of the best hyperplane through the origin."""
        return max_margin(self.x, self.x.new_ones(len(self.x))).margin

    def flow(self, s: Float[Tensor, " k"]) -> Float[Tensor, "k d"]:
        """Weights at the times t = e^s of the gradient flow."""
        return separable_flow(self.x, self.w0, s, loss=self.loss).w


def separable(n: int, d: int, rng: Generator) -> Given:
    """A cloud with planted support vectors, and a normal start."""
    x = supported_cloud(max(n, d), d, rng=rng).signed
    return Given(x, hard_margin_svm(x), normal(rng, d))
