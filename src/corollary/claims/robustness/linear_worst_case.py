r"""The worst perturbation of a linear model.

For :math:`f(x)=\langle w,x\rangle+b` and a label :math:`y=\pm1`

.. math:: \min_{\|\delta\|\le\epsilon}y\,f(x+\delta)=y\,f(x)-\epsilon\|w\|_*,

with the dual norm: :math:`\|w\|_1` for :math:`\ell_\infty`, where
:math:`\delta=-\epsilon y\operatorname{sign}w`; :math:`\|w\|_2` for :math:`\ell_2`;
:math:`\|w\|_\infty` for :math:`\ell_1`. In d dimensions many changes of size :math:`\epsilon` add
up to :math:`\epsilon\|w\|_1`, which grows with d. Measured: the smallest margins that projected
gradient ascent finds.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.1, Equations 12.1 to 12.3;
    Goodfellow, Shlens and Szegedy (2015), "Explaining and harnessing adversarial examples", Section
    3.
:kind: identity
:cost: instant
:covers: adversarial-example-problem, pgd-attack
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, Points, equals, option
from corollary.models.mlp import MLP
from corollary.theory.prerequisites.lipschitz import batch_gradient
from corollary.theory.robustness.balls import Norm, dual_size, steepest
from corollary.theory.robustness.gradient_attacks import PGD
from corollary.theory.robustness.scores import margins


class Given(NamedTuple):
    """A score and labelled inputs."""

    model: nn.Module
    x: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]

    def score(self, x: Tensor) -> Tensor:
        """One number a row."""
        return self.model(x)[:, 0]


class LinearWorstCase(Claim[Given]):
    n: int = option(8, low=1, high=100)  # inputs
    d: int = option(30, low=2, high=500)  # dimension
    eps: float = option(0.3, low=0.001, high=10.0)  # size of perturbations
    norm: Norm = "linf"  # of perturbations: linf, l2 or l1
    relation = equals(ulps=2**12, scale=1.0)  # sums of d terms, forty steps

    def given(self, rng: Generator) -> Given:
        """Normal weights and inputs, each labelled as it is classified."""
        model = nn.Linear(self.d, 1).double()
        with torch.no_grad():
            model.weight.normal_(generator=rng)
            model.bias.normal_(generator=rng)
        return _labelled(model, torch.randn(self.n, self.d, generator=rng, dtype=torch.float64))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Second differences vanish."""
        x = given.x
        step = x.flip(0) + 1
        bend = given.score(x + step) + given.score(x - step) - 2 * given.score(x)
        size = float(bend.detach().abs().max())
        yield Hypothesis("f is affine", size < 1e-9, f"second difference {size:.2g}")

    def predict(self, given: Given) -> list[float]:
        """Margin minus eps times the dual norm of the gradient."""
        return self._closed_form(given, self.eps)

    def measure(self, given: Given) -> list[float]:
        """Margins at the points that projected ascent found."""
        return self._found(given, self.eps)

    def counterexample(self, rng: Generator) -> Given:
        """A tanh network: the linearised margin is not the worst one."""
        x = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        return _labelled(MLP([self.d, 20, 1], "tanh", rng=rng), x)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Margins against the radius, and the worst points of three balls in the plane."""
        one = given._replace(x=given.x[:1], y=given.y[:1])
        grid = [2 * self.eps * i / 8 for i in range(9)]
        exact = [self._closed_form(one, e)[0] for e in grid]
        line = Figure(
            "A linear margin falls in proportion to ε",
            x="ε",
            y="min y f(x+δ)",
            marks=(
                Curve(exact, grid, label="y f(x) − ε‖w‖*", role="predicted"),
                Points(grid, [self._found(one, e)[0] for e in grid], label="projected ascent"),
                Level(0.0, label="the decision changes", role="other"),
            ),
        )
        return line, _three_balls()

    def _closed_form(self, given: Given, eps: float) -> list[float]:
        g = batch_gradient(given.score, given.x)
        with torch.no_grad():
            clean = margins(given.score(given.x), given.y)
        return (clean - eps * dual_size(g, self.norm)).tolist()

    def _found(self, given: Given, eps: float) -> list[float]:
        attack = PGD(eps, steps=40, norm=self.norm, start="zero", box=None, keep="last")
        moved = attack.inputs(given.model, given.x, given.y)
        with torch.no_grad():
            return margins(given.score(moved), given.y).tolist()


def _labelled(model: nn.Module, x: Tensor) -> Given:
    with torch.no_grad():
        out = model(x)[:, 0]
    return Given(model, x, torch.where(out >= 0, 1.0, -1.0).double())


def _three_balls() -> Figure:
    """For w = (2, 1), x = (1, 1): where each unit ball lowers <w, x> most."""
    w = torch.tensor([[2.0, 1.0]], dtype=torch.float64)
    angle = torch.linspace(0, 2 * math.pi, 121, dtype=torch.float64)
    circle = torch.stack([angle.cos(), angle.sin()], dim=1)
    marks: list[Curve | Points] = []
    for norm, name in (("linf", "ℓ∞"), ("l2", "ℓ2"), ("l1", "ℓ1")):
        order = {"linf": math.inf, "l2": 2, "l1": 1}[norm]
        edge = 1 + circle / circle.norm(p=order, dim=1, keepdim=True)
        marks.append(Curve(edge[:, 1], edge[:, 0], label=f"{name} ball", role="other"))
    worst = [1 - steepest(w, norm)[0] for norm in ("linf", "l2", "l1")]
    marks.append(
        Points([float(p[0]) for p in worst], [float(p[1]) for p in worst], label="worst points")
    )
    marks.append(Curve([2.0, -2.0], [-1.0, 1.0], label="f = 0", role="predicted"))
    return Figure(
        "The worst points of three balls, w = (2, 1)",
        x="x₁", y="x₂", equal=True, marks=tuple(marks),
    )  # fmt: skip
