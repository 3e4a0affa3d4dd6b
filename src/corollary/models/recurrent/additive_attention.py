r"""Additive attention over the states of an encoder.

.. math:: a_{ij}=\operatorname*{softmax}_j\,v^\top\tanh(Wz_{i-1}+U\zeta_j),\qquad
   c_i=\sum_ja_{ij}\zeta_j :

the decoder's state asks, the encoder's states answer, and their convex combination is the context.

:source: Perez Jensen (2025), Deep Learning, Section 5.3; Bahdanau, Cho and Bengio (2015), "Neural
    machine translation by jointly learning to align and translate".
"""

import torch
from jaxtyping import Bool, Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.models.recurrent.cell import weights
from corollary.theory.networks.softmax import softmax


class AdditiveAttention(nn.Module):
    """Context and weights for one asking state; O(T h (m + k)) a batch row.

    Args:
        m: Numbers of the asking state.
        k: Numbers of a state that is looked at.
        h: Hidden units of the score.

    Example:
        >>> look = AdditiveAttention(3, 4, 5, rng=torch.Generator().manual_seed(0))
        >>> c, a = look(torch.randn(2, 3).double(), torch.randn(2, 7, 4).double())
        >>> c.shape, a.shape, torch.allclose(a.sum(1), torch.ones(2).double())
        (torch.Size([2, 4]), torch.Size([2, 7]), True)

    :covers: bahdanau-attention
    """

    def __init__(
        self, m: int, k: int, h: int, *, rng: Generator, dtype: torch.dtype = torch.float64
    ) -> None:
        super().__init__()
        if min(m, k, h) < 1:
            raise InputError(f"m, k and h must be at least 1, got m={m}, k={k}, h={h}")
        self.m, self.k = m, k
        self.W, self.U = weights(h, m, rng=rng, dtype=dtype), weights(h, k, rng=rng, dtype=dtype)
        self.v = weights(1, h, rng=rng, dtype=dtype)

    def prepared(self, zeta: Float[Tensor, "B T k"]) -> Float[Tensor, "B T h"]:
        """The part of the score that no asking state changes; once for a whole output."""
        return zeta @ self.U.T

    def forward(
        self,
        z: Float[Tensor, "B m"],
        zeta: Float[Tensor, "B T k"],
        alive: Bool[Tensor, "B T"] | None = None,
        *,
        prepared: Float[Tensor, "B T h"] | None = None,
    ) -> tuple[Float[Tensor, "B k"], Float[Tensor, "B T"]]:
        """Context and weights.

        Args:
            z: The asking states.
            zeta: The states that are looked at.
            alive: Which of them count, at least one in each row; the others get weight 0.
            prepared: What :meth:`prepared` gave, if it is there already.
        """
        ready = self.prepared(zeta) if prepared is None else prepared
        scores = (torch.tanh((z @ self.W.T)[:, None] + ready) @ self.v.T)[..., 0]
        if alive is not None:
            if not bool(alive.any(dim=1).all()):
                empty = int((~alive.any(dim=1)).nonzero()[0])
                raise InputError(
                    f"each row needs at least one state to attend to, but row {empty} has none"
                )
            scores = scores.masked_fill(~alive, -torch.inf)
        a = softmax(scores)
        return (a[:, None] @ zeta)[:, 0], a
