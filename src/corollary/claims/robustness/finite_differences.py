r"""Gradients without gradients.

Central differences :math:`(\ell(x+he_i)-\ell(x-he_i))/2h` recover the gradient of a loss with three
continuous derivatives from 2d of its values, with an error of order :math:`h^2`; one-sided ones,
from d + 1 values, only to order h. So an attacker who sees outputs alone loses little but queries.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.1; Chen, Zhang, Sharma, Yi and
    Hsieh (2017), "ZOO: zeroth order optimization based black-box attacks".
:kind: rate
:cost: instant
:covers: black-box-finite-difference-attack
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Series, option, slope
from corollary.models.mlp import MLP
from corollary.theory.prerequisites.lipschitz import batch_gradient
from corollary.theory.robustness.black_box import BlackBoxAttack, difference_gradient
from corollary.theory.robustness.gradient_attacks import PGD
from corollary.theory.robustness.scores import losses


class Given(NamedTuple):
    """A network, inputs as it labels them, and the kind of difference."""

    model: MLP
    x: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]
    central: bool

    def loss(self, x: Float[Tensor, "k d"]) -> Float[Tensor, " k"]:
        """Of points that belong to the first input."""
        return losses(self.model(x), self.y[:1].expand(len(x)))


class FiniteDifferences(Claim[Given]):
    d: int = option(20, low=2, high=100)  # dimension
    n: int = option(60, low=1, high=500)  # inputs of the attack in the figure
    relation = slope(gap=0.1)  # higher orders bend the line at the largest steps

    def given(self, rng: Generator) -> Given:
        """A tanh network."""
        model = MLP([self.d, 30, 1], "tanh", rng=rng)
        x = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        with torch.no_grad():
            y = torch.where(model(x)[:, 0] >= 0, 1.0, -1.0).double()
        return Given(model, x, y, True)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The kind of difference and of network."""
        yield Hypothesis("the differences are central", given.central)
        yield Hypothesis("the activation is smooth", given.model.layers[0].phi.smooth)

    def predict(self, given: Given) -> float:
        """Second order."""
        return 2.0

    def measure(self, given: Given) -> Series:
        """Distance from the true gradient."""
        return Series(_STEPS, self._errors(given, given.central))

    def counterexample(self, rng: Generator) -> Given:
        """One-sided differences: first order."""
        return self.given(rng)._replace(central=False)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Errors of both kinds, and success against queries."""
        both = {c: self._errors(given, c) for c in (True, False)}
        guide = [both[True][-1] * (h / _STEPS[-1]) ** 2 for h in _STEPS]
        error = Figure(
            "Central differences are exact to second order",
            x="h",
            y="error of the gradient",
            log_x=True,
            log_y=True,
            marks=(
                Curve(guide, _STEPS, label="∝ h²", role="predicted"),
                Points(_STEPS, both[True], label="central, 2d queries"),
                Points(_STEPS, both[False], label="one-sided, d + 1 queries", role="other"),
            ),
        )
        return error, self._success(given)

    def _errors(self, given: Given, central: bool) -> list[float]:
        x = given.x[:1]
        true = batch_gradient(given.loss, x)
        with torch.no_grad():
            found = [difference_gradient(given.loss, x, h, central=central) for h in _STEPS]
        return [float((g - true).norm()) for g in found]

    def _success(self, given: Given) -> Figure:
        """Share fooled at radius 0.3, against the budget of queries."""
        rng = torch.Generator().manual_seed(0)
        eps, budgets = 0.3, [2 * self.d + 2, 4 * self.d + 3, 8 * self.d + 5, 16 * self.d + 9]
        curves = []
        for method, role in (("coordinates", "measured"), ("nes", "other"), ("square", "other")):
            shares = []
            for queries in budgets:
                attack = BlackBoxAttack(eps, queries=queries, method=method, box=None)
                shares.append(1 - attack(given.model, given.x, given.y, rng=rng).robust_accuracy)
            curves.append(Curve(shares, budgets, label=method, role=role))
        white = PGD(eps, steps=20, box=None, start="zero")(given.model, given.x, given.y)
        level = Curve(
            [1 - white.robust_accuracy] * len(budgets), budgets, label="with gradients (PGD)",
            role="predicted",
        )  # fmt: skip
        return Figure(
            f"Share of inputs fooled at ε = {eps:g}",
            x="queries an input",
            y="share fooled",
            log_x=True,
            marks=(level, *curves),
        )


_STEPS = [0.002 * 2**i for i in range(6)]
