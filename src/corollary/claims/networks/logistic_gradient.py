r"""Gradient of logistic regression.

For labels :math:`y_i\in\{0,1\}` the loss
:math:`\ell[w]=\frac1s\sum_i-\log\sigma((2y_i-1)\,w\cdot x_i)` has the gradient

.. math:: \nabla\ell[w]=\frac1s\sum_i(\sigma(w\cdot x_i)-y_i)\,x_i :

the error of the probability, along the pattern. Compared with automatic differentiation; labels
:math:`\pm1` are not what the formula is about.

:source: Perez Jensen (2025), Deep Learning, Section 2.1; Cox (1958), "The regression analysis of
    binary sequences".
:kind: identity
:uses: sigmoid_derivatives, chain_rule
:covers: logistic-regression
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, equals, normal, uniform
from corollary.models.logistic_regression import LogisticRegression


class Given(NamedTuple):
    model: LogisticRegression
    x: Float[Tensor, "s d"]  # patterns
    y: Float[Tensor, " s"]  # labels


class LogisticGradient(Claim[Given]):
    d: int = 12  # dimension of a pattern
    s: int = 50  # patterns

    relation = equals(ulps=512, scale=1.0)  # a mean over s patterns, entries about 1
    supposes = Suppose(
        "labels are 0 and 1",
        lambda g: ((g.y == 0) | (g.y == 1)).all(),
        "Labels −1 and 1 need another formula.",
        y=lambda g: 2 * g.y - 1,
    )
    symbols = "entry by the formula", "entry by autograd"
    shows = Parity("Gradient of the logistic loss")

    def given(self, rng: Generator) -> Given:
        y = (uniform(rng, self.s) < 0.5).double()
        return Given(LogisticRegression(self.d, rng=rng), normal(rng, self.s, self.d), y)

    def predict(self, given: Given) -> Tensor:
        model, x, y = given
        return x.T @ (model.probabilities(x).detach() - y) / len(x)

    def measure(self, given: Given) -> Tensor:
        model, x, y = given
        loss = -torch.nn.functional.logsigmoid((2 * y - 1) * model(x)).mean()
        return torch.autograd.grad(loss, model.w)[0]
