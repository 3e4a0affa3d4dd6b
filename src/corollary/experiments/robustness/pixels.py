r"""Digits whose pixels may be changed: adversarial and certified training.

A network of two convolutions (16 and 32 channels, 4 x 4, stride 2) and 100 hidden units is trained
on MNIST in three ways: as usual, on digits perturbed by projected gradient ascent, and on bounds by
interval arithmetic. The value is the certified error: the share of test digits for which linear
bounds (CROWN) cannot exclude that some perturbation changes the answer, or which are classified
wrongly. The page adds the error without perturbations and the error under AutoAttack. The true
robust error lies between the error under attack and the certified error.

:source: Wong and Kolter (2018), "Provable defenses against adversarial examples via the convex
    outer adversarial polytope", abstract (same network, error below 5.8 % at 0.1); Gowal et al.
    (2018), "On the effectiveness of interval bound propagation for training verifiably robust
    models" (training); Madry et al. (2018), "Towards deep learning models resistant to adversarial
    attacks"; Croce and Hein (2020), "Reliable evaluation of adversarial robustness".
:cost: minutes
"""

from typing import Any, Literal

import torch
from torch import Generator, nn
from torch.nn import functional as F

from corollary.core import Curve, Experiment, Figure, Outcome, Published, Row
from corollary.data.real import mnist
from corollary.experiments.images._images import predictions
from corollary.theory.robustness import PGD, AutoAttack
from corollary.theory.robustness.certificates import Certifier
from corollary.train.adversarial import Adversarial
from corollary.train.certified import Certified
from corollary.train.trainer import fit

WONG = "Wong and Kolter (2018), abstract"
Training = Literal["standard", "adversarial", "certified"]


class RobustDigits(Experiment):
    training: Training = "certified"  # in which way
    eps: float = 0.1  # largest change of a pixel, of 1
    epochs: int = 20  # passes over the digits
    digits: int = 60_000  # that train
    tests: int = 10_000  # that the certified error counts
    attacked: int = 500  # test digits under AutoAttack

    metric = "certified error in %"
    better = "lower"
    rows = (
        Row("Certified training, MNIST, ε = 0.1", Published(5.8, WONG)),
        Row("Certified training, MNIST, ε = 0.3", eps=0.3),
        Row("Adversarial training, MNIST, ε = 0.1", training="adversarial", epochs=5),
        Row("Standard training, MNIST, ε = 0.1", training="standard", epochs=5),
    )
    seeds = 3
    quick = {"epochs": 1, "digits": 500, "tests": 50, "attacked": 10}

    def run(self, seed: int) -> Outcome:
        (x, y), (x_test, y_test) = mnist("train"), mnist("test")
        x, y = x[: self.digits, None], y[: self.digits]
        x_test, y_test = x_test[: self.tests, None], y_test[: self.tests]
        net = _net(torch.Generator().manual_seed(seed))
        steps = self.epochs * -(-len(x) // 100)
        history = fit(
            net,
            (x, y),
            F.cross_entropy,
            lambda parameters: torch.optim.Adam(parameters, lr=1e-3),
            epochs=self.epochs,
            batch_size=100,
            rng=seed,
            schedule=lambda step: 1.0 if step < 0.75 * steps else 0.1,
            **self._way(steps),
        )
        net.eval().requires_grad_(False)
        margins = Certifier(net, x_test[:1], box=(0.0, 1.0)).margins(x_test, y_test, self.eps)
        some = slice(0, self.attacked)
        attack = AutoAttack(self.eps, steps=50, queries=500)
        fooled = attack(net, x_test[some], y_test[some], rng=seed).fooled
        numbers = {
            "error in %": 100 * float((predictions(net, x_test) != y_test).float().mean()),
            f"error under AutoAttack in %, first {self.attacked} test digits": 100
            * float(fooled.float().mean()),
        }
        window = max(1, steps // 100)
        means = torch.tensor(history["loss"]).unfold(0, window, window).mean(1).tolist()
        curve = Curve(means, x=[window * (i + 1) for i in range(len(means))], label="training")
        figure = Figure("Loss while training", x="step", y="loss that is minimised", marks=(curve,))
        return Outcome(100 * float((margins <= 0).float().mean()), (figure,), numbers=numbers)

    def _way(self, steps: int) -> dict[str, Any]:
        if self.training == "adversarial":
            attack = PGD(self.eps, steps=7, alpha=self.eps / 4, keep="last")
            return {"call": Adversarial(attack)}
        if self.training == "certified":
            return {"call": Certified(self.eps, warmup=steps // 20, ramp=steps // 2)}
        return {}


def _net(rng: Generator) -> nn.Sequential:
    """The network of Wong and Kolter, with normal weights of variance 2 over the fan-in."""
    net = nn.Sequential(
        nn.utils.skip_init(nn.Conv2d, 1, 16, 4, stride=2, padding=1),
        nn.ReLU(),
        nn.utils.skip_init(nn.Conv2d, 16, 32, 4, stride=2, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.utils.skip_init(nn.Linear, 32 * 7 * 7, 100),
        nn.ReLU(),
        nn.utils.skip_init(nn.Linear, 100, 10),
    )
    for name, p in net.named_parameters():
        if name.endswith("bias"):
            nn.init.zeros_(p)
        else:
            nn.init.normal_(p, std=(2 / p[0].numel()) ** 0.5, generator=rng)
    return net
