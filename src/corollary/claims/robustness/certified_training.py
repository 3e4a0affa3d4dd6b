r"""Training on bounds makes proofs possible.

Train networks of one shape on 8 x 8 digits in three ways: on the loss itself, on the loss at
attacked inputs, and on the loss of the worst logits that intervals allow,

.. math:: \kappa_t\,\ell(f(x),y)+(1-\kappa_t)\,\ell(\hat z(\epsilon_t),y),\qquad
   \hat z_j=\max_{\text{intervals}}f_j-f_y ,

with a radius that grows to :math:`\epsilon`. The share of test digits that CROWN proves to be safe
within :math:`\epsilon` is at least 0.2 larger after the third than after the first, and than after
the second, although the second network resists attacks as well as the third.

Robustness that cannot be proved and robustness that can are different things to train for.

:source: Gowal et al. (2018), "On the effectiveness of interval bound propagation for training
    verifiably robust models", Table 2; Madry et al. (2018), "Towards deep learning models resistant
    to adversarial attacks", for the second network; Zhang et al. (2018), "Efficient neural network
    robustness certification with general activation functions", for the proofs.
:kind: experiment
:cost: minutes
:beyond: It shows what a proof needs that adversarial training, with which the notes end, does not
    give.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from corollary.core import Band, Claim, Figure, Hypothesis, Points, Sample, at_least, option
from corollary.core.figure import Role
from corollary.data.real import digits
from corollary.models.mlp import MLP
from corollary.theory.robustness.certificates.certifier import Certifier
from corollary.theory.robustness.gradient_attacks import PGD
from corollary.train import Adversarial, Certified, fit

BOX = (0.0, 1.0)
GAIN = 0.2  # share of test digits
RADII = 5  # of the figure


class Trained(NamedTuple):
    """Networks of one draw."""

    standard: nn.Module
    adversarial: nn.Module
    certified: nn.Module


class Given(NamedTuple):
    """Networks of several draws, test digits, and the radius at which bounds were trained on."""

    draws: tuple[Trained, ...]
    x: Float[Tensor, "n d"]
    y: Int[Tensor, " n"]
    trained_eps: float


class CertifiedTraining(Claim[Given]):
    eps: float = option(0.1, low=0.01, high=0.3)  # largest change of a pixel
    width: int = option(100, low=10, high=300)  # units of a hidden layer
    L: int = option(3, low=1, high=6)  # hidden layers
    steps: int = option(200, low=50, high=5000)  # of Adam
    n: int = option(100, low=20, high=360)  # test digits
    draws: int = option(6, low=2, high=20)  # of initial weights and orders of the data
    relation = at_least(level=0.99)  # a Student interval over draws

    def given(self, rng: Generator) -> Given:
        """Networks trained in three ways from the same weights, with the same batches."""
        return Given(tuple(self._draw(rng) for _ in range(self.draws)), *self._test(), self.eps)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The radius of training."""
        yield Hypothesis(
            "bounds were trained on at the radius at which proofs are asked for",
            given.trained_eps == self.eps,
            f"{given.trained_eps:g}",
        )

    def predict(self, given: Given) -> list[float]:
        """At least so much more is proved."""
        return [GAIN, GAIN]

    def measure(self, given: Given) -> list[Sample]:
        """By how much more is proved after the third training than after the first two."""
        shares = torch.tensor(
            [[_proved(net, given.x, given.y, self.eps) for net in nets] for nets in given.draws],
            dtype=torch.float64,
        )
        more = shares[:, 2:] - shares[:, :2]
        return [Sample(values) for values in more.T.tolist()]

    def counterexample(self, rng: Generator) -> Given:
        """Bounds at radius 0 are the loss itself: it is standard training three times over."""
        nets = [self._trained(rng, {}) for _ in range(self.draws)]
        return Given(tuple(Trained(net, net, net) for net in nets), *self._test(), 0.0)

    def figure(self, given: Given) -> Figure:
        """From the share that is proved to the share that an attack leaves, along the radius."""
        grid = [2 * self.eps * k / (RADII - 1) for k in range(RADII)]
        marks: list[Band | Points] = []
        for k, name in enumerate(("standard", "adversarial", "certified")):
            proved, attacked = (
                torch.tensor([[share(draw[k], given.x, given.y, e) for e in grid]
                              for draw in given.draws])
                for share in (_proved, _attacked)
            )  # fmt: skip
            label = f"{name} training, from proof to attack"
            role: Role = "measured" if name == "certified" else "other"
            marks.append(Band(grid, proved.amin(0), attacked.amax(0), label=label, role=role))
        spread = Points(grid, proved.mean(0), label="proved after certified training",
                        low=proved.amin(0), high=proved.amax(0))  # fmt: skip
        return Figure(
            "What is proved after three ways of training",
            x="ε",
            y="share of test digits",
            marks=(*marks, spread),
            caption="A band goes from the least that CROWN proved in any draw to the most that an "
            "attack left; dots are means over draws, with their range.",
        )

    def _draw(self, rng: Generator) -> Trained:
        attack = PGD(self.eps, steps=4, alpha=self.eps / 2, box=BOX, keep="last")
        ways = (
            {},
            {"call": Adversarial(attack)},
            {"call": Certified(self.eps, warmup=self.steps // 10, ramp=self.steps // 2, box=BOX)},
        )
        seed = int(torch.randint(2**31, (), generator=rng))
        return Trained(*(self._trained(torch.Generator().manual_seed(seed), way) for way in ways))

    def _trained(self, rng: Generator, way: dict) -> nn.Module:
        x, y = digits("train")
        net = MLP([64, *[self.width] * self.L, 10], rng=rng)
        fit(
            net, (x.flatten(1).double(), y), nn.functional.cross_entropy,
            lambda p: torch.optim.Adam(p, lr=0.005), steps=self.steps, batch_size=100, rng=rng,
            **way,
        )  # fmt: skip
        return net.requires_grad_(False)

    def _test(self) -> tuple[Tensor, Tensor]:
        x, y = digits("test")
        return x[: self.n].flatten(1).double(), y[: self.n]


def _proved(net: nn.Module, x: Tensor, y: Tensor, eps: float) -> float:
    margins = Certifier(net, x[:1], box=BOX).margins(x, y, eps, "crown")
    return float((margins > 0).double().mean())


def _attacked(net: nn.Module, x: Tensor, y: Tensor, eps: float) -> float:
    rng = torch.Generator().manual_seed(0)
    return PGD(eps, steps=20, alpha=eps / 8 or 1.0, box=BOX)(net, x, y, rng=rng).robust_accuracy
