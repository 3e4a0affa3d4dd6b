r"""AdaGrad does not see units.

With :math:`\delta=0` the steps
:math:`\theta_i\leftarrow\theta_i-\eta\,\partial_ih/\sqrt{\gamma_i}`,
:math:`\gamma_i\leftarrow\gamma_i+(\partial_ih)^2`, do not change when each coordinate of the
gradient is multiplied by its own constant :math:`c_i>0`:

.. math:: \frac{c_i\,\partial_ih}{\sqrt{\sum(c_i\,\partial_ih)^2}}
   =\frac{\partial_ih}{\sqrt{\sum(\partial_ih)^2}} .

So on :math:`h(\theta)=\frac12\sum_i\lambda_i\theta_i^2` all condition numbers cost the same: the
iterates are those of :math:`\frac12\|\theta\|^2`. This is a property of the axes. On a turned
quadratic the coordinates mix, and the condition number is back. (In other units of the
*parameters*, :math:`\theta_i=d_iz_i`, the iterates are the same only if the step sizes are
:math:`\eta/d_i`.)

:source: Perez Jensen (2025), Deep Learning, Section 3.3; Duchi, Hazan and Singer (2011), "Adaptive
    subgradient methods for online learning and stochastic optimization".
:kind: identity
:cost: instant
:covers: adagrad
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, equals, option
from corollary.theory.optimization.methods.adagrad import AdaGrad
from corollary.theory.optimization.methods.heavy_ball import HeavyBall
from corollary.theory.optimization.methods.method import trajectory
from corollary.theory.optimization.quadratic_descent import matrix_with_spectrum


class Given(NamedTuple):
    """A quadratic and a start."""

    Q: Float[Tensor, "d d"]
    x0: Float[Tensor, " d"]


class AdagradUnits(Claim[Given]):
    kappa: float = option(1e4, low=1.5, high=1e12)  # condition number
    d: int = option(6, low=2)  # dimension
    eta: float = option(0.5, low=1e-3, high=10.0)  # step size
    steps: int = option(40, low=1, high=5000)  # steps
    relation = equals(ulps=2**16)  # roots and quotients of each step, forty times

    def given(self, rng: Generator) -> Given:
        """Curvatures from 1 to kappa along the axes."""
        x0 = torch.rand(self.d, generator=rng, dtype=torch.float64) + 1
        return Given(torch.diag(self._curvatures()), x0)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """No mixing."""
        off = given.Q - torch.diag(given.Q.diagonal())
        yield Hypothesis("the coordinates do not mix: Q is diagonal", not bool(off.any()))
        yield Hypothesis("all curvatures are positive", bool((given.Q.diagonal() > 0).all()))

    def predict(self, given: Given) -> list[float]:
        """The path on the round bowl."""
        return self._distances(given.x0, torch.eye(len(given.x0), dtype=torch.float64))

    def measure(self, given: Given) -> list[float]:
        """The path on the quadratic."""
        return self._distances(given.x0, given.Q)

    def counterexample(self, rng: Generator) -> Given:
        """The same curvatures, turned."""
        given = self.given(rng)
        return given._replace(Q=matrix_with_spectrum(self._curvatures(), rng=rng))

    def figure(self, given: Given) -> Figure:
        """AdaGrad, descent, and AdaGrad on the turned quadratic."""
        rng = torch.Generator().manual_seed(0)
        turned = matrix_with_spectrum(self._curvatures(), rng=rng)
        largest = float(torch.linalg.eigvalsh(given.Q)[-1])
        plain = trajectory(HeavyBall(1 / largest, 0.0), lambda x: x @ given.Q, given.x0, self.steps)
        return Figure(
            f"A valley of condition number {self.kappa:g}",
            x="t",
            y="‖θᵗ − θ*‖",
            log_y=True,
            marks=(
                Curve(self.predict(given), None, "AdaGrad on ½‖θ‖²", "predicted"),
                Curve(self.measure(given), None, "AdaGrad on ½Σλᵢθᵢ²", dashed=True),
                Curve(
                    self._distances(given.x0, turned), None, "AdaGrad, valley turned", "other",
                    dashed=True,
                ),
                Curve(plain.norm(dim=-1), None, "gradient descent, step 1/L", "other"),
            ),
        )  # fmt: skip

    def _curvatures(self) -> Tensor:
        return torch.logspace(0, 1, self.d, base=self.kappa, dtype=torch.float64)

    def _distances(self, x0: Tensor, Q: Tensor) -> list[float]:
        method = AdaGrad(float(self.eta), 0.0)
        return trajectory(method, lambda x: x @ Q, x0, self.steps).norm(dim=-1).tolist()
