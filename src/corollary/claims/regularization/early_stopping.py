r"""Stopping early is a squared penalty.

On a quadratic risk with Hessian eigenvalues :math:`\lambda_i`, k steps of gradient descent from 0
keep the share :math:`1-(1-\eta\lambda_i)^k` of the minimiser along eigenvector i, and the penalty
:math:`\frac\lambda2\|w\|^2` keeps :math:`\lambda_i/(\lambda_i+\lambda)`. Stopped at

.. math:: \tau=\frac1{\eta\lambda},

the two differ by :math:`O((\lambda_i/\lambda)^2)` as :math:`\lambda_i/\lambda\to0`, while each is
about :math:`\lambda_i/\lambda`. Stopped at :math:`\eta/\lambda`, as printed in one of the notes,
they differ in the first order.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.3, Problem 2; Perez Jensen (2025),
    Deep Learning, Section 8.3; Goodfellow, Bengio and Courville (2016), Deep Learning, Section 7.8.
:kind: rate
:cost: instant
:covers: early-stopping-l2-equivalence
:erratum: [wrong] Perez Jensen (2025), Section 8.3, gives the stopping time t = eta/mu; it is
    1/(eta mu). With eta = 0.1, mu = 0.5 and the eigenvalue 0.01 descent has gone 0.0198 of the way
    after 20 steps and ridge goes 0.0196; the printed time, 0.2, gives 0.0002. [typo] Lucchi (2025),
    Problem 2d, pairs the penalty lambda ||w||^2 with (11.31), which is that of (lambda/2) ||w||^2:
    replace lambda by 2 lambda.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, Series, option, slope
from corollary.theory.optimization.quadratic_descent import matrix_with_spectrum
from corollary.theory.regularization.early_stopping import (
    early_stopping_filter,
    matched_time,
    ridge_filter,
)


class Given(NamedTuple):
    """A quadratic risk, a step, a penalty and the time at which descent is stopped."""

    H: Float[Tensor, "d d"]
    w: Float[Tensor, " d"]  # the minimiser
    eta: float
    lam: float
    time: float


class EarlyStopping(Claim[Given]):
    d: int = option(8, low=4, high=30)  # eigenvalues, each half of the next
    lam: float = option(0.5, low=0.01, high=10.0)  # the penalty
    steps: int = option(20, low=5, high=1000)  # steps until the matched time; η = 1/(steps λ)
    relation = slope(gap=0.1)  # the next term is smaller by λi/λ, at most an eighth

    def given(self, rng: Generator) -> Given:
        """Eigenvalues from an eighth of the penalty down, turned at random."""
        values = self.lam * 2.0 ** -torch.arange(3, 3 + self.d, dtype=torch.float64)
        w = 1 + torch.rand(self.d, generator=rng, dtype=torch.float64)
        eta = 1 / (self.steps * self.lam)
        H = matrix_with_spectrum(values, rng=rng)
        return Given(H, w, eta, self.lam, matched_time(eta, self.lam))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The time, and a step that is small against every curvature."""
        match = matched_time(given.eta, given.lam)
        top = float(torch.linalg.eigvalsh(given.H)[-1])
        yield Hypothesis(
            "descent is stopped at 1/(ηλ)",
            abs(given.time - match) < 1e-9 * match,
            f"{given.time:g}",
        )
        yield Hypothesis(
            "the step is stable", given.eta * top < 2, f"η λmax = {given.eta * top:.3g}"
        )

    def predict(self, given: Given) -> float:
        """The order of the difference in λi/λ."""
        return 2.0

    def measure(self, given: Given) -> Series:
        """The difference of the shares, from a run of descent and a ridge solution."""
        H, w, eta, lam, time = given
        values, Q = torch.linalg.eigh(H)
        ridge = torch.linalg.solve(H + lam * torch.eye(len(w), dtype=H.dtype), H @ w)
        gap = (Q.T @ (_stopped(H, w, eta, time) - ridge)) / (Q.T @ w)
        return Series(values / lam, gap.abs())

    def counterexample(self, rng: Generator) -> Given:
        """The printed time, η/λ."""
        given = self.given(rng)
        return given._replace(time=given.eta / given.lam)

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Both filters with the printed time beside them, and their difference."""
        eta, lam = given.eta, given.lam
        ratio = torch.logspace(-2.5, 1, 120, dtype=torch.float64)
        H = torch.diag(ratio * lam)
        stopped = early_stopping_filter(H, eta, self.steps).kept
        ridge = ridge_filter(H, lam).kept
        printed = 1 - (1 - eta * lam * ratio).clamp(min=0) ** (eta / lam)
        filters = Figure(
            "Stopping at 1/(ηλ) filters like the penalty λ",
            x="λᵢ/λ",
            y="share of the minimiser that is kept",
            log_x=True,
            marks=(
                Curve(ridge, x=ratio, label="penalty λ", role="predicted"),
                Curve(stopped, x=ratio, label="stopped at 1/(ηλ)"),
                Curve(printed, x=ratio, label="stopped at η/λ", role="other", dashed=True),
            ),
        )
        found = self.measure(given)
        law = 0.5 * torch.tensor(found.sizes) ** 2
        difference = Figure(
            "The difference is of second order",
            x="λᵢ/λ",
            y="difference of the shares",
            log_x=True,
            log_y=True,
            marks=(
                Curve(law, x=found.sizes, label="½ (λᵢ/λ)²", role="predicted"),
                Points(found.sizes, found.values, label="descent against ridge"),
            ),
        )
        return filters, difference


def _stopped(H: Tensor, w: Tensor, eta: float, time: float) -> Tensor:
    """Descent from 0; the part of a last step if the time is no whole number."""
    at, whole = torch.zeros_like(w), round(time) if abs(time - round(time)) < 1e-9 else int(time)
    for _ in range(whole):
        at = at - eta * (H @ (at - w))
    return at - max(time - whole, 0.0) * eta * (H @ (at - w))
