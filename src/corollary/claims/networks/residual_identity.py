r"""A residual layer with zero weights is equal to its shortcut.

.. math:: F[V,W,b](x)=Vx+(\varphi(Wx+b)-\varphi(0)),\qquad F[V,0,0](x)=Vx ;

without projection, :math:`V=I`, zero parameters give exactly the identity, for any activation. The
constant is needed: the sigmoid has :math:`\varphi(0)=\frac12`, and without subtracting it the layer
shifts its input.

:source: Perez Jensen (2025), Deep Learning, Section 2.3; Lucchi (2025), Foundations of Deep
    Learning, Section 10.2; He, Zhang, Ren and Sun (2016), "Deep residual learning for image
    recognition".
:kind: identity
:covers: residual-layer, projected-residual-layer
"""

from copy import deepcopy
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.core import Claim, Parity, Suppose, equals, near, normal
from corollary.models.mlp import Dense
from corollary.models.residual import Residual


class Given(NamedTuple):
    layer: Residual
    V: Float[Tensor, "m n"]  # its shortcut
    x: Float[Tensor, "k n"]  # points


def zeroed(block: nn.Module) -> nn.Module:
    """The same block with zero parameters."""
    copy = deepcopy(block)
    for p in copy.parameters():
        p.data.zero_()
    return copy


def constant(given: Given) -> tuple[bool, str]:
    """Whether what is subtracted is what the block gives for zero parameters."""
    at_zero = zeroed(given.layer.block)(given.x[:1])
    kept = given.layer.at_zero
    return near(at_zero, 0.0 if kept is None else kept, 0.0)


def weights(given: Given) -> Given:
    """If the weights are not zero, the layer changes its input."""
    layer = deepcopy(given.layer)
    for p in layer.block.parameters():
        p.data.fill_(0.1)
    return given._replace(layer=layer)


class ResidualIdentity(Claim[Given]):
    n: int = 6  # input width
    m: int = 6  # output width; the shortcut is the identity if it is n
    k: int = 20  # points
    phi: Literal["sigmoid", "tanh", "relu", "elu"] = "sigmoid"  # activation

    relation = equals(ulps=4)  # x + (c - c) is exact; a projection is one product, made twice
    supposes = (
        Suppose(
            "W = 0 and b = 0",
            lambda g: all((p == 0).all() for p in g.layer.block.parameters()),
            without=weights,
        ),
        Suppose(
            "φ(0) is subtracted",
            constant,
            "If φ(0) is not subtracted, a sigmoid layer adds one half.",
            layer=lambda g: Residual(g.layer.block, g.V, subtract_at_zero=False),
        ),
    )
    symbols = "(V x)_j", "F[V, 0, 0](x)_j"
    shows = Parity("Outputs of a residual layer with zero weights")

    def given(self, rng: Generator) -> Given:
        block = zeroed(Dense(self.n, self.m, self.phi, rng=rng))
        V = torch.eye(self.n).double() if self.m == self.n else normal(rng, self.m, self.n)
        layer = Residual(block, None if self.m == self.n else V)
        return Given(layer, V, normal(rng, self.k, self.n))

    def predict(self, given: Given) -> Tensor:
        return (given.x @ given.V.T).flatten()

    def measure(self, given: Given) -> Tensor:
        output: Tensor = given.layer(given.x)
        return output.flatten()
