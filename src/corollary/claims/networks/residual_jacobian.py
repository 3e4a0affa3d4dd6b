r"""Shortcuts keep the Jacobian of a deep stack near the identity.

Each residual layer :math:`g_l(x)=x+f_l(x)` has the Jacobian :math:`I+J_l`. If
:math:`\|J_l\|_2<1` for all :math:`l`, the Jacobian :math:`J` of the stack of :math:`L` layers obeys

.. math:: \sigma_{\max}(J)\le\prod_l(1+\|J_l\|_2),\qquad
   \sigma_{\min}(J)\ge\prod_l(1-\|J_l\|_2),

so with :math:`\|J_l\|_2` of order :math:`1/L` neither signals nor gradients vanish or explode. The
same layers without shortcuts have :math:`\sigma_{\max}(J)\le\prod_l\|J_l\|_2`, which vanishes.
Measured are :math:`\sigma_{\max}` and :math:`1/\sigma_{\min}` along the depth.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.2; Perez Jensen (2025), Deep
    Learning, Section 2.3; He, Zhang, Ren and Sun (2016), "Identity mappings in deep residual
    networks".
:kind: bound
:uses: chain_rule, operator_norm
:covers: residual-layer
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.autograd.functional import jacobian

from corollary.core import Along, Claim, Suppose, at_most, near, normal, option
from corollary.models.mlp import Dense
from corollary.models.residual import Residual


class Given(NamedTuple):
    blocks: list[Dense]  # tanh layers
    layers: list[nn.Module]  # the same with shortcuts
    x: Float[Tensor, "1 n"]  # an input


def jacobians(modules: Sequence[nn.Module], given: Given) -> Float[Tensor, "L n n"]:
    """Jacobians of the modules at the inputs that the layers see."""
    x, out = given.x, []
    for module, layer in zip(modules, given.layers, strict=True):
        out.append(jacobian(module, x)[0, :, 0])
        x = layer(x).detach()
    return torch.stack(out)


def norms(given: Given) -> Float[Tensor, " L"]:
    """Spectral norms of the blocks' Jacobians."""
    found: Tensor = torch.linalg.matrix_norm(jacobians(given.blocks, given), ord=2)
    return found


def shortcuts(given: Given) -> tuple[bool, str]:
    """Whether every layer has the identity more than its block."""
    more = jacobians(given.layers, given) - jacobians(given.blocks, given)
    return near(more, torch.eye(more.shape[1]))


class ResidualJacobian(Claim[Given]):
    L: int = option(40, low=2, high=400)  # layers
    n: int = option(12, low=1, high=100)  # width
    c: float = option(2.0, low=0.1, high=5.0)  # spectral norm of every weight matrix, times L

    relation = at_most(ulps=4096)  # products of L matrices of width n, and an SVD
    supposes = (
        Suppose(
            "every layer has a shortcut with the identity",
            shortcuts,
            "Without shortcuts all singular values vanish.",
            layers=lambda g: g.blocks,
        ),
        Suppose(
            "every ‖J_l‖ is below 1",
            lambda g: 1 - norms(g).max(),
            "If layers have norm 1.5, they can cancel the skip connection.",
            lambda self, rng: self.stack(1.5 * self.L, rng),
        ),
    )
    symbols = "Π(1 + ‖J_l‖) or Π 1/(1 − ‖J_l‖)", "σ_max or 1/σ_min"
    shows = (
        Along(
            "Shortcuts keep singular values near 1",
            x="layers",
            y="singular values of the Jacobian",
            at="depth",
            parts=("largest", "smallest"),
            without=False,
        ),
        Along(
            "Without shortcuts, even the largest singular value vanishes",
            x="layers",
            at="depth",
            log="y",
        ),
    )

    @property
    def depth(self) -> range:
        """Numbers of layers."""
        return range(1, self.L + 1)

    def given(self, rng: Generator) -> Given:
        return self.stack(self.c, rng)

    def stack(self, c: float, rng: Generator) -> Given:
        """Blocks of Gaussian weights scaled to norm c/L, each with a shortcut around it."""
        blocks = [Dense(self.n, self.n, "tanh", rng=rng) for _ in self.depth]
        for block in blocks:
            W = block.affine.W.data
            block.affine.W.data = W * c / self.L / torch.linalg.matrix_norm(W, ord=2)
        return Given(blocks, [Residual(b) for b in blocks], normal(rng, 1, self.n))

    def predict(self, given: Given) -> Tensor:
        J = norms(given)
        return torch.cat([(1 + J).cumprod(0), (1 / (1 - J)).cumprod(0)])

    def measure(self, given: Given) -> Tensor:
        J, products = torch.eye(given.x.shape[1], dtype=torch.float64), []
        for factor in jacobians(given.layers, given):
            J = factor @ J
            products.append(J)
        s = torch.linalg.svdvals(torch.stack(products))
        return torch.cat([s[:, 0], 1 / s[:, -1]])

    def tight(self) -> Given:
        """Scalar layers of slope 1/2 at the origin."""
        given = ResidualJacobian(L=2, n=1).stack(1.0, torch.Generator())
        for block in given.blocks:
            block.affine.W.data.abs_()
        return given._replace(x=0 * given.x)
