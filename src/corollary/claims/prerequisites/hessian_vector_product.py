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
:cost: instant
:covers: hessian-vector-product
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.utils.flop_counter import FlopCounterMode

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.prerequisites.gradients import gradient
from corollary.theory.prerequisites.hessians import hessian, hvp

STEP = 2e-3


class Given(NamedTuple):
    """A function, a point and a direction."""

    f: Callable[[Tensor], Tensor]
    x: Float[Tensor, " d"]
    v: Float[Tensor, " d"]


class HessianVectorProduct(Claim[Given]):
    m: int = option(6, low=1, high=100)  # width of the network whose loss is differentiated
    n: int = option(20, low=1, high=1000)  # data points
    relation = equals(ulps=2**23, scale=1.0)  # Richardson's quotient of step 2e-3 is good to 1e-10

    def given(self, rng: Generator) -> Given:
        """The squared loss of a small tanh network, in its weights."""
        return _network(self.m, self.n, rng)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Quotients of the gradient from both sides agree."""
        f, x, v = given
        here, t = gradient(f, x), 1e-5
        ahead, behind = (gradient(f, x + s * v) - here for s in (t, -t))
        off = float((ahead + behind).abs().max() / t)
        yield Hypothesis("f is twice differentiable at x", off < 1e-2, f"sides differ by {off:.2g}")

    def predict(self, given: Given) -> list[float]:
        """By autograd."""
        return hvp(given.f, given.x, given.v).tolist()

    def measure(self, given: Given) -> list[float]:
        """By gradients at four points, extrapolated to t = 0."""
        coarse, fine = _quotient(given, STEP), _quotient(given, STEP / 2)
        return ((4 * fine - coarse) / 3).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A kink in the gradient."""
        zero = torch.zeros(2, dtype=torch.float64)
        return Given(lambda x: 0.5 * x.relu().square().sum(), zero, torch.ones_like(zero))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """The limit, and what a product costs."""
        return _limit(given), _cost()


def _network(m: int, n: int, rng: Generator) -> Given:
    x = torch.randn(n, 3, generator=rng, dtype=torch.float64)
    y = torch.randn(n, generator=rng, dtype=torch.float64)
    theta, v = torch.randn(2, 4 * m, generator=rng, dtype=torch.float64)

    def loss(theta: Tensor) -> Tensor:
        hidden = torch.tanh(x @ theta[: 3 * m].reshape(3, m))
        return (hidden @ theta[3 * m :, None] / m**0.5 - y[:, None]).square().mean()

    return Given(loss, theta, v / v.norm())


def _quotient(given: Given, t: float) -> Tensor:
    f, x, v = given
    return (gradient(f, x + t * v) - gradient(f, x - t * v)) / (2 * t)


def _limit(given: Given) -> Figure:
    f, x, v = given
    exact = hvp(f, x, v)
    t = [10.0**-j for j in range(12, 0, -1)]
    off = [float((hvp(f, x, v, mode="finite_difference", step=s) - exact).norm()) for s in t]
    return Figure(
        "The quotient of gradients tends to Hv",
        x="t",
        y="‖quotient − Hv‖",
        log_x=True,
        log_y=True,
        marks=(
            Curve([off[-2] * s / t[-2] for s in t[4:]], t[4:], label="order t", role="predicted"),
            Points(t, off, label="forward quotient; rounding on the left"),
        ),
    )


def _cost() -> Figure:
    """Multiplications counted by torch, for growing networks."""
    widths = (1, 2, 4, 8)
    counts = [_counts(m) for m in widths]
    d = [4 * m for m in widths]
    roles = {"gradient": "other", "Hv": "measured", "dense H": "other"}
    return Figure(
        "A product costs a few gradients, the Hessian d products",
        x="parameters d",
        y="operations in matrix products",
        log_x=True,
        log_y=True,
        marks=tuple(Curve([c[k] for c in counts], d, label=k, role=r) for k, r in roles.items()),
    )


def _counts(m: int) -> dict[str, float]:
    f, x, v = _network(m, 20, torch.Generator().manual_seed(m))
    return {
        "gradient": operations(lambda: gradient(f, x)),
        "Hv": operations(lambda: hvp(f, x, v)),
        "dense H": operations(lambda: hessian(f, x)),
    }


def operations(run: Callable[[], object]) -> float:
    """Floating-point operations of the matrix products that ``run`` makes."""
    with FlopCounterMode(display=False) as counter:
        run()
    return float(counter.get_total_flops())
