r"""Adversarial training learns which features to trust.

For :math:`x\sim\mathcal N(y\mu,\sigma^2I)` and perturbations :math:`\|\delta\|_\infty\le\epsilon`,
weights w are right under attack with probability
:math:`\Phi\bigl((\langle w,\mu\rangle-\epsilon\|w\|_1)/\sigma\|w\|\bigr)`. The best weights shrink
:math:`\mu` by :math:`\epsilon` towards zero, coordinate by coordinate, and so drop every feature
weaker than the attack:

.. math:: w^*=\operatorname{sign}(\mu)(|\mu|-\epsilon)_+,\qquad
   \text{robust accuracy }\Phi(\|w^*\|/\sigma).

SGD on the loss at attacked inputs finds them as the sample grows; standard training keeps the weak
features, which an attack turns round. The price is accuracy on clean inputs.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.4, Equation 12.14; Tsipras,
    Santurkar, Engstrom, Turner and Madry (2019), "Robustness may be at odds with accuracy"; Madry
    et al. (2018), "Towards deep learning models resistant to adversarial attacks".
:kind: limit
:cost: seconds
:covers: adversarial-training
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Series, converges, option
from corollary.theory.robustness.gradient_attacks import FGSM
from corollary.theory.robustness.linear import robust_accuracy, robust_direction
from corollary.train import Adversarial, fit


class Given(NamedTuple):
    """Data, of which the first n are used; the centre; the radius that training uses."""

    x: Float[Tensor, "n d"]
    y: Float[Tensor, " n"]
    mu: Float[Tensor, " d"]
    train_eps: float


class AdversarialTraining(Claim[Given]):
    weak: int = option(30, low=1, high=200)  # weak features, beside one strong one
    eps: float = option(0.4, low=0.05, high=0.9)  # largest change of a feature
    sizes: tuple[int, ...] = (100, 400, 1600, 6400)  # training points
    steps: int = option(150, low=50, high=2000)  # of full-batch descent
    relation = converges(gap=0.015)  # sampling error of 6,400 points, and of the descent

    def given(self, rng: Generator) -> Given:
        """One feature of strength 1.5, many of strength 0.25; training at radius eps."""
        mu = torch.full((self.weak + 1,), 0.25, dtype=torch.float64)
        mu[0] = 1.5
        n = max(self.sizes)
        y = 2.0 * torch.randint(2, (n,), generator=rng).double() - 1
        noise = torch.randn(n, len(mu), generator=rng, dtype=torch.float64)
        return Given(y[:, None] * mu + noise, y, mu, self.eps)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The radius of training."""
        yield Hypothesis("training uses the radius of the attack", given.train_eps == self.eps)

    def predict(self, given: Given) -> float:
        """The best robust accuracy there is."""
        return robust_accuracy(robust_direction(given.mu, self.eps), given.mu, self.eps)

    def measure(self, given: Given) -> Series:
        """Robust accuracy of what was learned, exactly for its weights."""
        found = [robust_accuracy(self._trained(given, n), given.mu, self.eps) for n in self.sizes]
        return Series(self.sizes, found)

    def counterexample(self, rng: Generator) -> Given:
        """Standard training."""
        return self.given(rng)._replace(train_eps=0.0)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Robust accuracy against the radius, and the weights."""
        robust = self._trained(given, max(self.sizes))
        plain = self._trained(given._replace(train_eps=0.0), max(self.sizes))
        grid = [0.02 * i for i in range(36)]
        best = [
            robust_accuracy(robust_direction(given.mu, e), given.mu, e) if e < 1.5 else 0.5
            for e in grid
        ]
        trade = Figure(
            "Accuracy under attack after two kinds of training",
            x="ε of the attack",
            y="robust accuracy",
            marks=(
                Curve(best, grid, label="best possible at each ε", role="predicted"),
                Curve([robust_accuracy(robust, given.mu, e) for e in grid], grid,
                      label=f"trained against ε = {self.eps:g}"),
                Curve([robust_accuracy(plain, given.mu, e) for e in grid], grid,
                      label="standard training", role="other"),
            ),
        )  # fmt: skip
        index = list(range(len(given.mu)))
        target = robust_direction(given.mu, self.eps)
        weights = Figure(
            "Adversarial training drops the weak features",
            x="feature",
            y="weight / ‖w‖",
            marks=(
                Curve(target / target.norm(), index, label="(|μ| − ε)₊", role="predicted"),
                Points(index, robust / robust.norm(), label="adversarial training"),
                Points(index, plain / plain.norm(), label="standard training", role="other"),
            ),
        )
        return trade, weights

    def _trained(self, given: Given, n: int) -> Float[Tensor, " d"]:
        model = nn.Linear(len(given.mu), 1, bias=False).double()
        nn.init.zeros_(model.weight)
        model.weight.data[0, 0] = 0.1  # the strong feature decides the first sign
        fit(
            model, (given.x[:n], given.y[:n]), _logistic,
            lambda p: torch.optim.SGD(p, lr=1.0), steps=self.steps,
            schedule=lambda t: 1 / (1 + t / 10),
            call=Adversarial(FGSM(given.train_eps, box=None)),
        )  # fmt: skip
        return model.weight.detach()[0]


def _logistic(out: Tensor, y: Tensor) -> Tensor:
    return nn.functional.softplus(-y * out[:, 0]).mean()
