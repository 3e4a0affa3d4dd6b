r"""AdaGrad does not depend on the scale of the coordinates.

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
:covers: adagrad
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, near, option, uniform
from corollary.theory.optimization.methods.adagrad import AdaGrad
from corollary.theory.optimization.methods.method import trajectory
from corollary.theory.optimization.quadratic_descent import matrix_with_spectrum


class Given(NamedTuple):
    Q: Float[Tensor, "d d"]  # of the quadratic
    x0: Float[Tensor, " d"]  # start


class AdagradUnits(Claim[Given]):
    kappa: float = option(1e4, low=1.5, high=1e12)  # condition number
    d: int = option(6, low=2)  # dimension
    eta: float = option(0.5, low=1e-3, high=10.0)  # learning rate
    steps: int = option(40, low=1, high=5000)  # steps

    relation = equals(ulps=2**16)  # roots and quotients of each step, forty times
    supposes = (
        Suppose(
            "Q is diagonal: each coordinate has its own curvature",
            lambda g: near(g.Q, g.Q.diagonal().diag()),
            "If the coordinates are rotated, the condition number matters again.",
            Q=lambda g, rng: matrix_with_spectrum(g.Q.diagonal(), rng=rng),
        ),
        Suppose(
            "all curvatures are positive",
            lambda g: g.Q.diagonal().min(),
            "If curvatures are negative, AdaGrad diverges.",
            Q=lambda g: -g.Q,
        ),
    )
    symbols = "AdaGrad on ½‖θ‖²", "AdaGrad on ½Σλᵢθᵢ²"
    shows = Along("AdaGrad in a narrow valley", x="t", y="‖θᵗ − θ*‖", log="y")

    def given(self, rng: Generator) -> Given:
        values = torch.logspace(0, 1, self.d, base=self.kappa, dtype=torch.float64)
        return Given(torch.diag(values), uniform(rng, self.d) + 1)

    def predict(self, given: Given) -> list[float]:
        x, gamma, distances = given.x0, torch.zeros_like(given.x0), [float(given.x0.norm())]
        for _ in range(self.steps):
            gamma = gamma + x.square()
            x = x - self.eta * x / gamma.sqrt()
            distances.append(float(x.norm()))
        return distances

    def measure(self, given: Given) -> list[float]:
        method = AdaGrad(float(self.eta), 0.0)
        path = trajectory(method, lambda x: x @ given.Q, given.x0, self.steps)
        return path.square().sum(dim=-1).sqrt().tolist()
