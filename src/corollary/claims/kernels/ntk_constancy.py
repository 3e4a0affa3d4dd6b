r"""The tangent kernel of a wide network stays put.

Trained by gradient flow on the squared loss, a network of width n in the NTK parametrisation keeps
its tangent kernel up to a drift that vanishes with the width,

.. math:: \frac{\|\Theta_t - \Theta_0\|}{\|\Theta_0\|} = O(n^{-1/2}),

so that in the limit :math:`\dot f = -\Theta(x, X)(f(X) - y)`, a linear equation. In the mean-field
scaling (1/n in the output, time scaled up by n) features move and the drift does not vanish.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 58; Jacot, Gabriel and Hongler (2018),
    "Neural tangent kernel: convergence and generalization in neural networks", Theorem 2; Lee et
    al. (2019), "Wide neural networks of any depth evolve as linear models under gradient descent".
:kind: rate
:cost: seconds
:covers: ntk-convergence-theorem
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.claims.kernels._rate_figure import rate_figure
from corollary.core import (
    Claim,
    Curve,
    Figure,
    Hypothesis,
    Points,
    Series,
    generator,
    option,
    slope,
)

STEP, STEPS = 0.05, 200


class Given(NamedTuple):
    """A regression problem as tuples, a seed, and the power of the width in the output."""

    x: tuple[tuple[float, ...], ...]
    y: tuple[float, ...]
    seed: int
    alpha: float  # the output is divided by n^alpha


class NtkConstancy(Claim[Given]):
    widths: tuple[int, ...] = (64, 128, 256, 512, 1024)  # of the hidden layer
    n: int = option(6, low=2, high=20)  # training inputs
    draws: int = option(24, low=2, high=100)  # networks at each width
    relation = slope(gap=0.1, side=-1)  # an upper bound; 24 networks leave 0.06 in the slope

    def given(self, rng: Generator) -> Given:
        """Inputs on the unit sphere, targets of size 1."""
        x = torch.randn(self.n, 3, generator=rng, dtype=torch.float64)
        x = x / x.norm(dim=1, keepdim=True)
        y = torch.randn(self.n, generator=rng, dtype=torch.float64).sign()
        seed = int(torch.randint(2**40, (), generator=rng))
        return Given(tuple(map(tuple, x.tolist())), tuple(y.tolist()), seed, 0.5)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The scaling."""
        yield Hypothesis(
            "the output is divided by the root of the width", given.alpha == 0.5,
            f"divided by n^{given.alpha:g}",
        )  # fmt: skip

    def predict(self, given: Given) -> float:
        """The exponent of the drift."""
        return -0.5

    def measure(self, given: Given) -> Series:
        """Drift at each width, averaged over networks."""
        return Series(self.widths, _drifts(given, self.widths, self.draws)[0])

    def counterexample(self, rng: Generator) -> Given:
        """Mean-field scaling: features move at any width."""
        return self.given(rng)._replace(alpha=1.0)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The drift, and training beside the linear equation of the limit."""
        drifts, losses, linear = _drifts(given, self.widths, self.draws)
        time = [STEP * k for k in range(0, STEPS + 1, 10)]
        dynamics = Figure(
            "Training follows the kernel's linear equation",
            x="t",
            y="mean squared residual",
            log_y=True,
            marks=(
                Curve(linear[::10], x=time, label="exp(-Θ₀ t) applied", role="predicted"),
                Points(time, losses[::10], label=f"gradient flow, n = {self.widths[-1]}"),
            ),
        )
        drift = rate_figure("Kernel drift", self.widths, drifts, -0.5, "width n", "|Θₜ - Θ₀|/|Θ₀|")
        return drift, dynamics


@lru_cache(maxsize=4)
def _drifts(
    given: Given, widths: tuple[int, ...], draws: int
) -> tuple[list[float], list[float], list[float]]:
    """Mean drift at each width; at the largest one also the loss over time, real and linear."""
    x, y = (torch.tensor(t, dtype=torch.float64) for t in given[:2])
    drifts: list[float] = []
    for n in widths:
        rng = generator(given.seed, "networks", n)
        w = torch.randn(draws, n, x.shape[1], generator=rng, dtype=x.dtype)
        v = torch.randn(draws, n, generator=rng, dtype=x.dtype)
        before = _kernel(w, v, x, n, given.alpha)
        f0 = _output(w, v, x, n, given.alpha)
        w, v, losses = _train(w, v, x, y, n, given.alpha)
        after = _kernel(w, v, x, n, given.alpha)
        drifts.append(float(((after - before).norm(dim=(1, 2)) / before.norm(dim=(1, 2))).mean()))
    return drifts, losses, _linear(before, f0, y)


def _output(w: Tensor, v: Tensor, x: Tensor, n: int, alpha: float) -> Tensor:
    return ((x @ w.mT).relu() @ v[..., None])[..., 0] / n**alpha


def _kernel(w: Tensor, v: Tensor, x: Tensor, n: int, alpha: float) -> Tensor:
    """The tangent kernel in units of the time used, so that both scalings have it of order 1."""
    h = x @ w.mT
    a, b = h.relu(), (h > 0) * v[:, None]
    return (a @ a.mT + (x @ x.T) * (b @ b.mT)) / n


def _train(w, v, x, y, n, alpha):  # noqa: ANN001, ANN202 - tensors of one network each
    """Euler steps of gradient flow, in time scaled by n^(2 alpha - 1)."""
    rate, losses = STEP * n ** (2 * alpha - 1), []
    for _ in range(STEPS):
        h = x @ w.mT
        rest = y - (h.relu() @ v[..., None])[..., 0] / n**alpha  # (draws, points)
        losses.append(float((rest**2).mean()))
        step = rate / n**alpha
        grad_v = (rest[:, None] @ h.relu())[:, 0]
        grad_w = ((h > 0) * v[:, None] * rest[..., None]).mT @ x
        w, v = w + step * grad_w, v + step * grad_v
    rest = y - _output(w, v, x, n, alpha)
    return w, v, [*losses, float((rest**2).mean())]


def _linear(kernel: Tensor, f0: Tensor, y: Tensor) -> list[float]:
    """Mean squared residual of the same Euler steps with the kernel held fixed."""
    rest, out = (y - f0)[..., None], []
    for _ in range(STEPS + 1):
        out.append(float((rest**2).mean()))
        rest = rest - STEP * kernel @ rest
    return out
