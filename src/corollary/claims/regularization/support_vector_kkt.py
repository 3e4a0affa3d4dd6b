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
:cost: instant
:covers: svm-kkt-conditions, max-margin-implicit-bias
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.data.separable import separable_cloud
from corollary.theory.connectionism.labelled import signed_points
from corollary.theory.regularization.hard_margin import hard_margin_svm, margin_problem
from corollary.theory.regularization.kkt import kkt_residuals


class Given(NamedTuple):
    """Points with their labels multiplied in, and multipliers for them."""

    x: Float[Tensor, "n d"]
    alpha: Float[Tensor, " n"]


class SupportVectorKkt(Claim[Given]):
    n: int = option(20, low=2, high=200)  # points
    d: int = option(2, low=2, high=10)  # dimension
    gamma: float = option(0.2, low=0.05, high=0.9)  # margin to plant in the unit ball
    relation = equals(ulps=2**30, scale=1.0)  # the solver stops at about 1e-8

    def given(self, rng: Generator) -> Given:
        """A separable cloud with the multipliers of an active-set method."""
        x, y, _ = separable_cloud(self.n, self.d, self.gamma, rng=rng)
        z = signed_points(x, y)
        return Given(z, hard_margin_svm(z).alpha)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """All four conditions."""
        x, alpha = given
        off = kkt_residuals(margin_problem(x), alpha @ x, alpha)
        yield Hypothesis("w separates with margin 1", off.primal < 1e-6, f"{off.primal:.1e}")
        yield Hypothesis("no multiplier is negative", off.dual < 1e-6, f"{off.dual:.1e}")
        yield Hypothesis(
            "only points with margin exactly 1 carry weight",
            off.slackness < 1e-6 * float(alpha.max()),
            f"{off.slackness:.1e}",
        )

    def predict(self, given: Given) -> list[float]:
        """The combination of the support vectors."""
        return (given.alpha @ given.x).tolist()

    def measure(self, given: Given) -> list[float]:
        """The minimiser found by sequential quadratic programming."""
        return _primal(given.x).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A tenth of the weight goes to the point with the largest margin."""
        x, alpha = self.given(rng)
        far = (x @ (alpha @ x)).argmax()
        moved = 0.9 * alpha
        moved[far] += 0.1 * alpha.sum()
        return Given(x, moved)

    def figure(self, given: Given) -> tuple[Figure, ...]:
        """Multipliers over margins, and the picture in the plane."""
        x, alpha = given
        margins = x @ (alpha @ x)
        slackness = Figure(
            "Weight only where the margin is 1",
            x="margin ⟨ŵ, xᵢ⟩",
            y="multiplier αᵢ",
            marks=(
                Points(margins, alpha, label="points"),
                Curve([0, float(alpha.max())], x=[1, 1], label="margin 1", role="predicted"),
            ),
        )
        return (slackness, _plane(x, alpha)) if x.shape[1] == 2 else (slackness,)


def _primal(x: Tensor) -> np.ndarray:
    """Minimise half the squared length under the n constraints, from the mean of the points."""
    from scipy.optimize import minimize

    z = x.numpy()
    solved = minimize(
        lambda w: 0.5 * float(w @ w),
        z.mean(axis=0),
        jac=lambda w: w,
        constraints={"type": "ineq", "fun": lambda w: z @ w - 1, "jac": lambda w: z},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return np.asarray(solved.x)


def _plane(x: Tensor, alpha: Tensor) -> Figure:
    """Points with labels multiplied in: all lie beyond the line of margin 1."""
    w = alpha @ x
    holds = alpha > 1e-6 * alpha.max()
    base, along = w / w.square().sum(), torch.stack([-w[1], w[0]]) / w.norm()
    line = torch.stack([base - 0.9 * along, base + 0.9 * along])
    return Figure(
        "Few points hold the margin",
        x="y x₁",
        y="y x₂",
        equal=True,
        marks=(
            Points(x[~holds, 0], x[~holds, 1], label="other points", role="other"),
            Points(x[holds, 0], x[holds, 1], label="support vectors"),
            Curve(line[:, 1], x=line[:, 0], label="⟨ŵ, x⟩ = 1", role="predicted"),
            Curve([0, float(base[1])], x=[0, float(base[0])], label="γ", role="other"),
        ),
    )
