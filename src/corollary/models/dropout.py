r"""Dropout: units that are switched off at random while training.

.. math:: \tilde a=\frac b{1-p}\odot a,\qquad b_j\sim\mathrm{Ber}(1-p)\text{ independent},
   \qquad E[\tilde a]=a,\quad\operatorname{var}[\tilde a_j]=\frac p{1-p}a_j^2 .

The *plain* form of the first papers multiplies by b alone while training and by :math:`1-p` in
evaluation; the *inverted* form divides while training, so that evaluation is the identity.
Customary rates are 0.2 for inputs and 0.5 for hidden units.

:source: Lucchi (2025), Foundations of Deep Learning, Section 11.2 and Figure 11.4; Perez Jensen
    (2025), Deep Learning, Section 8.4; Srivastava, Hinton, Krizhevsky, Sutskever and Salakhutdinov
    (2014), "Dropout: a simple way to prevent neural networks from overfitting".
"""

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.theory.regularization.dropout import check_rate

INPUT_RATE, HIDDEN_RATE = 0.2, 0.5


class Dropout(nn.Module):
    """Drops each entry with probability ``p`` while training; the identity in evaluation.

    Every entry of the input, of every example, has a mask of its own. Masks come from the global
    generator as those of ``nn.Dropout`` do, or from ``rng``.

    Args:
        p: The share that is dropped, in [0, 1).
        inverted: Divide by 1 - p while training; otherwise multiply by 1 - p in evaluation.
        rng: Where the masks come from.

    Example:
        >>> layer = Dropout(0.5, rng=torch.Generator().manual_seed(0))
        >>> sorted(set(layer(torch.ones(100)).tolist()))
        [0.0, 2.0]
        >>> layer.eval()(torch.ones(2)).tolist()
        [1.0, 1.0]

    :covers: dropout-layer
    """

    def __init__(
        self, p: float = HIDDEN_RATE, *, inverted: bool = True, rng: Generator | None = None
    ) -> None:
        super().__init__()
        check_rate(p)
        self.p, self.inverted, self.rng = p, inverted, rng

    def forward(self, x: Float[Tensor, "*s"]) -> Float[Tensor, "*s"]:
        """The thinned activations, or all of them in evaluation."""
        if not self.training:
            return x if self.inverted else (1 - self.p) * x
        kept = self.mask(x)
        return x * kept / (1 - self.p) if self.inverted else x * kept

    def mask(self, x: Float[Tensor, "*s"]) -> Float[Tensor, "*s"]:
        """Ones and zeros of the shape of ``x``, one with probability 1 - p."""
        keep = torch.full_like(x, 1 - self.p, requires_grad=False)
        return torch.bernoulli(keep, generator=self.rng)

    def extra_repr(self) -> str:
        """What is shown when the module is printed."""
        return f"p={self.p:g}, inverted={self.inverted}"


class SparseDropout(nn.Dropout):
    """``nn.Dropout`` that also takes a sparse matrix, and then draws for its entries alone.

    The result has the same distribution. The features of a citation graph are over 98 % zeros, and
    masks for them take most of a step.

    Example:
        >>> out = SparseDropout(0.5)(torch.eye(100).to_sparse())
        >>> sorted(set(out.to_dense().flatten().tolist()))
        [0.0, 2.0]
    """

    def forward(self, x: Float[Tensor, "M d"]) -> Float[Tensor, "M d"]:
        """The thinned features, or all of them in evaluation."""
        if not x.is_sparse:
            return super().forward(x)
        kept = super().forward(x.values())
        return torch.sparse_coo_tensor(
            x.indices(), kept, x.shape, check_invariants=False, is_coalesced=True
        )
