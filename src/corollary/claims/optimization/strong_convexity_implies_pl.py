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
:uses: strong_convexity
:covers: pl-condition
:erratum: [wrong] Section 5.6 calls the condition a weaker assumption than convexity; it is weaker
    than strong convexity, and neither implies nor is implied by convexity. x^4 is convex, and at
    x = 0.1 half its squared gradient is 8e-6 where mu = 1 asks for 1e-4; x^2 + 3 sin^2 x satisfies
    the condition and has second derivative -4 at pi/2.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn.functional import softplus

from corollary.claims.optimization._landscapes import Function
from corollary.core import Claim, Parity, Suppose, Trial, at_least, normal, option
from corollary.core.picture import Curve, Level, Marks, picture
from corollary.theory.optimization.convexity import strong_convexity_constant
from corollary.theory.optimization.objectives import quadratic, sine_valley
from corollary.theory.optimization.polyak_lojasiewicz import pl_constant
from corollary.theory.optimization.quadratic_descent import matrix_with_spectrum


class Given(NamedTuple):
    f: Function
    mu: float  # strong convexity
    minimum: float
    x: Float[Tensor, "n d"]


def quartic() -> Given:
    """x⁴ is convex, not strongly, and does not satisfy the condition."""
    x = torch.tensor([[0.1], [0.3]], dtype=torch.float64)
    return Given(lambda x: (x**4).sum(), 1.0, 0.0, x)


class StrongConvexityImpliesPl(Claim[Given]):
    n: int = 20  # points
    d: int = 3  # dimension
    mu: float = option(0.5, low=1e-3, high=100.0)  # strong convexity

    relation = at_least(ulps=2**10, scale=1.0)  # heights of size 1 are differences
    supposes = Suppose(
        "f is μ-strongly convex",
        lambda g: strong_convexity_constant(g.f, g.x).value - g.mu * (1 - 1e-9),
        without=quartic,
    )
    symbols = "μ(f(x) − f*)", "½‖∇f(x)‖²"
    shows = Parity("The condition of Polyak and Łojasiewicz", log="xy")

    @picture("Which functions satisfy the PL condition", x="x", y="½f′(x)² / (f(x) − f*)", log="xy")
    def quotients(self, trial: Trial[Given]) -> Marks:
        x = torch.logspace(-2, 1, 181, dtype=torch.float64)[:, None]
        functions: dict[str, Function] = {
            "x²: strongly convex": lambda x: (x**2).sum(),
            "x² + 3 sin² x: not convex": sine_valley().f,
            "x⁴: convex": lambda x: (x**4).sum(),
        }
        for name, f in functions.items():
            slopes = torch.vmap(torch.func.grad(f))(x)[:, 0]
            yield Curve(slopes.square() / 2 / torch.vmap(f)(x), x[:, 0], name)
        yield Level(1 / 32, label="1/32")

    def given(self, rng: Generator) -> Given:
        values = self.mu * torch.linspace(1, 8, self.d, dtype=torch.float64)
        Q, w = quadratic(matrix_with_spectrum(values, rng=rng)), normal(rng, self.d, self.d)

        def f(p: Tensor) -> Tensor:
            return Q.f(p) + (softplus(2 * (w @ p)) - w @ p).sum()  # log(2 cosh(w·p))

        sizes = torch.logspace(-1, 2, self.n, dtype=torch.float64)
        x = sizes[:, None] * normal(rng, self.n, self.d)
        return Given(f, self.mu, float(f(0 * x[0])), x)

    def predict(self, given: Given) -> list[float]:
        return (given.mu * (torch.vmap(given.f)(given.x) - given.minimum)).tolist()

    def measure(self, given: Given) -> list[float]:
        heights = torch.vmap(given.f)(given.x) - given.minimum
        ratios = [pl_constant(given.f, x[None], given.minimum).mu for x in given.x]
        return [r * float(h) for r, h in zip(ratios, heights, strict=True)]

    def tight(self) -> Given:
        """The flattest direction of a bowl."""
        x = torch.tensor([[2.0, 0.0]], dtype=torch.float64)
        return Given(lambda x: 0.5 * (x[0] ** 2 + 3 * x[1] ** 2), 1.0, 0.0, x)
