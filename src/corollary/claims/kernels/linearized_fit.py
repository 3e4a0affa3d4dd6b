r"""The linearised network has a fit in closed form.

The minimum-norm minimiser of :math:`\frac12\|f + \Phi\beta - y\|^2`, rows of :math:`\Phi` the
gradients at the training inputs, is :math:`\beta = \Phi^\top K^{-1}(y - f)` with
:math:`K = \Phi\Phi^\top` invertible, and predicts

.. math:: h(x) = f(x) + k(x)^\top K^{-1}(y - f),

which is y at the training inputs. Predicted: y there, and elsewhere :math:`f(x)+\nabla f(x)^\top
\beta` with :math:`\beta` by a singular value decomposition, which knows no kernel.

:source: Perez Jensen (2025), Deep Learning, Section 9.
:kind: algorithm
:uses: linearization_order, kernel_interpolation
:covers: linearized-least-squares
:erratum: [wrong] The notes' predictor k(x)ᵀK⁻¹(y - f) drops the offset f(x) of its own model: at a
    training input it returns y_i - f_i instead of y_i (the figure shows both). [missing hypothesis]
    With more parameters than data the minimiser is not unique; this is the one of minimum norm.
    [notation] Φ as listed by columns is p x n, typed n x p.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Trial, equals, near, normal, option
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.models.mlp import MLP
from corollary.theory.kernels.empirical import empirical_ntk
from corollary.theory.kernels.regression import kernel_regression

NEW = torch.linspace(-2, 2, 12, dtype=torch.float64)[:, None]  # inputs to predict at


class Given(NamedTuple):
    model: MLP
    x: Float[Tensor, "n 1"]  # inputs
    y: Float[Tensor, " n"]  # targets
    offset: Float[Tensor, " p"]  # what is added to the kernel's part, at x and at NEW

    def f(self, x: Float[Tensor, "p 1"]) -> Float[Tensor, " p"]:
        out: Tensor = self.model(x).detach()[:, 0]
        return out

    def at(self) -> Float[Tensor, "p 1"]:
        """Training inputs, then new ones."""
        return torch.cat([self.x, NEW])

    def gradients(self, x: Float[Tensor, "p 1"]) -> Float[Tensor, "p q"]:
        parameters = list(self.model.parameters())
        rows = (torch.autograd.grad(f, parameters) for x in x for f in self.model(x))
        return torch.stack([torch.cat([g.flatten() for g in row]) for row in rows])

    def by_kernel(self, x: Float[Tensor, "p 1"]) -> Float[Tensor, " p"]:
        K = empirical_ntk(self.model, self.x)
        fit = kernel_regression(K, self.y - self.f(self.x), singular="pinv")
        return fit(empirical_ntk(self.model, x, self.x))


def lowest(g: Given) -> Tensor:
    """The smallest eigenvalue of the kernel, beyond 1e-9 of the largest."""
    values = torch.linalg.eigvalsh(empirical_ntk(g.model, g.x))
    out: Tensor = values[0] - 1e-9 * values[-1]
    return out


def twice(given: Given) -> Given:
    """The same input appears twice with two targets, which cannot be fitted."""
    x, y = torch.cat([given.x, given.x[:1]]), torch.cat([given.y, given.y[:1] + 1])
    return Given(given.model, x, y, given.f(torch.cat([x, NEW])))


class LinearizedInterpolation(Claim[Given]):
    width: int = option(30, low=4, high=1000)  # hidden units
    n: int = option(5, low=1, high=12)  # training inputs

    relation = equals(ulps=2**30, scale=1.0)  # K of 5 near inputs loses up to 7 of 16 digits
    supposes = (
        Suppose(
            "the gradients at the training inputs are linearly independent", lowest, without=twice
        ),
        Suppose(
            "the prediction starts at f(x)",
            lambda g: near(g.offset, g.f(g.at())),
            "Without the offset, as in the notes, the prediction at a training input is y − f.",
            offset=lambda g: 0 * g.offset,
        ),
    )
    symbols = "y, and f(x) + ∇f(x)ᵀβ at new x", "f(x) + k(x)ᵀK⁻¹(y − f)"

    def given(self, rng: Generator) -> Given:
        model = MLP([1, self.width, 1], "tanh", rng=rng)
        for p in list(model.parameters())[:2]:
            p.data = 2 * normal(rng, *p.shape)
        x = torch.linspace(-1.6, 1.6, self.n, dtype=torch.float64)[:, None]
        given = Given(model, x, normal(rng, self.n), x[:, 0])
        return given._replace(offset=given.f(given.at()))

    def predict(self, given: Given) -> Tensor:
        Phi, rest = given.gradients(given.x), given.y - given.f(given.x)
        beta = torch.linalg.lstsq(Phi, rest[:, None], driver="gelsd").solution[:, 0]
        return torch.cat([given.y, given.f(NEW) + given.gradients(NEW) @ beta])

    def measure(self, given: Given) -> Tensor:
        return given.offset + given.by_kernel(given.at())

    @picture("A linearised network fitted in closed form", x="x", y="h(x)")
    def marks(self, trial: Trial[Given]) -> Marks:
        g, line = trial.given, torch.linspace(-2, 2, 81, dtype=torch.float64)
        f, more = g.f(line[:, None]), g.by_kernel(line[:, None])
        yield Curve(f + more, x=line, label=self.symbols[1])
        yield Curve(f, x=line, label="f(x), before training", role="other")
        yield Curve(more, x=line, label="without the offset", role="other", dashed=True)
        yield Points(g.x[:, 0], g.y, label="data", role="predicted")
