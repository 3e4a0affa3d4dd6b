"""Separable points on which a gradient flow is followed: for claims on its rates."""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.data.supported_cloud import supported_cloud
from corollary.theory.regularization.hard_margin import HardMargin, hard_margin_svm
from corollary.theory.regularization.margin_losses import LOGISTIC, MarginLoss
from corollary.theory.regularization.separable_descent import Rates, rates_report, separable_flow


class Given(NamedTuple):
    """Points with their labels multiplied in, their max-margin vector, a start, a loss."""

    x: Float[Tensor, "n d"]
    svm: HardMargin
    w0: Float[Tensor, " d"]
    loss: MarginLoss = LOGISTIC


def separable(n: int, d: int, rng: Generator) -> Given:
    """A cloud with planted support vectors, and a normal start."""
    x = supported_cloud(max(n, d), d, rng=rng).signed
    w0 = torch.randn(d, generator=rng, dtype=torch.float64)
    return Given(x, hard_margin_svm(x), w0)


def rates(given: Given, s: Float[Tensor, " k"]) -> Rates:
    """What is left of loss, direction and margin at the times exp(s) of the flow."""
    x, svm, w0, loss = given
    return rates_report(x, svm, s, separable_flow(x, w0, s, loss=loss).w, loss=loss)
