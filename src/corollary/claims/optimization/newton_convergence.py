r"""Newton's method converges quadratically.

If the Hessian of f is M-Lipschitz and positive definite at the iterate :math:`x_k`, with smallest
eigenvalue :math:`\lambda_k`, then the error squares at each step:

.. math:: \|x_{k+1}-x^*\|\le\frac{M}{2\lambda_k}\,\|x_k-x^*\|^2 .

On a quadratic M = 0, and one step is enough.

:source: Lucchi (2025), Foundations of Deep Learning, Section 5.3; Nocedal and Wright (2006),
    "Numerical optimization", Theorem 3.5.
:kind: bound
:cost: instant
:covers: newton-quadratic-model
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, at_most, option
from corollary.theory.optimization.gradient_descent import gradient_descent
from corollary.theory.optimization.newton import newton
from corollary.theory.optimization.objectives import ridge_logistic
from corollary.theory.prerequisites.hessians import hessian

STEEPEST = 1 / (6 * 3**0.5)  # largest third derivative of log(1 + exp(z)), at z = ±log(2 + √3)


class Given(NamedTuple):
    """A function with its constants, and a start."""

    f: Callable[[Tensor], Tensor]
    M: float  # Lipschitz constant of the Hessian
    minimiser: Float[Tensor, " d"]
    x0: Float[Tensor, " d"]
    eta: float  # step of the gradient descent drawn beside it


class NewtonConvergence(Claim[Given]):
    n: int = 30  # data points of the logistic loss
    d: int = 2  # dimension
    lam: float = option(0.1, low=0.01, high=10.0)  # weight of the ridge
    start: float = option(1.5, low=0.01, high=10.0)  # distance of the start to the minimiser
    relation = at_most(ulps=2**8, scale=1.0)  # the minimiser is known to rounding over curvature

    def given(self, rng: Generator) -> Given:
        """Ridge logistic regression."""
        x = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)
        y = (torch.rand(self.n, generator=rng, dtype=torch.float64) < 0.5).double()
        loss = ridge_logistic(x, y, lam=self.lam)
        M = STEEPEST * float(x.norm(dim=1).pow(3).mean())
        u = torch.randn(self.d, generator=rng, dtype=torch.float64)
        start = loss.minimiser + self.start * u / u.norm()
        return Given(loss.f, M, loss.minimiser, start, 1 / loss.L)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Hessians along the way."""
        x = _iterates(given)[:-1]
        halfway = (x + given.minimiser) / 2
        H, near = (torch.stack([hessian(given.f, p) for p in q]) for q in (x, halfway))
        low = float(torch.linalg.eigvalsh(H)[:, 0].min())
        yield Hypothesis("the Hessian is positive definite at each iterate", low > 0)
        change = torch.linalg.matrix_norm(H - near, 2)
        lipschitz = bool((change <= given.M * (x - halfway).norm(dim=1) + 1e-12).all())
        yield Hypothesis("the Hessian changes by at most M times the distance", lipschitz)

    def predict(self, given: Given) -> list[float]:
        """The squared errors, with their factor."""
        x = _iterates(given)[:-1]
        low = [float(torch.linalg.eigvalsh(hessian(given.f, p))[0]) for p in x]
        error = (x - given.minimiser).norm(dim=1).tolist()
        return [given.M / (2 * a) * e**2 for a, e in zip(low, error, strict=True)]

    def measure(self, given: Given) -> list[float]:
        """The errors after the steps."""
        return (_iterates(given)[1:] - given.minimiser).norm(dim=1).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Curvature without bound at the minimiser: the iterates swing for ever."""
        x0 = torch.tensor([0.5], dtype=torch.float64)
        return Given(lambda x: (x.abs() ** 1.5).sum() * 4 / 3, 1.0, 0 * x0, x0, 0.1)

    def figure(self, given: Given) -> Figure:
        """Errors of Newton's method, its bound, and gradient descent."""
        error = (_iterates(given) - given.minimiser).norm(dim=1).clamp(min=1e-17)
        slow = gradient_descent(given.f, given.x0, given.eta, 8).x
        return Figure(
            "Newton's error squares at each step",
            x="k",
            y="‖x_k − x*‖",
            log_y=True,
            marks=(
                Curve(self.predict(given), [1, 2, 3, 4], "M‖x_{k−1} − x*‖²/(2λ)", "predicted"),
                Points(range(len(error)), error, label="Newton"),
                Curve((slow - given.minimiser).norm(dim=1), None, "gradient descent", "other"),
            ),
        )


def _iterates(given: Given) -> Tensor:
    return newton(given.f, given.x0, steps=4).x
