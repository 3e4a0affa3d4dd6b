r"""Strong convexity implies the PL condition.

A :math:`\mu`-strongly convex f with minimum :math:`f^*` satisfies Polyak and Łojasiewicz' condition

.. math:: \tfrac12\|\nabla f(x)\|^2\ge\mu\,(f(x)-f^*)\qquad\text{for all }x .

Convexity alone does not imply it: for :math:`x^4` the quotient of both sides is
:math:`8x^2/\mu`, without a positive lower bound. Nor does it imply convexity:
:math:`x^2+3\sin^2x` satisfies it with :math:`\mu=\frac1{32}`.

:source: Lucchi (2025), Foundations of Deep Learning, Definition 21 and Figure 5.6; Perez Jensen
    (2025), Deep Learning, Section 3.2, Definition 3.3; Karimi, Nutini and Schmidt (2016), "Linear
    convergence of gradient and proximal-gradient methods under the Polyak-Łojasiewicz condition".
:kind: theorem
:cost: instant
:covers: pl-condition
:erratum: [wrong] Section 5.6 calls the condition a weaker assumption than convexity; it is weaker
    than strong convexity, and neither implies nor is implied by convexity. x^4 is convex, and at
    x = 0.1 half its squared gradient is 8e-6 where mu = 1 asks for 1e-4; x^2 + 3 sin^2 x satisfies
    the condition and has second derivative -4 at pi/2.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn.functional import softplus

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, at_least, option
from corollary.theory.optimization.convexity import strong_convexity_constant
from corollary.theory.optimization.objectives import quadratic, sine_valley
from corollary.theory.optimization.quadratic_descent import matrix_with_spectrum
from corollary.theory.prerequisites.gradients import gradient


class Given(NamedTuple):
    """A function, its constants and points."""

    f: Callable[[Tensor], Tensor]
    mu: float
    minimum: float
    x: Float[Tensor, "n d"]


class StrongConvexityImpliesPl(Claim[Given]):
    n: int = 20  # points
    d: int = 3  # dimension
    mu: float = option(0.5, low=1e-3, high=100.0)  # strong convexity
    relation = at_least(ulps=2**10, scale=1.0)  # heights of size 1 are differences

    def given(self, rng: Generator) -> Given:
        """A quadratic plus log-cosh ridges: strongly convex, not quadratic."""
        values = self.mu * torch.linspace(1, 8, self.d, dtype=torch.float64)
        Q = quadratic(matrix_with_spectrum(values, rng=rng))
        w = torch.randn(self.d, self.d, generator=rng, dtype=torch.float64)
        x = torch.randn(self.n, self.d, generator=rng, dtype=torch.float64)

        def f(p: Tensor) -> Tensor:
            return Q.f(p) + (softplus(2 * (w @ p)) - w @ p).sum()  # log(2 cosh(w·p))

        sizes = torch.logspace(-1, 2, self.n, dtype=torch.float64)
        return Given(f, self.mu, float(f(0 * x[0])), sizes[:, None] * x)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Curvature at the points."""
        found = strong_convexity_constant(given.f, given.x).value
        detail = f"smallest curvature seen {found:.3g}, μ = {given.mu:.3g}"
        yield Hypothesis("f is μ-strongly convex", found >= given.mu * (1 - 1e-9), detail)

    def predict(self, given: Given) -> list[float]:
        """Heights times mu."""
        return (given.mu * (torch.vmap(given.f)(given.x) - given.minimum)).tolist()

    def measure(self, given: Given) -> list[float]:
        """Half the squared gradients."""
        return [0.5 * float(gradient(given.f, x).square().sum()) for x in given.x]

    def counterexample(self, rng: Generator) -> Given:
        """Convex, not strongly, and without the condition."""
        x = torch.tensor([[0.1], [0.3]], dtype=torch.float64)
        return Given(lambda x: (x**4).sum(), 1.0, 0.0, x)

    def figure(self, given: Given) -> Figure:
        """The quotient for three functions of one variable."""
        x = torch.logspace(-2, 1, 181, dtype=torch.float64)
        functions = {
            "x²: strongly convex": lambda x: (x**2).sum(),
            "x² + 3 sin² x: not convex": sine_valley().f,
            "x⁴: convex": lambda x: (x**4).sum(),
        }
        marks: list[Curve | Level] = [Level(1 / 32, label="1/32")]
        for name, f in functions.items():
            slopes = torch.vmap(torch.func.grad(f))(x[:, None])[:, 0]
            marks.append(Curve(0.5 * slopes**2 / torch.vmap(f)(x[:, None]), x, name))
        return Figure(
            "Who satisfies the condition of Polyak and Łojasiewicz",
            x="x",
            y="½f′(x)² / (f(x) − f*)",
            log_x=True,
            log_y=True,
            marks=tuple(marks),
        )
