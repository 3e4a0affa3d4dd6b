r"""The backpropagation recursion.

For a chain :math:`h^l=F^l(h^{l-1};\theta^l)` with loss :math:`\ell(h^L)`

.. math:: \delta^L=\frac{\partial\ell}{\partial h^L},\qquad
   \delta^l=\Bigl(\frac{\partial h^{l+1}}{\partial h^l}\Bigr)^{\!\top}\delta^{l+1},\qquad
   \frac{\partial\ell}{\partial\theta^l}
   =\Bigl(\frac{\partial h^l}{\partial\theta^l}\Bigr)^{\!\top}\delta^l

gives all derivatives with one product a block. All that a block has to know is its value and its
transposed derivative times a vector.

:source: Perez Jensen (2025), Deep Learning, Section 3.1; Rumelhart, Hinton and Williams (1986),
    "Learning representations by back-propagating errors".
:kind: identity
:cost: instant
:covers: backpropagation-recursion
:erratum: [typo] Section 3.1 prints the recursion with the quotient h^{l+1}/h^l, without partial
    signs, and delta^l dh^l/dtheta^l without the transpose that the recursion's convention requires;
    "the computation of any function" should be that of its gradient.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from torch import Generator, Tensor
from torch.autograd.functional import jvp

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.networks.activations import TANH
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
    """A network as blocks, its parameters in order, points and targets."""

    blocks: tuple[Block, ...]
    parameters: tuple[Tensor, ...]
    x: Tensor
    y: Tensor
    seed: int  # of the vectors that test each block


class BackpropagationRecursion(Claim[Given]):
    network: Literal["mlp", "residual", "convolution"] = "residual"  # what the blocks are
    L: int = option(6, low=2)  # depth
    m: int = option(5, low=2)  # width
    n: int = 4  # points
    relation = equals(ulps=2**12, scale=1e-2)  # sums of some hundred products

    def given(self, rng: Generator) -> Given:
        """A random network."""
        draw = {"generator": rng, "dtype": torch.float64}
        parameters: list[Tensor] = []

        def weight(*shape: int) -> Tensor:
            parameters.append(torch.randn(*shape, **draw) / shape[-1] ** 0.5)
            return parameters[-1]

        blocks: list[Block] = []
        x = torch.randn(self.n, self.m, **draw)
        if self.network == "convolution":
            x = torch.randn(self.n, 1, self.L + 4, self.L + 4, **draw)
            for i in range(self.L // 2):
                blocks += [Convolution(weight(2, 1 + (i > 0), 3, 3)), Pointwise(TANH)]
            size = forward_values(blocks, x)[-1][0].numel()
            blocks += [Flatten(), Affine(weight(self.m, size), weight(self.m))]
        for _ in range(0 if self.network == "convolution" else self.L):
            inner = (Affine(weight(self.m, self.m), weight(self.m)), Pointwise(TANH))
            blocks += [Residual(inner)] if self.network == "residual" else inner
        y = torch.randn(self.n, self.m, **draw)
        seed = int(torch.randint(2**31, (1,), generator=rng))
        return Given(tuple(blocks), tuple(parameters), x, y, seed)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Each block for itself, by an independent product with its derivative."""
        rng, h = torch.Generator().manual_seed(given.seed), given.x
        right = True
        for block in given.blocks:
            out = block.forward(h)
            v, delta = (torch.randn(t.shape, generator=rng, dtype=t.dtype) for t in (h, out))
            _, pushed = jvp(block.forward, h, v)
            pulled = float((block.vjp(h, delta)[0] * v).sum())
            right &= abs(float((delta * pushed).sum()) - pulled) < 1e-9 * (1 + abs(pulled))
            h = out
        yield Hypothesis("each block pulls back by the transpose of its derivative", right)

    def predict(self, given: Given) -> list[float]:
        """Sums and lengths of the derivatives by torch's autograd."""
        for p in given.parameters:
            p.requires_grad_()
        loss = 0.5 * (forward_values(given.blocks, given.x)[-1] - given.y).square().sum()
        found = torch.autograd.grad(loss, given.parameters)
        for p in given.parameters:
            p.requires_grad_(False)
        return _summary(found)

    def measure(self, given: Given) -> list[float]:
        """The same by the recursion."""
        h = forward_values(given.blocks, given.x)
        back = pull_back(given.blocks, h, h[-1] - given.y)
        return _summary([g for own in back.gradients for g in own])

    def counterexample(self, rng: Generator) -> Given:
        """A layer that forgets the transpose, as the printed formula does."""
        given = BackpropagationRecursion("mlp", self.L, self.m, self.n).given(rng)
        forgetful = [Untransposed(b.W, b.b) if isinstance(b, Affine) else b for b in given.blocks]
        return given._replace(blocks=tuple(forgetful))

    def figure(self, given: Given) -> tuple[Figure, Figure]:
        """Both derivatives; the cost by depth."""
        mine, theirs = self.measure(given), self.predict(given)
        match = Figure(
            "Derivatives by the recursion and by torch",
            x="by torch",
            y="by the recursion",
            marks=(
                Curve(sorted(theirs), sorted(theirs), "equal", "predicted"),
                Points(theirs, mine, label="sum and length of each block's gradient"),
            ),
        )
        depths = [2, 4, 8, 16, 32]
        one = Affine(torch.eye(1, dtype=torch.float64), torch.zeros(1, dtype=torch.float64))
        h = torch.ones(1, 1, dtype=torch.float64)
        made = [pull_back([one] * d, [h] * (d + 1), h).products for d in depths]
        cost = Figure(
            "Each δ is computed once",
            x="depth L",
            y="products with a transposed derivative",
            log_x=True,
            log_y=True,
            marks=(
                Curve(depths, depths, "L", "predicted"),
                Points(depths, made, label="recursion"),
                Curve([d * (d + 1) / 2 for d in depths], depths, "layer by layer anew", "other"),
            ),
        )
        return match, cost


@dataclass(frozen=True)
class Untransposed:
    """An affine layer whose backward pass uses W where it needs its transpose."""

    W: Tensor
    b: Tensor

    def forward(self, h: Tensor) -> Tensor:
        """The value."""
        return h @ self.W.T + self.b

    def vjp(self, h: Tensor, delta: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Right for the parameters, wrong for what lies before."""
        return delta @ self.W.T, (delta.T @ h, delta.sum(dim=0))


def _summary(gradients) -> list[float]:
    """Two numbers for each gradient."""
    return [float(v) for g in gradients for v in (g.sum(), g.norm())]
