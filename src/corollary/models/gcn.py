r"""Graph convolutional networks.

.. math:: \Xi=\sigma(\bar AXW+b),\qquad
   Y=\operatorname{softmax}\bigl(\bar A(\bar AXW_0)_+W_1\bigr)\text{ row by row},

with the coupling matrix :math:`\bar A=D^{-1/2}(A+I)D^{-1/2}`. On a graph without edges
:math:`\bar A=I`, and the network is a perceptron on each node.

:source: Perez Jensen (2025), Deep Learning, Section 7.4; Kipf and Welling (2017),
    "Semi-supervised classification with graph convolutional networks".
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.models.dropout import SparseDropout
from corollary.models.message_passing import check_nodes
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.normalised_adjacency import gcn_norm
from corollary.theory.networks.activations import Activation, activation
from corollary.theory.seeding import as_generator


class GCNConv(nn.Module):
    r"""The affine part :math:`\bar AXW+b` of a layer; O(E d' + M d d').

    Weights start uniform after Glorot, the bias at zero.

    Example:
        >>> layer = GCNConv(1, 1, rng=torch.Generator().manual_seed(0))
        >>> _ = layer.W.data.fill_(1.0)
        >>> x = torch.tensor([[1.0], [3.0], [5.0]]).double()
        >>> layer(x, Graph.of_edges(3, [(0, 1)])).flatten().round(decimals=6).tolist()
        [2.0, 2.0, 5.0]

    :covers: gcn-layer
    """

    def __init__(
        self,
        d: int,
        k: int,
        *,
        bias: bool = True,
        rng: Generator,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        if d < 1 or k < 1:
            raise InputError(f"a layer needs d, k >= 1 channels, got d={d}, k={k}")
        uniform = 2 * torch.rand(d, k, generator=rng, device=rng.device, dtype=dtype) - 1
        self.W = nn.Parameter(uniform * (6 / (d + k)) ** 0.5)
        self.b = nn.Parameter(uniform.new_zeros(k)) if bias else None

    def forward(self, x: Float[Tensor, "M d"], graph: Graph) -> Float[Tensor, "M k"]:
        """New features of the nodes."""
        check_nodes(x, graph)
        if x.shape[1] != len(self.W):
            raise InputError(f"expected {len(self.W)} features per node, got {x.shape[1]}")
        d, k = self.W.shape
        A = gcn_norm(graph, x.dtype)
        # The product with the narrower matrix is the cheaper one.
        z: Tensor = torch.sparse.mm(A, x @ self.W) if k <= d else torch.sparse.mm(A, x) @ self.W
        return z if self.b is None else z + self.b


class GCN(nn.Module):
    """Layers of the given widths with an activation between them; gives logits.

    Args:
        widths: Features of a node, hidden widths, classes.
        phi: Activation between the layers.
        bias: Whether layers have one.
        dropout: Rate at which the inputs of each layer are dropped while training.
        rng: Draws the weights.
        dtype: Of the weights.

    Example:
        >>> net = GCN([3, 8, 2], rng=torch.Generator().manual_seed(0))
        >>> net(torch.eye(3, dtype=torch.float64), Graph.of_edges(3, [(0, 1)])).shape
        torch.Size([3, 2])

    :covers: gcn-layer
    """

    def __init__(
        self,
        widths: Sequence[int],
        phi: Activation | str = "relu",
        *,
        bias: bool = True,
        dropout: float = 0.0,
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        if len(widths) < 2:
            raise InputError(f"a network needs an input and an output width, got {widths}")
        self.widths = list(widths)
        pairs = zip(widths, widths[1:], strict=False)
        self.layers = nn.ModuleList(
            GCNConv(d, k, bias=bias, rng=rng, dtype=dtype) for d, k in pairs
        )
        self.phi = activation(phi) if isinstance(phi, str) else phi
        self.dropout = SparseDropout(dropout)

    def forward(self, x: Float[Tensor, "M d"], graph: Graph) -> Float[Tensor, "M k"]:
        """Logits of each node."""
        *hidden, last = self.layers
        for layer in hidden:
            x = self.phi(layer(self.dropout(x), graph))
        logits: Tensor = last(self.dropout(x), graph)
        return logits

    def probabilities(self, x: Float[Tensor, "M d"], graph: Graph) -> Float[Tensor, "M k"]:
        """The softmax of each row of logits."""
        logits: Tensor = self(x, graph)
        return logits.softmax(dim=1)
