r"""KKT conditions certify the support vector machine.

If w and multipliers :math:`\alpha` satisfy

.. math:: w=\sum_i\alpha_ix_i,\qquad\langle w,x_i\rangle\ge1,\qquad\alpha\ge0,\qquad
   \alpha_i(\langle w,x_i\rangle-1)=0

(labels multiplied in), then w is *the* minimiser of :math:`\frac12\|w\|^2` subject to
:math:`\langle w,x_i\rangle\ge1`: the problem is convex, and for it the conditions suffice. Only the
support vectors, with margin exactly 1, carry weight. The claim compares with a general solver that
knows nothing of multipliers. Weight on a point that is no support vector breaks slackness and the
conclusion.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.1.2, KKT conditions and the proof
    of Theorem 72; Kuhn and Tucker (1951), "Nonlinear programming".
:kind: theorem
:covers: svm-kkt-conditions, max-margin-implicit-bias
:scale-free: theory finds and tests the multipliers, which are the hypothesis.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Suppose, Trial, equals, option
from corollary.core.picture import Curve, Level, Marks, Points, picture, scatter
from corollary.data.separable import separable_cloud
from corollary.theory.connectionism.labelled import signed_points
from corollary.theory.regularization.hard_margin import hard_margin_svm, margin_problem
from corollary.theory.regularization.kkt import Residuals, kkt_residuals


class Given(NamedTuple):
    x: Float[Tensor, "n d"]  # points with their labels multiplied in
    alpha: Float[Tensor, " n"]  # multipliers for them


def _off(given: Given) -> Residuals:
    return kkt_residuals(margin_problem(given.x), given.alpha @ given.x, given.alpha)


def negative_multiplier(given: Given) -> Given:
    """One multiplier is negative: both margins are 1, but w is too long."""
    x = torch.tensor([[1.0, 0.0], [2.0, 1.0]], dtype=torch.float64)
    return Given(x, x.new_tensor([3.0, -1.0]))


def weight_far_out(given: Given) -> Given:
    """A tenth of the weight is moved to the point with the largest margin."""
    x, alpha = given
    moved = 0.9 * alpha
    moved[(x @ (alpha @ x)).argmax()] += 0.1 * alpha.sum()
    return Given(x, moved)


class SupportVectorKkt(Claim[Given]):
    n: int = option(20, low=2, high=200)  # points
    d: int = option(2, low=2, high=10)  # dimension
    gamma: float = option(0.2, low=0.05, high=0.9)  # margin to plant in the unit ball

    relation = equals(ulps=2**30, scale=1.0)  # the solver stops at about 1e-8
    supposes = (
        Suppose(
            "w separates with margin 1",
            lambda g: 1e-6 - _off(g).primal,
            "All multipliers are halved, so w is too short.",
            alpha=lambda g: g.alpha / 2,
        ),
        Suppose(
            "no multiplier is negative", lambda g: 1e-6 - _off(g).dual, without=negative_multiplier
        ),
        Suppose(
            "only points with margin exactly 1 carry weight",
            lambda g: 1e-6 * g.alpha.max() - _off(g).slackness,
            without=weight_far_out,
        ),
    )
    symbols = "Σ αᵢ xᵢ", "minimiser of ‖w‖²"
    rows = "ŵ₁", "ŵ₂"

    def given(self, rng: Generator) -> Given:
        x, y, _ = separable_cloud(self.n, self.d, self.gamma, rng=rng)
        z = signed_points(x, y)
        return Given(z, hard_margin_svm(z).alpha)

    def predict(self, given: Given) -> Tensor:
        return given.alpha @ given.x

    def measure(self, given: Given) -> list[float]:
        """By sequential quadratic programming, which knows nothing of multipliers."""
        from scipy.optimize import minimize

        z = given.x.numpy()
        solved = minimize(
            lambda w: 0.5 * float(w @ w),
            z.mean(axis=0),
            jac=lambda w: w,
            constraints={"type": "ineq", "fun": lambda w: z @ w - 1, "jac": lambda w: z},
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        return [float(v) for v in solved.x]

    @picture("Few points determine the margin", x="y x₁", y="y x₂", equal=True)
    def plane(self, trial: Trial[Given]) -> Marks:
        if self.d == 2:
            (x, alpha), w = trial.given, trial.predicted
            holds, base = alpha > 1e-6 * alpha.max(), w / w.square().sum()
            ends = base + torch.tensor([[-0.9], [0.9]]) * torch.stack([-w[1], w[0]]) / w.norm()
            yield scatter(x[~holds], "other points", "other")
            yield scatter(x[holds], "support vectors")
            yield Curve(ends[:, 1], ends[:, 0], "⟨ŵ, x⟩ = 1", "predicted")
            yield Curve([0, base[1]], [0, base[0]], "margin γ", "other")

    @picture("Only points with margin 1 have weight", x="margin ⟨ŵ, xᵢ⟩", y="multiplier αᵢ")
    def marks(self, trial: Trial[Given]) -> Marks:
        def margins(given: Given) -> Tensor:
            return given.x @ torch.tensor(trial.measured, dtype=torch.float64)

        moved = trial.without[-1] if trial.without else trial
        yield Level(1.0, label="margin 1", axis="x")
        yield Points(margins(trial.given), trial.given.alpha, label="points")
        yield Points(margins(moved.given), moved.given.alpha, label=moved.words, role="other")
