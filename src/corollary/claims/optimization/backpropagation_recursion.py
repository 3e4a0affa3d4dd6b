r"""The backpropagation recursion.

For a chain :math:`h^l=F^l(h^{l-1};\theta^l)` with loss :math:`\ell(h^L)`

.. math:: \delta^L=\frac{\partial\ell}{\partial h^L},\qquad
   \delta^l=\Bigl(\frac{\partial h^{l+1}}{\partial h^l}\Bigr)^{\!\top}\delta^{l+1},\qquad
   \frac{\partial\ell}{\partial\theta^l}
   =\Bigl(\frac{\partial h^l}{\partial\theta^l}\Bigr)^{\!\top}\delta^l

gives all derivatives with one product per block. All that a block has to know is its value and its
transposed derivative times a vector.

:source: Perez Jensen (2025), Deep Learning, Section 3.1; Rumelhart, Hinton and Williams (1986),
    "Learning representations by back-propagating errors".
:kind: identity
:uses: chain_rule
:covers: backpropagation-recursion
:erratum: [typo] Section 3.1 prints the recursion with the quotient h^{l+1}/h^l, without partial
    signs, and delta^l dh^l/dtheta^l without the transpose that the recursion's convention requires;
    "the computation of any function" should be that of its gradient.
"""

from typing import Literal, NamedTuple

import torch
from torch import Generator, Tensor
from torch.autograd.functional import jvp

from corollary.core import Claim, Parity, Suppose, equals, generator, normal, option
from corollary.theory.connectionism.sigmoid import TANH
from corollary.theory.optimization.reverse_mode import (
    Affine,
    Block,
    Convolution,
    Flatten,
    Pointwise,
    Residual,
    forward_values,
    pull_back,
)


class Given(NamedTuple):
    blocks: tuple[Block, ...]
    parameters: tuple[Tensor, ...]  # in the order of the blocks
    x: Tensor
    y: Tensor


class Untransposed(Affine):
    """An affine layer that pulls back by W in place of its transpose."""

    def vjp(self, h: Tensor, delta: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
        return delta @ self.W.T, super().vjp(h, delta)[1]


def untransposed(self: "BackpropagationRecursion", rng: Generator) -> Given:
    """One layer uses its derivative without the transpose, as printed in the notes."""
    given = BackpropagationRecursion("mlp", self.L, self.m, self.n).given(rng)
    blocks = [Untransposed(b.W, b.b) if isinstance(b, Affine) else b for b in given.blocks]
    return given._replace(blocks=tuple(blocks))


def transposed(given: Given) -> bool:
    """Each block for itself, by an independent product with its derivative."""
    rng, h, right = generator(0, "probe"), given.x, True
    for block in given.blocks:
        out = block.forward(h)
        v, delta = normal(rng, *h.shape), normal(rng, *out.shape)
        pushed = float((delta * jvp(block.forward, h, v)[1]).sum())
        pulled = float((block.vjp(h, delta)[0] * v).sum())
        right &= abs(pushed - pulled) < 1e-9 * (1 + abs(pulled))
        h = out
    return right


class BackpropagationRecursion(Claim[Given]):
    network: Literal["mlp", "residual", "convolution"] = "residual"  # kind of blocks
    L: int = option(6, low=2)  # depth
    m: int = option(5, low=2)  # width
    n: int = 4  # points

    relation = equals(ulps=2**12, scale=1e-2)  # sums of some hundred products
    supposes = Suppose(
        "each block pulls back by the transpose of its derivative", transposed, without=untransposed
    )
    symbols = "with torch.autograd", "with the recursion"
    shows = Parity("Sum and length of the gradient of each parameter")

    def given(self, rng: Generator) -> Given:
        parameters: list[Tensor] = []

        def weight(*shape: int) -> Tensor:
            parameters.append(normal(rng, *shape) / shape[-1] ** 0.5)
            return parameters[-1]

        blocks: list[Block] = []
        x = normal(rng, self.n, self.m)
        if self.network == "convolution":
            x = normal(rng, self.n, 1, self.L + 4, self.L + 4)
            for i in range(self.L // 2):
                blocks += [Convolution(weight(2, 1 + (i > 0), 3, 3)), Pointwise(TANH)]
            size = forward_values(blocks, x)[-1][0].numel()
            blocks += [Flatten(), Affine(weight(self.m, size), weight(self.m))]
        for _ in range(0 if self.network == "convolution" else self.L):
            inner = (Affine(weight(self.m, self.m), weight(self.m)), Pointwise(TANH))
            blocks += [Residual(inner)] if self.network == "residual" else inner
        return Given(tuple(blocks), tuple(parameters), x, normal(rng, self.n, self.m))

    def predict(self, given: Given) -> list[float]:
        with torch.enable_grad():
            parameters = [p.requires_grad_() for p in given.parameters]
            loss = 0.5 * (forward_values(given.blocks, given.x)[-1] - given.y).square().sum()
            found = torch.autograd.grad(loss, parameters)
        for p in parameters:
            p.requires_grad_(False)
        return [len(given.blocks), *(float(v) for g in found for v in (g.sum(), g.norm()))]

    def measure(self, given: Given) -> list[float]:
        h = forward_values(given.blocks, given.x)
        back = pull_back(given.blocks, h, h[-1] - given.y)
        found = [g for own in back.gradients for g in own]
        return [back.products, *(float(v) for g in found for v in (g.sum(), g.norm()))]
