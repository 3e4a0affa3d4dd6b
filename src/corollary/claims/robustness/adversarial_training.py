r"""Adversarial training drops the features that are weaker than the attack.

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
:uses: danskin, linear_worst_case
:covers: adversarial-training
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Kept, Over, Series, Suppose, Trial, converges, normal, option
from corollary.core.picture import Curve, Marks, Points, picture
from corollary.theory.robustness.gradient_attacks import FGSM
from corollary.theory.robustness.linear import robust_accuracy, robust_direction
from corollary.train import Adversarial, fit


class Given(NamedTuple):
    x: Float[Tensor, "n d"]  # of which the first so many are used
    y: Float[Tensor, " n"]
    mu: Float[Tensor, " d"]  # centre
    train_eps: float  # the radius that training uses


class AdversarialTraining(Claim[Given]):
    weak: int = option(30, low=1, high=200)  # weak features, beside one strong one
    eps: float = option(0.4, low=0.05, high=0.9)  # largest change of a feature
    sizes: tuple[int, ...] = (100, 400, 1600, 6400)  # training points
    steps: int = option(150, low=50, high=2000)  # steps of full-batch descent

    relation = converges(gap=0.015)  # sampling error of 6,400 points, and of the descent
    supposes = Suppose(
        "training uses the radius of the attack",
        lambda self, g: (g.train_eps == self.eps, f"{g.train_eps:g}"),
        "Standard training keeps using the weak features.",
        train_eps=0.0,
    )
    symbols = "best possible robust accuracy", "robust accuracy of the trained model"
    shows = Over("Accuracy under attack grows with the sample", x="training points")

    def given(self, rng: Generator) -> Given:
        mu = torch.full((self.weak + 1,), 0.25, dtype=torch.float64)
        mu[0] = 1.5
        n = max(self.sizes)
        y = 2.0 * torch.randint(2, (n,), generator=rng).double() - 1
        return Given(y[:, None] * mu + normal(rng, n, len(mu)), y, mu, self.eps)

    def predict(self, given: Given) -> float:
        return robust_accuracy(robust_direction(given.mu, self.eps), given.mu, self.eps)

    def measure(self, given: Given) -> Kept:
        learned = [self.trained(given, n) for n in self.sizes]
        found = [robust_accuracy(w, given.mu, self.eps) for w in learned]
        return Kept(Series(self.sizes, found), w=learned[-1] / learned[-1].norm())

    def trained(self, given: Given, n: int) -> Float[Tensor, " d"]:
        """Weights after training on the first n points."""
        model = nn.Linear(len(given.mu), 1, bias=False).double()
        nn.init.zeros_(model.weight)
        model.weight.data[0, 0] = 0.1  # the strong feature decides the first sign
        fit(
            model,
            (given.x[:n], given.y[:n]),
            lambda out, y: nn.functional.softplus(-y * out[:, 0]).mean(),
            lambda p: torch.optim.SGD(p, lr=1.0),
            steps=self.steps,
            schedule=lambda t: 1 / (1 + t / 10),
            call=Adversarial(FGSM(given.train_eps, box=None)),
        )
        return model.weight.detach()[0]

    @picture("Adversarial training drops the weak features", x="feature", y="weight / ‖w‖")
    def marks(self, trial: Trial[Given]) -> Marks:
        best = robust_direction(trial.given.mu, self.eps)
        index = range(len(best))
        yield Curve(best / best.norm(), index, label="(|μ| − ε)₊", role="predicted")
        yield Points(index, trial.kept.w, label="adversarial training")
        for t in trial.without:
            yield Points(index, t.kept.w, label=t.words, role="other")
