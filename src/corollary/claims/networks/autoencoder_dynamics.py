r"""A linear autoencoder learns the principal directions one after another.

Gradient descent with step :math:`\eta` on :math:`\frac1{2n}\|X-DCX\|_F^2` from small random
:math:`C, D` learns direction :math:`u_i`, with :math:`\lambda_i=\sigma_i^2/n`, after about
:math:`\log(1/\varepsilon)/(\eta\lambda_i)` steps, where :math:`\varepsilon` is the size of the
start: the largest singular value first. It ends at the value of Eckart and Young,

.. math:: \frac1{2n}\sum_{i>m}\sigma_i^2 ;

there are no bad local minima. Near the end the curvature along :math:`u_1` is :math:`2\lambda_1`,
so :math:`\eta<1/\lambda_1` is needed. Checked are the final loss and the places of the directions
in the order in which :math:`u_i^\top DCu_i` passes one half.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.3; Lucchi (2024), Foundations of
    Deep Learning (slides), Syllabus; Baldi and Hornik (1989), "Neural networks and principal
    component analysis"; Saxe, McClelland and Ganguli (2014), "Exact solutions to the nonlinear
    dynamics of learning in deep linear neural networks".
:kind: experiment
:uses: autoencoder_gradients, optimal_linear_autoencoder, singular_modes
:covers: autoencoder-gd-vs-svd
"""

from math import log
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.linalg import qr, svdvals

from corollary.core import Claim, Kept, Sample, Suppose, Trial, equals, normal, option
from corollary.core.picture import Curve, Level, Marks, picture
from corollary.core.relations import EPS
from corollary.theory.networks.autoencoder import autoencoder_gradients, reconstruction
from corollary.theory.networks.low_rank import tail_energy


class Given(NamedTuple):
    x: Float[Tensor, "n d"]  # points
    eta: float  # learning rate
    start: float  # deviation of the weights at the start
    steps: int  # of gradient descent


class AutoencoderDynamics(Claim[Given]):
    n: int = option(40, low=10, high=1000)  # points
    d: int = option(8, low=4, high=10)  # dimension of a point
    m: int = option(3, low=1, high=3)  # dimension of the code
    eta: float = option(0.4, low=0.05, high=0.9)  # step size; the largest λ is 1
    start: float = option(1e-4, low=1e-8, high=1e-3)  # deviation of the weights at the start
    steps: int = option(600, low=50, high=20_000)  # steps of gradient descent
    runs: int = option(4, low=2, high=100)  # random starts

    relation = equals(ulps=2e-7 / EPS)  # the runs end within 1e-7 of their limit
    supposes = (
        Suppose(
            "the step size is below 1/λ₁",
            lambda self, g: 1 / self.rates(g)[0] - g.eta,
            "With three times the largest stable step size, the loss explodes.",
            eta=3.0,
        ),
        Suppose("the weights start small", lambda g: 1.01e-3 - g.start),
        Suppose(
            "there are enough steps to learn the last direction",
            lambda self, g: g.steps - 1.5 * self.times(g)[-1],
            "After an eighth of the steps, the last direction is not learned yet.",
            steps=lambda g: g.steps // 8,
        ),
    )
    symbols = "Σ_{i>m} σ_i²/2n, and places 1 to m", "last loss, and places of the directions"
    rows = ("last loss", "place of u₁", "place of u₂", "place of u₃")

    def rates(self, given: Given) -> list[float]:
        """The leading eigenvalues of the covariance."""
        return [float(s) ** 2 / self.n for s in svdvals(given.x)[: self.m]]

    def times(self, given: Given) -> list[float]:
        """About when each direction is learned."""
        return [log(1 / given.start) / (given.eta * rate) for rate in self.rates(given)]

    def given(self, rng: Generator) -> Given:
        U, V = qr(normal(rng, self.n, self.d)).Q, qr(normal(rng, self.d, self.d)).Q
        s = (self.n * 2.0 ** -torch.arange(self.d, dtype=torch.float64)).sqrt()
        return Given((U * s) @ V.T, self.eta, self.start, self.steps)

    def predict(self, given: Given) -> list[float]:
        return [tail_energy(given.x, self.m) / (2 * self.n), *range(1, self.m + 1)]

    def measure(self, given: Given, rng: Generator) -> Kept:
        u = torch.linalg.svd(given.x, full_matrices=False).Vh[: self.m]
        runs = [self.run(given, u, rng) for _ in range(self.runs)]
        when = torch.stack([(learned < 0.5).sum(0) for _, learned in runs])  # (runs, m)
        places = when.argsort(dim=1).argsort(dim=1) + 1
        losses = Sample([loss for loss, _ in runs])
        return Kept([losses, *(Sample(p) for p in places.T)], learned=runs[0][1])

    def run(self, given: Given, u: Tensor, rng: Generator) -> tuple[float, Tensor]:
        """The loss at the end, and what the map does to each principal direction on the way."""
        C, D = given.start * normal(rng, self.m, self.d), given.start * normal(rng, self.d, self.m)
        learned = []
        for _ in range(given.steps):
            by_C, by_D = autoencoder_gradients(C, D, given.x)
            C, D = C - given.eta * by_C, D - given.eta * by_D
            learned.append((u @ D * (u @ C.T)).sum(dim=1))
        return float(reconstruction(given.x, given.x @ C.T @ D.T)), torch.stack(learned)

    @picture("Principal directions are learned one after another", x="step", y="u_iᵀ D C u_i")
    def marks(self, trial: Trial[Given]) -> Marks:
        times = self.times(trial.given)
        shown = trial.kept.learned[: int(2 * times[-1])]
        for i, t in enumerate(times):
            yield Curve(shown[:, i], label=f"direction {i + 1}")
            yield Level(t, label=f"log(1/ε)/(ηλ_i), i = {i + 1}", axis="x")
