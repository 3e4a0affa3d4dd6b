r"""Graph networks: nodes as positions, mixed along the edges.

A graph convolution :math:`\phi(\hat A H W)` is ``Dense``, ``Aggregate``, activation. With
:math:`A_1, A_2` the matrices of the graphs of the two inputs,

.. math:: K' = A_1 K A_2^\top, \qquad \Theta' = A_1 \Theta A_2^\top

over pairs of nodes. The graph is one for all inputs, ``Aggregate(a)``, or each input brings its
own, ``Aggregate()`` on :func:`graph_inputs`.

:source: Du, Hou, Poczos, Salakhutdinov, Wang and Xu (2019), "Graph neural tangent kernel: fusing
    graph neural networks with graph kernels", Section 3; Kipf and Welling (2017), "Semi-supervised
    classification with graph convolutional networks".
"""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.kernels.infinite.layers import Layer
from corollary.theory.kernels.infinite.network import Kernels, Network
from corollary.theory.kernels.infinite.state import State
from corollary.theory.kernels.infinite.steps import first_state, run


@dataclass(frozen=True)
class Aggregate(Layer):
    """Node r becomes the sum of ``adjacency[r, s]`` times node s.

    Example:
        >>> from corollary.theory.kernels.infinite import Dense, Flatten, network
        >>> a = torch.tensor([[0.0, 2.0], [0.0, 0.0]]).double()  # node 0 reads node 1, twice
        >>> net = network(Dense(), Aggregate(a), Flatten(), Dense(), channels="last")
        >>> x = torch.tensor([[[1.0], [3.0]]]).double()  # one graph, two nodes, one feature
        >>> net.kernel(x).nngp.item()  # the mean of (2 · 3)² and 0
        18.0
    """

    mixes = True
    adjacency: Tensor | None = None  # (nodes after, nodes before); None: each input has its own

    def __post_init__(self) -> None:
        if self.adjacency is not None and self.adjacency.ndim != 2:
            raise InputError(
                "Aggregate takes one matrix for all inputs, but the shape of adjacency is "
                f"{tuple(self.adjacency.shape)}; for one graph per input use Aggregate() and "
                "graph_inputs"
            )

    @property
    def own_graphs(self) -> bool:  # type: ignore[override]  # of each layer
        """Whether every input brings its graph."""
        return self.adjacency is None

    def __call__(self, state: State) -> State:
        """Products from both sides."""
        if state.axes != 1:
            raise InputError(
                f"Aggregate needs one axis of nodes, got {state.axes}; inputs have shape (n, "
                "nodes, features), with channels='last'"
            )
        a1, a2 = self._graphs(state)
        if a1.shape[-1] != state.nngp.shape[-1]:
            raise InputError(
                f"expected inputs with {a1.shape[-1]} nodes, got {state.nngp.shape[-1]}"
            )

        def own(q: Tensor | None, a: Tensor) -> Tensor | None:
            return a @ q @ a.mT if q is not None and state.self_full else None

        q1 = own(state.q1, a1)
        q2 = q1 if state.q2 is state.q1 and a1 is a2 else own(state.q2, a2)
        left, right = (a1, a2) if state.paired or a1.ndim == 2 else (a1[:, None], a2[None])
        ntk = None if state.ntk is None else left @ state.ntk @ right.mT
        return replace(state, nngp=left @ state.nngp @ right.mT, ntk=ntk, q1=q1, q2=q2)

    def _graphs(self, state: State) -> tuple[Tensor, Tensor]:
        if self.adjacency is None:
            assert state.graphs is not None, "the plan asks for graphs"
            return state.graphs
        a = self.adjacency.to(state.nngp)
        return a, a


def graph_inputs(
    x: Float[Tensor, "n nodes d"], adjacency: Float[Tensor, "..."]
) -> Float[Tensor, "n nodes both"]:
    """Features and graph of each input as one tensor: what networks with ``Aggregate()`` read.

    Row v of an input is node v: its d features, then row v of its matrix. Graphs with fewer nodes
    are filled up with zeros.

    Example:
        >>> graph_inputs(torch.ones(1, 2, 1), torch.eye(2)[None]).tolist()
        [[[1.0, 1.0, 0.0], [1.0, 0.0, 1.0]]]
    """
    n, nodes = x.shape[:2]
    if tuple(adjacency.shape) != (n, nodes, nodes):
        raise InputError(
            f"graph_inputs needs adjacency of shape {(n, nodes, nodes)} for {n} graphs of {nodes} "
            f"nodes, got {tuple(adjacency.shape)}"
        )
    return torch.cat([x, adjacency.to(x)], dim=2)


def node_kernels(net: Network, x: Float[Tensor, "nodes d"], *, ntk: bool = True) -> Kernels:
    """Both kernels between the nodes of one graph, for predictions node by node.

    The network keeps its nodes to the end: no Flatten, no pooling. Time and memory grow as the
    square of the nodes, and as their cube through a dense ``Aggregate``.

    Example:
        >>> from corollary.theory.kernels.infinite import Dense, network
        >>> path = torch.tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]).double()
        >>> net = network(Aggregate(path), Dense(), channels="last")
        >>> node_kernels(net, torch.eye(3).double(), ntk=False).nngp.mul(3).tolist()  # A Aᵀ
        [[1.0, 0.0, 1.0], [0.0, 2.0, 0.0], [1.0, 0.0, 1.0]]
    """
    layouts = net.plan._replace(full=True, self_full=True)
    one = x[None]
    state = first_state(one, one, layouts, ntk=ntk, paired=True, channels="last", same=0)
    state = run(net.steps, state)
    if state.axes != 1:
        raise InputError(
            "node_kernels needs a network that keeps its nodes, but it ends with "
            f"{state.axes} axes of positions; remove Flatten and pooling"
        )
    tangent = None if state.ntk is None else state.ntk[0].to(x.dtype)
    return Kernels(state.nngp[0].to(x.dtype), tangent)
