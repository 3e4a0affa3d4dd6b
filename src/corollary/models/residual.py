r"""Residual layers, and the deep network with and without shortcuts.

.. math:: F[W,b](x)=x+(\varphi(Wx+b)-\varphi(0)),\qquad F[0,0]=\mathrm{Id},\qquad
   J_F=I+J_f;

with a projection :math:`V` in the shortcut the widths may differ: :math:`F(x)=Vx+\dots`,
:math:`J_F=V+J_f`.

:source: Perez Jensen (2025), Deep Learning, Section 2.3; Lucchi (2025), Foundations of Deep
    Learning, Section 10.2; He, Zhang, Ren and Sun (2016), "Deep residual learning for image
    recognition".
"""

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn
from torch.func import functional_call

from corollary.errors import InputError
from corollary.models.mlp import Dense, LinearLayer
from corollary.theory.networks.activations import Activation
from corollary.theory.seeding import as_generator


class Residual(nn.Module):
    """``x -> V x + (block(x) - block at zero parameters)``, with ``V`` the identity by default.

    Args:
        block: Any module ``f``. Its value at zero parameters is what makes the layer the identity
            there: 0.5 for a sigmoid layer, 0 for tanh and ReLU.
        projection: The shortcut ``V``: a matrix that stays as it is, or a module that learns.
        subtract_at_zero: False leaves ``V x + f(x)``. The default needs a block that says how many
            numbers it reads (``in_features``).

    Example:
        >>> layer = Residual(Dense(3, 3, "sigmoid", rng=torch.Generator().manual_seed(0)))
        >>> with torch.no_grad():
        ...     _ = [p.zero_() for p in layer.parameters()]
        >>> x = torch.randn(4, 3).double()
        >>> torch.equal(layer(x), x)
        True

    :covers: residual-layer, projected-residual-layer
    """

    fixed: Float[Tensor, "m d"] | None
    at_zero: Float[Tensor, " m"] | None

    def __init__(
        self,
        block: nn.Module,
        projection: nn.Module | Tensor | None = None,
        *,
        subtract_at_zero: bool = True,
    ) -> None:
        super().__init__()
        self.block = block
        self.V = projection if isinstance(projection, nn.Module) else None
        fixed = projection.detach().clone() if isinstance(projection, Tensor) else None
        self.register_buffer("fixed", fixed)
        self.register_buffer("at_zero", _at_zero(block) if subtract_at_zero else None)
        self.in_features = getattr(block, "in_features", None)
        self.out_features = getattr(block, "out_features", None)
        if projection is None and self.in_features != self.out_features:
            raise InputError(
                "a shortcut without projection needs a block that keeps the width, but this "
                f"block goes from {self.in_features} to {self.out_features}; pass projection=V"
            )

    def shortcut(self, x: Float[Tensor, "n *d"]) -> Float[Tensor, "n *m"]:
        """What is carried past the block."""
        if self.V is not None:
            projected: Tensor = self.V(x)
            return projected
        return x if self.fixed is None else x @ self.fixed.T

    def forward(self, x: Float[Tensor, "n *d"]) -> Float[Tensor, "n *m"]:
        """The sum of the two ways."""
        change: Tensor = self.block(x)
        kept = self.shortcut(x)
        if change.shape != kept.shape:
            raise InputError(
                f"the block returns shape {tuple(change.shape)} and the shortcut "
                f"{tuple(kept.shape)}; pass a projection that makes the shapes equal"
            )
        return kept + change if self.at_zero is None else kept + (change - self.at_zero)


class ResidualMLP(nn.Module):
    r"""``d -> width``, ``depth`` residual layers, ``width -> k``; ``shortcut=False`` is its twin.

    Hidden weights are normal with variance ``gain**2 / width``, biases zero; both forms draw the
    same numbers from the same generator.

    Example:
        >>> net = ResidualMLP(2, 8, 3, 1, rng=torch.Generator().manual_seed(0))
        >>> net(torch.zeros(5, 2, dtype=torch.float64)).shape
        torch.Size([5, 1])
    """

    def __init__(
        self,
        d: int,
        width: int,
        depth: int,
        k: int,
        phi: Activation | str = "relu",
        *,
        shortcut: bool = True,
        gain: float = 1.0,
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        if depth < 0:
            raise InputError(f"depth must be at least 0, got {depth}")
        self.first = LinearLayer(d, width, bias=True, rng=rng, dtype=dtype)
        blocks = [Dense(width, width, phi, rng=rng, dtype=dtype) for _ in range(depth)]
        with torch.no_grad():
            for block in blocks:
                block.affine.W.mul_(gain)
        self.hidden = nn.ModuleList([Residual(b) for b in blocks] if shortcut else blocks)
        self.last = LinearLayer(width, k, bias=True, rng=rng, dtype=dtype)

    def forward(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n k"]:
        """The outputs."""
        h = self.first(x)
        for layer in self.hidden:
            h = layer(h)
        out: Tensor = self.last(h)
        return out


def _at_zero(block: nn.Module) -> Tensor | None:
    """The value of the block at zero parameters; ``None`` where it is zero."""
    n = getattr(block, "in_features", None)
    parameters = dict(block.named_parameters())
    if n is None or not parameters:
        raise InputError(
            f"the value of {type(block).__name__} at zero parameters cannot be found: it has no "
            "in_features or no parameters; pass subtract_at_zero=False"
        )
    zeros = {name: torch.zeros_like(p) for name, p in parameters.items()}
    like = next(iter(parameters.values()))
    probe = torch.stack([like.new_zeros(n), like.new_ones(n)])
    with torch.no_grad():
        values = functional_call(block, zeros, (probe,))
    if not torch.equal(values[0], values[1]):
        raise InputError(
            f"{type(block).__name__} still depends on its input when its parameters are zero, so "
            "there is no constant to subtract; pass subtract_at_zero=False"
        )
    return values[0].clone() if bool((values[0] != 0).any()) else None
