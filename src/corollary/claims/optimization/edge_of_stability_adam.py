r"""Edge of stability of AdamW.

Adam divides the gradient by :math:`P=\sqrt{\hat v}+\epsilon` and averages it with
:math:`\beta_1`. Trained with all of the data at every step, a network sharpens until the largest
eigenvalue of the *preconditioned* Hessian is at the limit of Adam on a quadratic with this P,

.. math:: \lambda_{\max}\bigl(P^{-1/2}HP^{-1/2}\bigr)\approx
          \frac{2(1+\beta_1)}{(1-\beta_1)\,\eta}=\frac{38}{\eta}\quad(\beta_1=0.9),

within 25 %, in the last third of the run, where P moves slowly. Measured with AdamW on a
convolutional network and on a transformer that learn scikit-learn's digits with squared error; rows
are :math:`\lambda` and its inverse, so that both sides of 25 % are bounds.

:source: Cohen, Ghorbani, Krishnan et al. (2022), "Adaptive gradient methods at the edge of
    stability", Sections 3 and 4.
:kind: experiment
:cost: minutes
:uses: gd_stability_threshold
:beyond: The notes give Adam's update; this claim gives the largest stable curvature, and shows that
    training reaches it.
"""

from typing import NamedTuple

import torch
from torch import Generator, Tensor, nn
from torch.optim import AdamW

from corollary.claims.optimization._edge import Course, course, curves, drawn, images, settled_rows
from corollary.core import Claim, Kept, Suppose, Trial, at_most, option
from corollary.core.picture import Marks, picture
from corollary.theory.optimization.stability import reach

TOLERANCE = 1.25  # a quarter above the limit, or below it


class Given(NamedTuple):
    data: list[tuple[Tensor, Tensor]]  # images and targets of each run
    eta: tuple[float, float]  # learning rate of the convolutional network and of the transformer
    size: int  # images of a batch
    steps: int


class EdgeOfStabilityAdam(Claim[Given]):
    n: int = option(80, low=20, high=500)  # images
    runs: int = option(4, low=2, high=20)  # repetitions with other images and weights
    steps: int = option(400, low=100, high=5000)  # steps of AdamW
    cnn: float = option(0.01, low=0.005, high=0.02)  # learning rate of the convolutional network
    transformer: float = option(0.02, low=0.01, high=0.03)  # learning rate of the transformer

    relation = at_most(level=0.95)  # Student intervals over the runs
    supposes = (
        Suppose(
            "every step uses all of the data",
            lambda g: (g.size == len(g.data[0][0]), f"batches of {g.size}"),
            "With batches of four, noise keeps the curvature far below the limit.",
            size=4,
        ),
        Suppose(
            "the run is long enough to sharpen: steps times η is at least 2",
            lambda g: g.steps * min(g.eta) - 2,
            "With a hundredth of the learning rate, the edge is not reached.",
            eta=lambda g: (g.eta[0] / 100, g.eta[1] / 100),
        ),
    )
    symbols = "limit, 25 % allowed", "preconditioned sharpness λ"
    rows = ("CNN: λ", "CNN: 1/λ", "transformer: λ", "transformer: 1/λ")

    def given(self, rng: Generator) -> Given:
        data = [images(self.n, rng) for _ in range(self.runs)]
        return Given(data, (self.cnn, self.transformer), self.n, self.steps)

    def predict(self, given: Given) -> list[float]:
        limits = [reach(AdamW([torch.zeros(1)], lr=eta)) / eta for eta in given.eta]
        return [TOLERANCE * v for limit in limits for v in (limit, 1 / limit)]

    def measure(self, given: Given, rng: Generator) -> Kept:
        def trained(net: nn.Module, x: Tensor, t: Tensor, eta: float) -> Course:
            optimizer = AdamW(net.parameters(), lr=eta)
            return course(net, x, t, optimizer, given.steps, given.size, rng)

        found = [
            [trained(drawn(name, rng), x, t, eta) for x, t in given.data]
            for name, eta in zip(("CNN", "transformer"), given.eta, strict=True)
        ]
        return Kept(settled_rows(found), found=found)

    @picture("The preconditioned sharpness grows to 38/η", x="step", y="sharpness / (38/η)")
    def marks(self, trial: Trial[Given]) -> Marks:
        limits = [38 / eta for eta in trial.given.eta]
        yield from curves(trial.kept.found, limits, "38/η")
