r"""Many small sign steps beat one long one.

FGSM is a single step :math:`\epsilon\operatorname{sign}\nabla_x\ell` from :math:`\delta=0`.
Iterated with steps :math:`\alpha` that can reach the boundary, :math:`\alpha T\ge\epsilon`, and
clipped to :math:`\|\delta\|_\infty\le\epsilon` (I-FGSM, or PGD), the recursion finds larger
losses on a trained network, because the gradient turns on the way. Measured: the mean loss of a
network of 8 x 8 digits under I-FGSM; predicted, as a lower bound: under FGSM of the same radius.

:source: Lucchi (2025), Foundations of Deep Learning, Section 12.1, Equation 12.4 and Figure 12.1;
    Kurakin, Goodfellow and Bengio (2017), "Adversarial examples in the physical world".
:kind: experiment
:cost: seconds
:covers: fgsm-attack
:erratum: [loose] The notes introduce the iterated sign recursion (12.4) as the FGSM of Goodfellow
    et al. (2014); FGSM is its single step with eta = eps. The two differ: here the mean losses are
    3.7 and 4.1 at eps = 0.15, and the figure has the accuracies at every radius.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Image, at_least, option
from corollary.data.real import digits
from corollary.models.mlp import MLP
from corollary.theory.robustness.attack import Attack, outputs
from corollary.theory.robustness.gradient_attacks import FGSM, IFGSM
from corollary.theory.robustness.risk import AdversarialRisk, adversarial_risk
from corollary.train import fit


class Given(NamedTuple):
    """A trained network, test images, and how the iterated attack steps."""

    model: MLP
    x: Float[Tensor, "n 64"]
    y: Int[Tensor, " n"]
    alpha: float
    steps: int


class IteratedFgsm(Claim[Given]):
    eps: float = option(0.15, low=0.01, high=0.5)  # largest change of a pixel, in [0, 1]
    steps: int = option(10, low=2, high=100)  # of the iterated attack
    width: int = option(64, low=8, high=512)  # hidden units
    relation = at_least()  # both are computed on the same images by the same code

    def given(self, rng: Generator) -> Given:
        """A network trained on the digits; steps that can cross the ball twice."""
        return self._trained(rng, 2.0 * self.eps / self.steps, self.steps)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The reach of the steps."""
        reach = given.alpha * given.steps
        yield Hypothesis("the steps can reach the boundary of the ball", reach >= self.eps)

    def predict(self, given: Given) -> float:
        """One step of length eps."""
        return self._risk(given, FGSM(self.eps)).adversarial

    def measure(self, given: Given) -> float:
        """Clipped steps of length alpha."""
        return self._risk(given, self._iterated(given)).adversarial

    def counterexample(self, rng: Generator) -> Given:
        """Steps of a tenth of eps, three of them: they end well inside the ball."""
        return self._trained(rng, self.eps / 10, 3)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Accuracy against the radius, and one image before and after."""
        radii = [self.eps * i / 4 for i in range(9)]
        shares = {"FGSM": [], "I-FGSM": []}
        for e in radii:
            alpha = max(2 * e / self.steps, 1e-9)
            shares["FGSM"].append(self._risk(given, FGSM(e)).robust_accuracy)
            iterated = IFGSM(e, alpha, self.steps)
            shares["I-FGSM"].append(self._risk(given, iterated).robust_accuracy)
        curves = Figure(
            "Accuracy on digits under attack",
            x="ε",
            y="share of images classified as labelled",
            marks=(
                Curve(shares["FGSM"], radii, label="FGSM, one step", role="predicted"),
                Curve(shares["I-FGSM"], radii, label=f"I-FGSM, {self.steps} steps"),
            ),
        )
        return curves, self._pictures(given)

    def _pictures(self, given: Given) -> Figure:
        found = IFGSM(self.eps, given.alpha, given.steps)(given.model, given.x, given.y)
        flipped = (found.fooled & ~found.clean_fooled).nonzero()[:, 0]
        i = int(flipped[0]) if len(flipped) else 0
        said = [int(outputs(given.model, z[i : i + 1]).argmax()) for z in (given.x, found.x)]
        noise = found.delta[i] / (2 * self.eps) + 0.5
        gap = torch.zeros(8, 1)
        panels = [v.reshape(8, 8) for v in (given.x[i], noise, found.x[i])]
        picture = torch.cat([panels[0], gap, panels[1], gap, panels[2]], dim=1)
        names = f"read as {said[0]}; the change, grey for none; read as {said[1]}"
        marks = (Image(picture, x=(0.0, 26.0), y=(0.0, 8.0), label=names),)
        title = f"A {said[0]}, a change of at most {self.eps:g}, and what is read as {said[1]}"
        return Figure(title, x="column", y="row", equal=True, marks=marks)

    def _trained(self, rng: Generator, alpha: float, steps: int) -> Given:
        x, y = digits("train")
        net = MLP([64, self.width, 10], rng=rng, dtype=torch.float32)
        fit(
            net, (x.flatten(1), y), torch.nn.functional.cross_entropy,
            lambda p: torch.optim.Adam(p, lr=5e-3), epochs=12, batch_size=64, rng=rng,
        )  # fmt: skip
        x, y = digits("test")
        return Given(net, x.flatten(1), y, alpha, steps)

    def _iterated(self, given: Given) -> Attack:
        return IFGSM(self.eps, given.alpha, given.steps, keep="last")

    def _risk(self, given: Given, attack: Attack) -> AdversarialRisk:
        return adversarial_risk(given.model, given.x, given.y, attack)
