"""A landscape of waves, whose stochastic gradients are bounded: for claims on SGD."""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.theory.optimization.stochastic.finite_sums import FiniteSum, cosines


class Given(NamedTuple):
    """A problem with the bound of its gradients, a start, and the seed of the batches."""

    problem: FiniteSum
    sigma: float
    x0: Float[Tensor, " d"]
    seed: int


def waves(n: int, d: int, rng: Generator) -> Given:
    """Waves whose gradients are no longer than their frequencies, from the slope of a hill."""
    W = torch.randn(n, d, generator=rng, dtype=torch.float64)
    b = 0.2 * torch.randn(n, generator=rng, dtype=torch.float64)
    sigma = float(W.square().sum(dim=1).mean().sqrt())
    x0 = torch.randn(d, generator=rng, dtype=torch.float64)
    x0 = x0 / x0.norm()  # the hill stands around 0
    return Given(cosines(W, b), sigma, x0, int(torch.randint(2**62, (), generator=rng)))


def bounded(given: Given, path: Float[Tensor, "k runs d"]) -> tuple[bool, str]:
    """Whether the second moment of the gradients stays below σ² at these iterates, in words."""
    second = given.problem.components(path).square().sum(dim=-1).mean(dim=-1).amax()
    seen = f"seen {float(second) ** 0.5:.3g} for σ = {given.sigma:.3g}"
    return bool(second <= given.sigma**2 * (1 + 1e-9)), seen
