r"""Kernels by sampling finite networks, with error bars: for what has no known limit.

For networks drawn anew, :math:`\frac1k\sum_c f_c(x)f_c(y)` and
:math:`\frac1k\sum_c\langle\nabla f_c(x), \nabla f_c(y)\rangle` over the k outputs are averaged; the
scatter over the draws gives the standard error. The tangent kernel is that of the module's own
parametrisation.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.theory.seeding import as_generator
from corollary.theory.wording import sizes, span


@dataclass(frozen=True)
class Sampled:
    """Means over networks and their standard errors."""

    nngp: Float[Tensor, "n m"]
    nngp_error: Float[Tensor, "n m"]
    ntk: Float[Tensor, "n m"] | None
    ntk_error: Float[Tensor, "n m"] | None
    draws: int

    def __repr__(self) -> str:
        parts = [("NNGP", self.nngp, self.nngp_error), ("NTK", self.ntk, self.ntk_error)]
        said = [
            f"{name} {span(mean)}, standard error at most {float(error.max()):.2g}"
            for name, mean, error in parts
            if mean is not None and error is not None
        ]
        return f"kernels {sizes(self.nngp)}, means over {self.draws} networks: {'; '.join(said)}"


def sampled_kernels(
    module: nn.Module | Callable[[Generator], nn.Module],
    x: Float[Tensor, "n *rest"],
    y: Float[Tensor, "m *rest"] | None = None,
    *,
    draws: int = 32,
    ntk: bool = True,
    rng: int | Generator = 0,
) -> Sampled:
    """Estimate both kernels of a network at its own width.

    Time: ``draws`` Jacobians; memory: one, (n + m) times outputs times parameters.

    Args:
        module: A module, whose layers are drawn anew by their ``reset_parameters``; or a function
            that draws one from a generator.
        x: Inputs.
        y: Second inputs; x by default.
        draws: Networks, at least two.
        ntk: Whether the tangent kernel is wanted; the covariance alone is much cheaper.
        rng: Source of randomness.
    """
    rng = as_generator(rng)
    if draws < 2:
        raise InputError(f"error bars need at least 2 draws, got draws={draws}")
    first, second = [], []
    for _ in range(draws):
        net = drawn_anew(module, rng) if isinstance(module, nn.Module) else module(rng)
        with torch.no_grad():
            f, g = net(x).flatten(1), net(x if y is None else y).flatten(1)
        first.append(f @ g.T / f.shape[1])
        if ntk:
            a = jacobian(net, x)
            b = a if y is None else jacobian(net, y)
            second.append(torch.einsum("nkp,mkp->nm", a, b) / f.shape[1])
    mean, error = _summary(first)
    if not ntk:
        return Sampled(mean, error, None, None, draws)
    return Sampled(mean, error, *_summary(second), draws)


def drawn_anew(module: nn.Module, rng: Generator) -> nn.Module:
    """A copy with fresh weights, by the layers' own initialisation; global state is left alone."""
    fresh = copy.deepcopy(module)
    draws = [getattr(layer, "reset_parameters", None) for layer in fresh.modules()]
    if not any(draws):
        raise InputError(
            f"{type(module).__name__} has no layer with reset_parameters; pass a function that "
            "draws a network from a generator"
        )
    seed = int(torch.randint(2**62, (), generator=rng, device=rng.device))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        for draw in filter(callable, draws):
            draw()
    return fresh


def jacobian(net: nn.Module, x: Tensor) -> Float[Tensor, "n k p"]:
    """Derivatives of all outputs in all parameters, input by input."""
    parameters = {name: p.detach() for name, p in net.named_parameters()}
    buffers = dict(net.named_buffers())

    def output(values: dict[str, Tensor], one: Tensor) -> Tensor:
        out: Tensor = torch.func.functional_call(net, (values, buffers), (one[None],))
        return out.flatten()

    parts = torch.func.vmap(torch.func.jacrev(output), (None, 0))(parameters, x)
    return torch.cat([part.flatten(2) for part in parts.values()], dim=2)


def _summary(values: list[Tensor]) -> tuple[Tensor, Tensor]:
    stack = torch.stack(values)
    return stack.mean(0), stack.std(0) / len(values) ** 0.5
