r"""Backpropagation through any chain of blocks: a small reverse-mode engine.

A network is a chain :math:`h^l=F^l(h^{l-1};\theta^l)`, :math:`h^0=x`, with a loss of
:math:`\hat y=h^L`. Backwards,

.. math:: \delta^L=\frac{\partial\ell}{\partial\hat y},\qquad
   \delta^l=\Bigl(\frac{\partial h^{l+1}}{\partial h^l}\Bigr)^{\!\top}\delta^{l+1},\qquad
   \frac{\partial\ell}{\partial\theta^l}
   =\Bigl(\frac{\partial h^l}{\partial\theta^l}\Bigr)^{\!\top}\delta^l .

A block has to know two things: its value, and the product of its transposed derivative with a
vector. Each :math:`\delta` is computed once and used for all that lies before it, so the cost grows
like the depth. Nothing here uses autograd.

:source: Perez Jensen (2025), Deep Learning, Section 3.1; Rumelhart, Hinton and Williams (1986),
    "Learning representations by back-propagating errors".
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from corollary.errors import InputError

Pulled = tuple[Tensor, tuple[Tensor, ...]]  # delta in the input, gradients of the parameters


@runtime_checkable
class Block(Protocol):
    """What the engine asks of a part of a network."""

    def forward(self, h: Tensor) -> Tensor:
        """The value."""

    def vjp(self, h: Tensor, delta: Tensor) -> Pulled:
        """The transposed derivatives in the input and in the parameters, times ``delta``."""


@runtime_checkable
class Differentiable(Protocol):
    """A function of one number that knows its derivative, as all activations here do."""

    @property
    def derivative(self) -> Callable[[Tensor], Tensor]:
        """The derivative at each entry."""

    def __call__(self, z: Tensor) -> Tensor:
        """The value at each entry."""


class Backward(NamedTuple):
    """The two passes; index 0 of ``h`` is the input."""

    h: tuple[Tensor, ...]
    delta: tuple[Tensor, ...]  # delta[l] belongs to h[l]
    gradients: tuple[tuple[Tensor, ...], ...]  # of each block's parameters
    products: int  # blocks pulled back through


@dataclass(frozen=True)
class Affine:
    """Rows to rows: ``h W^T + b``."""

    W: Float[Tensor, "m n"]
    b: Float[Tensor, " m"]

    def forward(self, h: Float[Tensor, "s n"]) -> Float[Tensor, "s m"]:
        """The value."""
        return h @ self.W.T + self.b

    def vjp(self, h: Float[Tensor, "s n"], delta: Float[Tensor, "s m"]) -> Pulled:
        """Transposed weights; an outer product a row."""
        return delta @ self.W, (delta.T @ h, delta.sum(dim=0))


@dataclass(frozen=True)
class Pointwise:
    """An activation, entry by entry."""

    phi: Differentiable

    def forward(self, h: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """The value."""
        return self.phi(h)

    def vjp(self, h: Float[Tensor, "..."], delta: Float[Tensor, "..."]) -> Pulled:
        """A diagonal derivative is its own transpose."""
        return delta * self.phi.derivative(h), ()


@dataclass(frozen=True)
class Convolution:
    """Images to images without padding: correlation with ``K``."""

    K: Float[Tensor, "o c p q"]

    def forward(self, h: Float[Tensor, "s c a b"]) -> Float[Tensor, "s o e f"]:
        """The value."""
        return F.conv2d(h, self.K)

    def vjp(self, h: Float[Tensor, "s c a b"], delta: Float[Tensor, "s o e f"]) -> Pulled:
        """A full convolution with the kernel turned round; patches against deltas."""
        patches = F.unfold(h, self.K.shape[-2:])  # (s, c p q, places)
        K = torch.einsum("sop,skp->ok", delta.flatten(2), patches).reshape(self.K.shape)
        return F.conv_transpose2d(delta, self.K), (K,)


@dataclass(frozen=True)
class Flatten:
    """Images to rows."""

    def forward(self, h: Float[Tensor, "s ..."]) -> Float[Tensor, "s m"]:
        """The value."""
        return h.flatten(1)

    def vjp(self, h: Float[Tensor, "s ..."], delta: Float[Tensor, "s m"]) -> Pulled:
        """Back to the old shape."""
        return delta.reshape(h.shape), ()


@dataclass(frozen=True)
class Residual:
    """A chain of blocks beside the identity: ``h + G(h)``."""

    blocks: tuple[Block, ...]

    def forward(self, h: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """The value."""
        return h + forward_values(self.blocks, h)[-1]

    def vjp(self, h: Float[Tensor, "..."], delta: Float[Tensor, "..."]) -> Pulled:
        """Two paths meet: their deltas add."""
        inner = pull_back(self.blocks, forward_values(self.blocks, h), delta)
        return delta + inner.delta[0], tuple(g for own in inner.gradients for g in own)


def forward_values(blocks: Sequence[Block], x: Float[Tensor, "..."]) -> tuple[Tensor, ...]:
    """All intermediate values, the input first.

    Example:
        >>> double = Affine(2 * torch.eye(1), torch.zeros(1))
        >>> [h.item() for h in forward_values([double, double], torch.ones(1, 1))]
        [1.0, 2.0, 4.0]
    """
    h = [x]
    for block in blocks:
        h.append(block.forward(h[-1]))
    return tuple(h)


def pull_back(
    blocks: Sequence[Block], h: Sequence[Tensor], delta: Float[Tensor, "..."]
) -> Backward:
    r"""The recursion from :math:`\delta^L` down to the input, last block first.

    Example:
        >>> double = Affine(2 * torch.eye(1), torch.zeros(1))
        >>> h = forward_values([double, double], torch.ones(1, 1))
        >>> back = pull_back([double, double], h, torch.ones(1, 1))
        >>> [d.item() for d in back.delta], back.products  # d(4x)/dx = 4
        ([4.0, 2.0, 1.0], 2)

    :covers: backpropagation-recursion
    :erratum: [typo] Section 3.1 prints the recursion with the quotient h^{l+1}/h^l, without partial
        signs; delta^l dh^l/dtheta^l lacks the transpose that the recursion's convention requires;
        "the computation of any function" should be that of its gradient.
    """
    if len(h) != len(blocks) + 1 or h[-1].shape != delta.shape:
        raise InputError(
            f"{len(blocks)} blocks need {len(blocks) + 1} values and a delta with the shape "
            f"of the last value, got {len(h)} values and shape {tuple(delta.shape)}"
        )
    deltas, gradients = [delta], []
    for block, below in zip(reversed(blocks), reversed(h[:-1]), strict=True):
        before, own = block.vjp(below, deltas[-1])
        deltas.append(before)
        gradients.append(own)
    return Backward(tuple(h), tuple(deltas[::-1]), tuple(gradients[::-1]), len(gradients))
