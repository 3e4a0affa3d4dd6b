r"""Gradient of logistic regression.

For labels :math:`y_i\in\{0,1\}` the loss
:math:`\ell[w]=\frac1s\sum_i-\log\sigma((2y_i-1)\,w\cdot x_i)` has the gradient

.. math:: \nabla\ell[w]=\frac1s\sum_i(\sigma(w\cdot x_i)-y_i)\,x_i :

the error of the probability, along the pattern. Compared with automatic differentiation; labels
:math:`\pm1` are not what the formula is about.

:source: Perez Jensen (2025), Deep Learning, Section 2.1; Cox (1958), "The regression analysis of
    binary sequences".
:kind: identity
:cost: instant
:covers: logistic-regression
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals


class Given(NamedTuple):
    """Weights and labelled patterns."""

    w: Float[Tensor, " d"]
    x: Float[Tensor, "s d"]
    y: Float[Tensor, " s"]


class LogisticGradient(Claim[Given]):
    d: int = 12  # numbers a pattern has
    s: int = 50  # patterns
    relation = equals(ulps=512, scale=1.0)  # a mean over s patterns, entries about 1

    def given(self, rng: Generator) -> Given:
        """Gaussian weights and patterns, labels by coin."""
        f64 = {"generator": rng, "device": rng.device, "dtype": torch.float64}
        y = (torch.rand(self.s, **f64) < 0.5).double()
        return Given(torch.randn(self.d, **f64), torch.randn(self.s, self.d, **f64), y)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Which labels."""
        yield Hypothesis("labels are 0 and 1", bool(((given.y == 0) | (given.y == 1)).all()))

    def predict(self, given: Given) -> list[float]:
        """The formula."""
        w, x, y = given
        return (x.T @ (torch.sigmoid(x @ w) - y) / len(x)).tolist()

    def measure(self, given: Given) -> list[float]:
        """Automatic differentiation of the loss as it is written."""
        w = given.w.clone().requires_grad_()
        with torch.enable_grad():
            z = (2 * given.y - 1) * (given.x @ w)
            loss = -torch.nn.functional.logsigmoid(z).mean()
        return torch.autograd.grad(loss, w)[0].tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Labels -1 and 1."""
        given = self.given(rng)
        return given._replace(y=2 * given.y - 1)

    def figure(self, given: Given) -> Figure:
        """Formula against autograd."""
        p, q = self.predict(given), self.measure(given)
        signed = given._replace(y=2 * given.y - 1)
        ends = [min(p), max(p)]
        return Figure(
            "Gradient of the logistic loss",
            x="entry by the formula",
            y="entry by autograd",
            marks=(
                Curve(ends, x=ends, label="equal", role="predicted"),
                Points(p, q, label="labels 0 and 1"),
                Points(self.predict(signed), self.measure(signed), label="labels ±1", role="other"),
            ),
        )
