r"""Hessian-vector product.

Where f is twice differentiable

.. math:: H(x)v=\lim_{t\to0}\frac{\nabla f(x+tv)-\nabla f(x)}{t}
    =\nabla_x\big(\nabla f(x)^\top v\big),

so H times a vector costs a few gradients and never forms H. Differentiating twice by autograd is
exact there; at a kink of the gradient it returns a number though the limit does not exist:
:math:`\frac12\operatorname{relu}(x)^2` has slopes 0 and x on the two sides of 0.

:source: Lucchi (2025), Foundations of Deep Learning, Section 1.7, Problem 3a, b; Pearlmutter
    (1994), "Fast exact multiplication by the Hessian".
:kind: identity
:uses: chain_rule
:covers: hessian-vector-product
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.utils.flop_counter import FlopCounterMode

from corollary.core import Claim, Parity, Suppose, Trial, equals, normal, option
from corollary.core.picture import Curve, Marks, picture
from corollary.theory.prerequisites.gradients import gradient
from corollary.theory.prerequisites.hessians import hessian, hvp


class Given(NamedTuple):
    f: Callable[[Tensor], Tensor]
    x: Float[Tensor, " d"]
    v: Float[Tensor, " d"]  # direction


def _two_sides(given: Given, t: float = 1e-5) -> float:
    f, x, v = given
    apart = gradient(f, x + t * v) + gradient(f, x - t * v) - 2 * gradient(f, x)
    return 1e-2 - float(apart.norm()) / t


def kink_of_the_gradient(given: Given) -> Given:
    """At a kink of the gradient, autograd returns a number, although no limit exists."""
    zero = torch.zeros(2, dtype=torch.float64)
    return Given(lambda x: 0.5 * x.relu().square().sum(), zero, torch.ones_like(zero))


class HessianVectorProduct(Claim[Given]):
    m: int = option(6, low=1, high=100)  # width of the network whose loss is differentiated
    n: int = option(20, low=1, high=1000)  # data points

    relation = equals(ulps=2**23, scale=1.0)  # Richardson's quotient of step 2e-3 is good to 1e-10
    supposes = Suppose("f is twice differentiable at x", _two_sides, without=kink_of_the_gradient)
    symbols = "entry of Hv", "extrapolated quotient of gradients"
    shows = Parity("The quotient of gradients tends to Hv")

    def given(self, rng: Generator) -> Given:
        x, y, m = normal(rng, self.n, 3), normal(rng, self.n), self.m
        theta, v = normal(rng, 2, 4 * m)

        def loss(theta: Tensor) -> Tensor:
            hidden = torch.tanh(x @ theta[: 3 * m].reshape(3, m))
            out: Tensor = hidden @ theta[3 * m :] / m**0.5
            return (out - y).square().mean()

        return Given(loss, theta, v / v.norm())

    def predict(self, given: Given) -> Tensor:
        return hvp(given.f, given.x, given.v)

    def measure(self, given: Given) -> Tensor:
        def quotient(t: float) -> Tensor:
            f, x, v = given
            return (gradient(f, x + t * v) - gradient(f, x - t * v)) / (2 * t)

        return (4 * quotient(1e-3) - quotient(2e-3)) / 3

    @picture(
        "A product costs a few gradients, the whole Hessian d products",
        x="parameters d",
        y="operations in matrix products",
        log="xy",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        nets = [HessianVectorProduct(m).draw(0) for m in (1, 2, 4, 8)]
        counts = {
            "gradient": [operations(gradient, g.f, g.x) for g in nets],
            "Hv": [operations(hvp, *g) for g in nets],
            "dense H": [operations(hessian, g.f, g.x) for g in nets],
        }
        d = [len(g.x) for g in nets]
        for name, c in counts.items():
            yield Curve(c, d, label=name, role="other")


def operations(run: Callable[..., object], *args: Any) -> float:
    """Floating-point operations of the matrix products that ``run`` makes."""
    with FlopCounterMode(display=False) as counter:
        run(*args)
    return float(counter.get_total_flops())
