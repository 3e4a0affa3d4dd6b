r"""The linearised network fits in closed form.

The minimum-norm minimiser of :math:`\frac12\|f + \Phi\beta - y\|^2`, rows of :math:`\Phi` the
gradients at the training inputs, is :math:`\beta = \Phi^\top K^{-1}(y - f)` with
:math:`K = \Phi\Phi^\top` invertible, and predicts

.. math:: h(x) = f(x) + k(x)^\top K^{-1}(y - f),

which is y at the training inputs.

:source: Perez Jensen (2025), Deep Learning, Section 9.
:kind: algorithm
:cost: instant
:covers: linearized-least-squares
:erratum: [wrong] The notes' predictor k(x)ᵀK⁻¹(y - f) drops the offset f(x) of its own model: at a
    training input it returns y_i - f_i instead of y_i (the figure shows both). [missing hypothesis]
    With more parameters than data the minimiser is not unique; this is the one of minimum norm.
    [notation] Φ as listed by columns is p x n, typed n x p.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn.utils import skip_init

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.kernels.empirical import empirical_ntk
from corollary.theory.kernels.regression import kernel_regression

GRID = torch.linspace(-2, 2, 81, dtype=torch.float64)[:, None]


class Given(NamedTuple):
    """Weights of a network of one hidden layer, inputs and targets."""

    w: Float[Tensor, "m 2"]  # slope and bias of each unit
    v: Float[Tensor, " m"]
    x: Float[Tensor, "n 1"]
    y: Float[Tensor, " n"]


class LinearizedInterpolation(Claim[Given]):
    width: int = option(30, low=4, high=1000)  # hidden units
    n: int = option(5, low=1, high=12)  # training inputs
    relation = equals(ulps=2**30, scale=1.0)  # K of 5 near inputs loses up to 7 of 16 digits

    def given(self, rng: Generator) -> Given:
        """Evenly spaced inputs, Gaussian targets."""
        w = torch.randn(self.width, 2, generator=rng, dtype=torch.float64)
        v = torch.randn(self.width, generator=rng, dtype=torch.float64) / self.width**0.5
        x = torch.linspace(-1.6, 1.6, self.n, dtype=torch.float64)[:, None]
        return Given(2 * w, v, x, torch.randn(self.n, generator=rng, dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """An invertible kernel."""
        k = empirical_ntk(_network(given), given.x)
        lowest, highest = torch.linalg.eigvalsh(k)[[0, -1]].tolist()
        yield Hypothesis(
            "the gradients at the training inputs are linearly independent",
            lowest > 1e-9 * highest, f"eigenvalues of K from {lowest:.2g} to {highest:.2g}",
        )  # fmt: skip

    def predict(self, given: Given) -> list[float]:
        """The targets."""
        return given.y.tolist()

    def measure(self, given: Given) -> list[float]:
        """The formula."""
        return _predictions(given, given.x)[0].tolist()

    def counterexample(self, rng: Generator) -> Given:
        """The same input twice with two targets."""
        given = self.given(rng)
        x, y = torch.cat([given.x, given.x[:1]]), torch.cat([given.y, given.y[:1] + 1])
        return given._replace(x=x, y=y)

    def figure(self, given: Given) -> Figure:
        """The network before training, the fit, and the fit as printed."""
        h, f = _predictions(given, GRID)
        line = GRID[:, 0].tolist()
        return Figure(
            "A linearised network fitted in closed form",
            x="x",
            y="h(x)",
            marks=(
                Curve(h.tolist(), x=line, label="f(x) + k(x)ᵀK⁻¹(y - f)", role="measured"),
                Curve(f.tolist(), x=line, label="f(x), before training", role="other"),
                Curve((h - f).tolist(), x=line, label="without the offset", role="other"),
                Points(given.x[:, 0].tolist(), given.y.tolist(), label="data", role="predicted"),
            ),
        )


def _predictions(given: Given, at: Float[Tensor, "p 1"]) -> tuple[Tensor, Tensor]:
    """The fit and the network before training."""
    model = _network(given)
    with torch.no_grad():
        f, start = model(given.x)[:, 0], model(at)[:, 0]
    k = empirical_ntk(model, given.x)
    fit = kernel_regression(k, given.y - f, singular="pinv")
    return start + fit(empirical_ntk(model, at, given.x)), start


def _network(given: Given) -> nn.Module:
    width = len(given.v)
    last = skip_init(nn.Linear, width, 1, bias=False)
    model = nn.Sequential(skip_init(nn.Linear, 1, width), nn.Tanh(), last).double()
    with torch.no_grad():
        model[0].weight.copy_(given.w[:, :1])
        model[0].bias.copy_(given.w[:, 1])
        model[2].weight.copy_(given.v[None])
    return model
