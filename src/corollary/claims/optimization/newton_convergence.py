r"""Newton's method converges quadratically.

If the Hessian of f is M-Lipschitz and positive definite at the iterate :math:`x_k`, with smallest
eigenvalue :math:`\lambda_k`, then the error squares at each step:

.. math:: \|x_{k+1}-x^*\|\le\frac{M}{2\lambda_k}\,\|x_k-x^*\|^2 .

On a quadratic M = 0, and one step is enough.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.3; Nocedal and Wright (2006),
    "Numerical optimization", Theorem 3.5.
:kind: bound
:uses: quadratic_model
:covers: newton-quadratic-model
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.claims.optimization._landscapes import Function
from corollary.core import Along, Claim, Suppose, at_most, normal, option, uniform
from corollary.theory.optimization.newton import newton
from corollary.theory.optimization.objectives import ridge_logistic
from corollary.theory.prerequisites.hessians import hessian

STEEPEST = 1 / (6 * 3**0.5)  # largest third derivative of log(1 + exp(z)), at z = ±log(2 + √3)


class Given(NamedTuple):
    f: Function
    M: float  # Lipschitz constant of the Hessian
    minimiser: Float[Tensor, " d"]
    x0: Float[Tensor, " d"]

    @property
    def iterates(self) -> Float[Tensor, "k d"]:
        return newton(self.f, self.x0, steps=4).x

    def hessians(self, points: Tensor) -> Float[Tensor, "k d d"]:
        return torch.stack([hessian(self.f, x) for x in points])


def lipschitz(given: Given) -> bool:
    """Between each iterate and halfway to the minimiser."""
    x = given.iterates[:-1]
    halfway = (x + given.minimiser) / 2
    change = torch.linalg.matrix_norm(given.hessians(x) - given.hessians(halfway), 2)
    return bool((change <= given.M * (x - halfway).norm(dim=1) + 1e-12).all())


def line(f: Function, x0: float) -> Given:
    """A function of one variable with minimiser 0, M = 1."""
    start = torch.tensor([x0], dtype=torch.float64)
    return Given(f, 1.0, 0 * start, start)


class NewtonConvergence(Claim[Given]):
    n: int = 30  # data points of the logistic loss
    d: int = 2  # dimension
    lam: float = option(0.1, low=0.01, high=10.0)  # weight of the ridge
    start: float = option(1.5, low=0.01, high=10.0)  # distance of the start to the minimiser

    relation = at_most(ulps=2**8, scale=1.0)  # the minimiser is known to rounding over curvature
    supposes = (
        Suppose(
            "the Hessian is positive definite at each iterate",
            lambda g: torch.linalg.eigvalsh(g.hessians(g.iterates[:-1])).min(),
            "If Newton's method starts near a maximum of -cos, it converges to the maximum.",
            lambda: line(lambda x: -x.cos().sum(), 2.5),
        ),
        Suppose(
            "the Hessian changes by at most M times the distance",
            lipschitz,
            "The curvature is unbounded at the minimiser, and the iterates oscillate forever.",
            lambda: line(lambda x: (x.abs() ** 1.5).sum() * 4 / 3, 0.5),
        ),
    )
    symbols = "M‖x_{k−1} − x*‖²/(2λ)", "‖x_k − x*‖"
    shows = Along("The error is squared at each step", x="k", first=1, log="y")

    def given(self, rng: Generator) -> Given:
        x, y = normal(rng, self.n, self.d), (uniform(rng, self.n) < 0.5).double()
        loss, u = ridge_logistic(x, y, lam=self.lam), normal(rng, self.d)
        M = STEEPEST * float(x.norm(dim=1).pow(3).mean())
        return Given(loss.f, M, loss.minimiser, loss.minimiser + self.start * u / u.norm())

    def predict(self, given: Given) -> list[float]:
        x = given.iterates[:-1]
        low = torch.linalg.eigvalsh(given.hessians(x))[:, 0]
        factors = given.M / (2 * low)
        return [float(v) for v in factors * (x - given.minimiser).square().sum(dim=1)]

    def measure(self, given: Given) -> list[float]:
        return (given.iterates[1:] - given.minimiser).square().sum(dim=1).sqrt().tolist()

    def tight(self) -> Given:
        """A cubic of one variable attains it at each step."""
        return line(lambda x: (x**2 / 2 + x**3 / 6).sum(), 0.5)
