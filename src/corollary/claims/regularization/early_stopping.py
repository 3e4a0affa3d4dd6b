r"""Early stopping of gradient descent acts like an L2 penalty.

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
:uses: gd_quadratic, weight_decay_shrinkage
:covers: early-stopping-l2-equivalence
:erratum: [wrong] Perez Jensen (2025), Section 8.3, gives the stopping time t = eta/mu; it is
    1/(eta mu). With eta = 0.1, mu = 0.5 and the eigenvalue 0.01 descent has gone 0.0198 of the way
    after 20 steps and ridge goes 0.0196; the printed time, 0.2, gives 0.0002. [typo] Lucchi (2025),
    Problem 2d, pairs the penalty lambda ||w||^2 with (11.31), which is that of (lambda/2) ||w||^2:
    replace lambda by 2 lambda.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Over, Series, Suppose, Trial, option, slope, uniform
from corollary.core.picture import Curve, Marks, picture
from corollary.theory.optimization.quadratic_descent import matrix_with_spectrum
from corollary.theory.regularization.early_stopping import matched_time


class Given(NamedTuple):
    H: Float[Tensor, "d d"]  # Hessian of the risk
    w: Float[Tensor, " d"]  # its minimiser
    eta: float
    lam: float  # penalty
    time: float  # at which descent is stopped


class EarlyStopping(Claim[Given]):
    d: int = option(8, low=4, high=30)  # eigenvalues, each half of the next
    lam: float = option(0.5, low=0.01, high=10.0)  # the penalty
    steps: int = option(20, low=5, high=1000)  # steps until the matched time; η = 1/(steps λ)

    relation = slope(gap=0.1)  # the next term is smaller by λi/λ, at most an eighth
    supposes = (
        Suppose(
            "descent is stopped at 1/(ηλ)",
            lambda g: (abs(g.time * g.eta * g.lam - 1) < 1e-9, f"{g.time:g}"),
            "At the printed stopping time η/λ, the two solutions differ in first order.",
            time=lambda g: g.eta / g.lam,
        ),
        Suppose(
            "the step size is below 2/λmax", lambda g: 2 - g.eta * torch.linalg.eigvalsh(g.H)[-1]
        ),
    )
    symbols = "second order", "difference of the shares that are kept"
    predicts = 2.0
    shows = Over("Difference between early stopping and the penalty", x="λᵢ/λ")

    def given(self, rng: Generator) -> Given:
        values = self.lam * torch.logspace(-3, -2 - self.d, self.d, base=2, dtype=torch.float64)
        eta = 1 / (self.steps * self.lam)
        H = matrix_with_spectrum(values, rng=rng)
        return Given(H, 1 + uniform(rng, self.d), eta, self.lam, matched_time(eta, self.lam))

    def measure(self, given: Given) -> Kept:
        H, w, eta, lam, time = given
        values, Q = torch.linalg.eigh(H)
        penalised = torch.linalg.solve(H + lam * torch.eye(len(w), dtype=H.dtype), H @ w)
        stopped, ridge = ((Q.T @ v) / (Q.T @ w) for v in (_stopped(given), penalised))
        shares = {"penalty λ": ridge, f"stopped at {time:.3g}": stopped}
        return Kept(Series(values / lam, (stopped - ridge).abs()), shares=shares)

    @picture(
        "Stopping at 1/(ηλ) filters like the penalty λ",
        x="λᵢ/λ",
        y="share of the minimiser that is kept",
        log="x",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        shares = {k: v for t in (trial, *trial.without) for k, v in t.kept.shares.items()}
        for k, (name, share) in enumerate(shares.items()):
            yield Curve(share, x=trial.measured.sizes, label=name, dashed=k > 0)


def _stopped(given: Given) -> Tensor:
    """Descent from 0; the part of a last step if the time is no whole number."""
    H, w, eta, _, time = given
    at, whole = torch.zeros_like(w), round(time) if abs(time - round(time)) < 1e-9 else int(time)
    for _ in range(whole):
        at = at - eta * (H @ (at - w))
    return at - max(time - whole, 0.0) * eta * (H @ (at - w))
