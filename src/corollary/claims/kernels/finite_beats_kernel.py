r"""A finite network beats its kernel where features matter.

When the target depends on one direction only, :math:`y = g(u^\top x)`, a network of finite width
turns its first layer towards u, and its error from n samples falls below that of regression with
the tangent kernel of infinite width, whose features are fixed before it sees the data:

.. math:: \mathrm{err}(\text{trained network}) \le \min_\lambda\mathrm{err}(\text{kernel ridge}).

During training the tangent kernel aligns with the target. For a target without such a direction,
as a function of :math:`\|x\|` alone, the kernel is the better learner.

:source: Lucchi (2025), Foundations of Deep Learning, Figure 7.4; Lee et al. (2020), "Finite versus
    infinite neural networks: an empirical study" (on CIFAR-10 the best accuracy is at finite width
    for every architecture they compare); Damian, Lee and Soltanolkotabi (2022), "Neural networks
    can learn representations with gradient descent".
:kind: experiment
:cost: seconds
:covers: finite-vs-infinite-width
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.nn.utils import skip_init

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, at_most, generator, option
from corollary.theory.kernels.empirical import empirical_ntk, target_alignment
from corollary.theory.kernels.learning import cholesky
from corollary.theory.kernels.two_layer import ntk_relu_two_layer
from corollary.train import fit

TESTED, STEPS, LOOK = 1000, 500, 50
RIDGES = (1e-6, 1e-2, 1e-1, 1.0, 10.0)


class Given(NamedTuple):
    """A seed and the kind of target."""

    seed: int
    target: Literal["single index", "radial"]


class FiniteBeatsKernel(Claim[Given]):
    d: int = option(20, low=2, high=100)  # dimension
    n: int = option(250, low=10, high=2000)  # training inputs
    width: int = option(32, low=1, high=1024)  # hidden units of the network
    relation = at_most()  # the gap is a factor of two, far above the spread

    def given(self, rng: Generator) -> Given:
        """A quadratic of one coordinate."""
        return Given(int(torch.randint(2**40, (), generator=rng)), "single index")

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """One direction."""
        x, y, u = _data(given, self.d, 2)
        moved = x + torch.randn(x.shape, generator=generator(1), dtype=x.dtype)
        moved = moved + ((x - moved) @ u)[:, None] * u  # u·x as before
        same = torch.allclose(_target(given.target, moved, u), y)
        yield Hypothesis("the target depends on one direction", same)

    def predict(self, given: Given) -> float:
        """The error of kernel ridge regression."""
        return _kernel_error(given, self.d, self.n)

    def measure(self, given: Given) -> float:
        """The error of the trained network."""
        return _run(given, self.d, self.n, self.width)[0][-1]

    def counterexample(self, rng: Generator) -> Given:
        """A target that depends on the length only."""
        return self.given(rng)._replace(target="radial")

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Error and alignment over training."""
        errors, alignments = _run(given, self.d, self.n, self.width)
        steps = list(range(0, STEPS + 1, LOOK))
        fixed = "kernel ridge regression, infinite width"
        first = Figure(
            "Test error on a target of one direction", x="steps", y="relative error", log_y=True,
            marks=(
                Level(_kernel_error(given, self.d, self.n), label=fixed),
                Curve(errors, x=steps, label=f"network of width {self.width}", role="measured"),
            ),
        )  # fmt: skip
        second = Figure(
            "Alignment of the kernel with the target", x="steps", y="A(K, yyᵀ)",
            marks=(
                Level(_limit_alignment(given, self.d, self.n), label="infinite width: constant"),
                Curve(alignments, x=steps, label=f"width {self.width}", role="measured"),
            ),
        )  # fmt: skip
        return first, second


def _target(kind: str, x: Float[Tensor, "n d"], u: Float[Tensor, " d"]) -> Float[Tensor, " n"]:
    if kind == "single index":
        return ((x @ u) ** 2 - 1) / 2**0.5
    return x.norm(dim=1) - x.shape[1] ** 0.5


def _data(given: Given, d: int, n: int) -> tuple[Tensor, Tensor, Tensor]:
    """Gaussian inputs, targets, and the direction."""
    rng = generator(given.seed, "data")
    u = torch.randn(d, generator=rng, dtype=torch.float64)
    x = torch.randn(n, d, generator=rng, dtype=torch.float64)
    u = u / u.norm()
    return x, _target(given.target, x, u), u


@lru_cache(maxsize=8)
def _kernel_error(given: Given, d: int, n: int) -> float:
    x, y, _ = _data(given, d, n + TESTED)
    k, cross = _kernel(x[:n]), _kernel(x[n:], x[:n])
    solved = torch.stack([cholesky(k, ridge=r).solve(y[:n]) for r in RIDGES], 1)
    errors = (cross @ solved - y[n:, None]).square().mean(0) / y[n:].var()
    return float(errors.min())


def _kernel(x: Float[Tensor, "n d"], y: Float[Tensor, "m d"] | None = None) -> Tensor:
    """The tangent kernel of infinite width, the constant coordinate serving as bias."""
    wide = [None if t is None else torch.cat([t, t.new_ones(len(t), 1)], 1) for t in (x, y)]
    return ntk_relu_two_layer(*wide)


def _limit_alignment(given: Given, d: int, n: int) -> float:
    x, y, _ = _data(given, d, n)
    return target_alignment(_kernel(x), y)


@lru_cache(maxsize=8)
def _run(given: Given, d: int, n: int, width: int) -> tuple[list[float], list[float]]:
    """Test error and alignment with the target, every few steps of training."""
    x, y, _ = _data(given, d, n + TESTED)
    layers = skip_init(nn.Linear, d, width), nn.ReLU(), skip_init(nn.Linear, width, 1)
    model = nn.Sequential(*layers).double()
    rng = generator(given.seed, "network")
    scales = 0.5 * (3 * d) ** -0.5, 0.0, 0.1 * (3 * width) ** -0.5, 0.0  # small: features move
    with torch.no_grad():
        for p, s in zip(model.parameters(), scales, strict=True):
            p.copy_(s * torch.randn(p.shape, generator=rng, dtype=p.dtype))
    errors, alignments = [], []

    def look(step: int) -> None:
        if step % LOOK == 0:
            with torch.no_grad():
                rest = model(x[n:])[:, 0] - y[n:]
            errors.append(float(rest.square().mean() / y[n:].var()))
            alignments.append(target_alignment(empirical_ntk(model, x[:n]), y[:n]))

    look(0)
    fit(
        model, (x[:n], y[:n, None]), nn.functional.mse_loss,
        lambda p: torch.optim.Adam(p, lr=1e-2), steps=STEPS, rng=given.seed,
        callbacks=[lambda loop: look(loop.step)],
    )  # fmt: skip
    return errors, alignments
