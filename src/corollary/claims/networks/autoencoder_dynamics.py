r"""An autoencoder learns the principal directions one after another.

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
:cost: instant
:covers: autoencoder-gd-vs-svd
"""

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, equals, option
from corollary.core.relations import EPS
from corollary.models.linear_autoencoder import LinearAutoencoder
from corollary.theory.networks.autoencoder import reconstruction
from corollary.theory.networks.low_rank import tail_energy
from corollary.train import Loop, fit


class Given(NamedTuple):
    """Data by its seed, and how to train."""

    seed: int
    n: int
    d: int
    m: int
    eta: float
    start: float
    steps: int


class Dynamics(NamedTuple):
    """A run of gradient descent."""

    losses: list[float]  # before each step, as long as they were finite
    learned: Tensor  # (steps, m): u_i^T D C u_i after each step
    diverged: bool


class AutoencoderDynamics(Claim[Given]):
    n: int = option(40, low=10, high=1000)  # points
    d: int = option(8, low=4, high=10)  # numbers a point has
    m: int = option(3, low=1, high=3)  # numbers a code has
    eta: float = option(0.4, low=0.05, high=0.9)  # step size; the largest λ is 1
    start: float = option(1e-4, low=1e-8, high=1e-3)  # deviation of the weights at the start
    steps: int = option(400, low=50, high=20_000)  # of gradient descent
    relation = equals(ulps=1e-4 / EPS)  # the run is stopped when the loss is within 1e-4 of its end

    def given(self, rng: Generator) -> Given:
        """A seed of the data and of the start."""
        seed = int(torch.randint(2**31, (), generator=rng))
        return Given(seed, self.n, self.d, self.m, self.eta, self.start, self.steps)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """A small start, a step that is not too large, time enough."""
        rates = (_singular_values(given)[: given.m] ** 2 / given.n).tolist()
        top, last = rates[0], rates[-1]
        yield Hypothesis(
            "the step size is below 1/λ₁", given.eta * top < 1, f"1/λ₁ = {1 / top:.3g}"
        )
        yield Hypothesis("the weights start small", given.start <= 1e-3)
        needed = 1.5 * math.log(1 / given.start) / (given.eta * last)
        yield Hypothesis(
            "there are steps enough for the last direction", given.steps >= needed, f"{needed:.0f}"
        )

    def predict(self, given: Given) -> list[float]:
        """The least loss, and places 1 to m."""
        best = tail_energy(data(given), given.m) / (2 * given.n)
        return [best, *(float(i + 1) for i in range(given.m))]

    def measure(self, given: Given) -> list[float]:
        """The last loss, and the place at which each direction was learned."""
        run = autoencoder_dynamics(given)
        passed = run.learned >= 0.5
        when = torch.where(passed.any(0), passed.int().argmax(0), len(passed))
        return [run.losses[-1], *(1.0 + when.argsort().argsort()).tolist()]

    def counterexample(self, rng: Generator) -> Given:
        """A step of three times the limit: the loss explodes."""
        given = self.given(rng)
        return given._replace(eta=3.0, steps=60)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """What is learned when, and the loss with its end."""
        run = autoencoder_dynamics(given)
        logistic = [
            Curve(y, label=f"theory, i = {i + 1}", role="predicted", dashed=True)
            for i, y in enumerate(_theory(given, run).T)
        ]
        curves = [
            Curve(run.learned[:, i], label=f"direction {i + 1}, measured") for i in range(given.m)
        ]
        first = Figure(
            "Directions are learned one after another",
            x="step",
            y="u_iᵀ D C u_i",
            marks=(*curves, *logistic),
            caption="Theory: logistic growth with rate 2 λ_i, from where each direction started.",
        )
        best = self.predict(given)[0]
        second = Figure(
            "The loss falls in stairs to the least value",
            x="step",
            y="L",
            log_y=True,
            marks=(
                Curve(run.losses, label="L"),
                Level(best, label="sum of σ_i² over i > m, by 2n"),
            ),
        )
        return first, second


def data(given: Given) -> Tensor:
    r"""Points with :math:`\lambda_i=2^{-(i-1)}` along random orthogonal directions."""
    rng = torch.Generator().manual_seed(given.seed)
    n, d = given.n, given.d
    U = torch.linalg.qr(torch.randn(n, d, generator=rng, dtype=torch.float64)).Q
    V = torch.linalg.qr(torch.randn(d, d, generator=rng, dtype=torch.float64)).Q
    return (U * (n * 2.0 ** -torch.arange(d, dtype=torch.float64)).sqrt()) @ V.T


@lru_cache(maxsize=4)
def autoencoder_dynamics(given: Given) -> Dynamics:
    """Train, and note what the map does to each principal direction."""
    x = data(given)
    u = torch.linalg.svd(x, full_matrices=False).Vh[: given.m]  # (m, d)
    rng = torch.Generator().manual_seed(given.seed + 1)
    model = LinearAutoencoder(given.d, given.m, scale=given.start, rng=rng)
    learned: list[Tensor] = []

    def note(loop: Loop) -> None:
        with torch.no_grad():
            learned.append((loop.model(u) * u).sum(dim=1))

    run = fit(
        model,
        (x, x),
        reconstruction,
        lambda p: torch.optim.SGD(p, lr=given.eta),
        steps=given.steps,
        callbacks=[note],
        on_nan="stop",
    )
    finite = [loss for loss in run.losses if math.isfinite(loss)]
    return Dynamics(finite, torch.stack(learned), run.diverged)


def _singular_values(given: Given) -> Tensor:
    return torch.linalg.svdvals(data(given))


def _theory(given: Given, run: Dynamics) -> Tensor:
    """Logistic curves through the point where each direction is a thousandth learned."""
    t = torch.arange(len(run.learned), dtype=torch.float64)
    rate = 2 * given.eta * _singular_values(given)[: given.m] ** 2 / given.n
    small = run.learned >= 1e-3
    at = torch.where(small.any(0), small.int().argmax(0), 0)
    s = run.learned.gather(0, at[None])[0].clamp(1e-12, 1 - 1e-12)
    return torch.sigmoid(torch.logit(s) + rate * (t[:, None] - at))
