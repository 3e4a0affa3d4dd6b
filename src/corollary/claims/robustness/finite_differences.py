r"""Gradient estimation by central finite differences.

Central differences :math:`(\ell(x+he_i)-\ell(x-he_i))/2h` recover the gradient of a loss with three
continuous derivatives from 2d of its values, with an error of order :math:`h^2`; one-sided ones,
from d + 1 values, only to order h. So an attacker who sees outputs alone loses little but queries.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.1; Chen, Zhang, Sharma, Yi and
    Hsieh (2017), "ZOO: zeroth order optimization based black-box attacks".
:kind: rate
:uses: difference_quotient
:covers: black-box-finite-difference-attack
"""

from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Over, Series, Suppose, Trial, near, normal, option, slope
from corollary.core.picture import Curve, Level, Marks, picture
from corollary.models.mlp import MLP
from corollary.theory.prerequisites.lipschitz import batch_gradient
from corollary.theory.robustness.black_box import BlackBoxAttack, difference_gradient
from corollary.theory.robustness.gradient_attacks import PGD
from corollary.theory.robustness.scores import losses

STEPS = tuple(0.002 * 2**i for i in range(6))


class Given(NamedTuple):
    model: MLP
    x: Float[Tensor, "n d"]
    central: bool = True  # the kind of difference

    @property
    def y(self) -> Tensor:
        """The labels that the network gives."""
        return torch.where(self.model(self.x)[:, 0] >= 0, 1.0, -1.0).double()

    def loss(self, x: Float[Tensor, "k d"]) -> Float[Tensor, " k"]:
        """Of points that belong to the first input."""
        return losses(self.model(x), self.y[:1].expand(len(x)))


def _off_on_a_parabola(given: Given) -> tuple[bool, str]:
    x = given.x[:1]
    found = difference_gradient(lambda z: z.square().sum(1), x, 0.1, central=given.central)
    return near(found, 2 * x)


def at_every_kink(self: "FiniteDifferences", rng: Generator) -> Given:
    """If every leaky ReLU unit is at its kink, no step is short enough."""
    model = MLP([self.d, 30, 1], "leaky_relu", rng=rng)
    return Given(model, torch.zeros(1, self.d, dtype=torch.float64))


class FiniteDifferences(Claim[Given]):
    d: int = option(20, low=2, high=100)  # dimension
    n: int = option(60, low=1, high=500)  # inputs of the attack in the figure

    relation = slope(gap=0.1)  # higher orders bend the line at the largest steps
    supposes = (
        Suppose(
            "the differences are central, exact for parabolas",
            _off_on_a_parabola,
            "One-sided differences are only accurate to first order.",
            central=False,
        ),
        Suppose(
            "the activation is smooth",
            lambda g: g.model.layers[0].phi.smooth,
            without=at_every_kink,
        ),
    )
    symbols = "h²", "error of the gradient"
    predicts = 2.0
    shows = Over("Central differences are exact to second order", x="h")

    def given(self, rng: Generator) -> Given:
        return Given(MLP([self.d, 30, 1], "tanh", rng=rng), normal(rng, self.n, self.d))

    def measure(self, given: Given) -> Series:
        x, true = given.x[:1], batch_gradient(given.loss, given.x[:1])
        with torch.no_grad():
            found = [difference_gradient(given.loss, x, h, central=given.central) for h in STEPS]
        return Series(STEPS, [float((g - true).norm()) for g in found])

    @picture("Share of inputs fooled at ε = 0.3", x="queries per input", y="share fooled", log="x")
    def marks(self, trial: Trial[Given]) -> Marks:
        model, x, y = trial.given.model, trial.given.x, trial.given.y
        budgets, rng = [self.d * 2**i + 2**i + 1 for i in range(1, 5)], torch.Generator()

        def fooled(method: Literal["coordinates", "nes", "square"]) -> list[float]:
            attacks = [BlackBoxAttack(0.3, queries=q, method=method, box=None) for q in budgets]
            return [1 - attack(model, x, y, rng=rng).robust_accuracy for attack in attacks]

        white = PGD(0.3, steps=20, box=None, start="zero")(model, x, y).robust_accuracy
        yield Level(1 - white, label="with gradients (PGD)")
        yield Curve(fooled("coordinates"), budgets, label="coordinates")
        yield Curve(fooled("nes"), budgets, label="nes", role="other")
        yield Curve(fooled("square"), budgets, label="square", role="other")
