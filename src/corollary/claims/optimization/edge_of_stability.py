r"""Edge of stability of gradient descent.

Full-batch gradient descent on a network sharpens: the largest eigenvalue :math:`\lambda` of the
Hessian grows until gradient descent is just stable. From there on the loss no longer falls at every
step, and :math:`\lambda` stays where a quadratic would be at its limit,

.. math:: \lambda\approx\frac2\eta ,

within 10 %, in the last third of the run. Measured on a convolutional network and on a transformer
that learn scikit-learn's digits with squared error. Rows are :math:`\lambda` and its inverse:
both sides of 10 % are bounds.

:source: Cohen, Kaur, Li, Kolter and Talwalkar (2021), "Gradient descent on neural networks
    typically occurs at the edge of stability", Section 3.1.
:kind: experiment
:cost: minutes
:uses: gd_stability_threshold
:beyond: The notes give the limit 2/λ for a quadratic; this claim shows that training a network
    reaches the limit by itself.
"""

from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn
from torch.optim import SGD

from corollary.claims.optimization._edge import Course, course, curves, drawn, images, settled_rows
from corollary.core import Claim, Kept, Suppose, Trial, at_most, option
from corollary.core.picture import Marks, picture
from corollary.theory.optimization.stability import reach

TOLERANCE = 1.1  # a tenth above the limit, or below it


class Given(NamedTuple):
    data: list[tuple[Tensor, Tensor]]  # images and targets of each run
    eta: tuple[float, float]  # learning rate of the convolutional network and of the transformer
    size: int  # images of a batch
    steps: int


class EdgeOfStability(Claim[Given]):
    n: int = option(80, low=20, high=500)  # images
    runs: int = option(5, low=2, high=20)  # repetitions with other images and weights
    steps: int = option(500, low=100, high=5000)  # steps of gradient descent
    cnn: float = option(0.4, low=0.3, high=0.6)  # learning rate of the convolutional network
    transformer: float = option(0.1, low=0.08, high=0.12)  # learning rate of the transformer

    relation = at_most(level=0.95)  # Student intervals over the runs
    supposes = (
        Suppose(
            "every step uses all of the data",
            lambda g: (g.size == len(g.data[0][0]), f"batches of {g.size}"),
            "With batches of four, noise keeps the sharpness far below 2/η.",
            size=4,
        ),
        Suppose(
            "the run is long enough to sharpen: steps times η is at least 10",
            lambda g: g.steps * min(g.eta) - 10,
            "With a hundredth of the learning rate, the edge is not reached.",
            eta=lambda g: (g.eta[0] / 100, g.eta[1] / 100),
        ),
    )
    symbols = "limit, 10 % allowed", "sharpness λ"
    rows = ("CNN: λ", "CNN: 1/λ", "transformer: λ", "transformer: 1/λ")

    def given(self, rng: Generator) -> Given:
        data = [images(self.n, rng) for _ in range(self.runs)]
        return Given(data, (self.cnn, self.transformer), self.n, self.steps)

    def predict(self, given: Given) -> list[float]:
        limits = [reach(SGD([torch.zeros(1)], lr=eta)) / eta for eta in given.eta]
        return [TOLERANCE * v for limit in limits for v in (limit, 1 / limit)]

    def measure(self, given: Given, rng: Generator) -> Kept:
        def trained(net: nn.Module, x: Tensor, t: Tensor, eta: float) -> Course:
            optimizer = SGD(net.parameters(), lr=eta)
            return course(net, x, t, optimizer, given.steps, given.size, rng)

        found = [
            [trained(drawn(name, rng), x, t, eta) for x, t in given.data]
            for name, eta in zip(("CNN", "transformer"), given.eta, strict=True)
        ]
        return Kept(settled_rows(found), found=found)

    @picture("The sharpness grows to 2/η and stays", x="step", y="sharpness / (2/η)")
    def marks(self, trial: Trial[Given]) -> Marks:
        limits = [2 / eta for eta in trial.given.eta]
        yield from curves(trial.kept.found, limits, "2/η")
