r"""A residual layer starts from its shortcut.

.. math:: F[V,W,b](x)=Vx+(\varphi(Wx+b)-\varphi(0)),\qquad F[V,0,0](x)=Vx ;

without projection, :math:`V=I`, zero parameters give exactly the identity, for any activation. The
constant is needed: the sigmoid has :math:`\varphi(0)=\frac12`, and without subtracting it the layer
shifts its input.

:source: Perez Jensen (2025), Deep Learning, Section 2.3; Lucchi (2025), Foundations of Deep
    Learning, Section 10.2; He, Zhang, Ren and Sun (2016), "Deep residual learning for image
    recognition".
:kind: identity
:cost: instant
:covers: residual-layer, projected-residual-layer
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals
from corollary.models.mlp import Dense
from corollary.models.residual import Residual


class Given(NamedTuple):
    """A residual layer with zero weights, its shortcut and points."""

    layer: Residual
    V: Float[Tensor, "m n"]
    x: Float[Tensor, "k n"]


class ResidualIdentity(Claim[Given]):
    n: int = 6  # input width
    m: int = 6  # output width; the shortcut is the identity if it is n
    k: int = 20  # points
    phi: Literal["sigmoid", "tanh", "relu", "elu"] = "sigmoid"  # activation
    relation = equals(ulps=4)  # x + (c - c) is exact; a projection is one product, made twice

    def given(self, rng: Generator) -> Given:
        """A layer whose weights were set to zero, a random projection if widths differ."""
        return self._draw(True, rng)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Zero weights, and the constant taken away."""
        zero = all(bool((p == 0).all()) for p in given.layer.block.parameters())
        yield Hypothesis("W = 0 and b = 0", zero)
        at_zero = given.layer.block(torch.zeros_like(given.x[:1]))
        kept = torch.zeros_like(at_zero) if given.layer.at_zero is None else given.layer.at_zero
        yield Hypothesis("φ(0) is subtracted", bool((at_zero == kept).all()))

    def predict(self, given: Given) -> list[float]:
        """What the shortcut gives."""
        return (given.x @ given.V.T).flatten().tolist()

    def measure(self, given: Given) -> list[float]:
        """What the layer gives."""
        with torch.no_grad():
            return given.layer(given.x).flatten().tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A sigmoid layer that keeps its constant: everything moves by one half."""
        return ResidualIdentity(self.n, self.m, self.k)._draw(False, rng)

    def figure(self, given: Given) -> Figure:
        """Output against shortcut."""
        kept = Residual(given.layer.block, given.V, subtract_at_zero=False)
        p = self.predict(given)
        ends = [min(p), max(p)]
        with torch.no_grad():
            moved = kept(given.x).flatten()
        return Figure(
            "Zero parameters give the shortcut",
            x="(V x)_j",
            y="F[V, 0, 0](x)_j",
            marks=(
                Curve(ends, x=ends, label="V x", role="predicted"),
                Points(p, self.measure(given), label="φ(0) subtracted"),
                Points(p, moved, label="φ(0) kept", role="other"),
            ),
        )

    def _draw(self, subtract: bool, rng: Generator) -> Given:
        f64 = {"generator": rng, "device": rng.device, "dtype": torch.float64}
        block = Dense(self.n, self.m, self.phi, rng=rng)
        with torch.no_grad():
            for p in block.parameters():
                p.zero_()
        V = torch.eye(self.n, device=rng.device, dtype=torch.float64)
        if self.m != self.n:
            V = torch.randn(self.m, self.n, **f64)
        layer = Residual(block, None if self.m == self.n else V, subtract_at_zero=subtract)
        return Given(layer, V, torch.randn(self.k, self.n, **f64))
