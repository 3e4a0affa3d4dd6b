"""Semi-supervised training on one graph: few nodes have a label, all of them take part."""

from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from corollary.errors import InputError
from corollary.theory.geometry.graph import Graph
from corollary.train.history import History
from corollary.train.preparation import MakeOptimizer
from corollary.train.trainer import fit

_UNKNOWN = -100  # what torch's cross entropy leaves out


def fit_nodes(
    model: nn.Module,
    graph: Graph,
    x: Float[Tensor, "M d"],
    y: Int[Tensor, " M"],
    labelled: Bool[Tensor, " M"],
    optimizer: torch.optim.Optimizer | MakeOptimizer,
    *,
    steps: int,
    **options: Any,
) -> History:
    """Minimise the cross entropy of ``model(x, graph)`` on the labelled nodes, whole graph a step.

    Args:
        model: Called as ``model(x, graph)``; gives logits, a row per node.
        graph: The graph.
        x: Features of all nodes; a sparse matrix if the model takes one.
        y: Classes; those of nodes that are not labelled are never looked at.
        labelled: Which nodes count in the loss.
        optimizer: As in :func:`corollary.train.fit`, as are the options.
        steps: Updates.
        options: Passed on to :func:`corollary.train.fit`.

    Example:
        >>> from corollary.data.karate_club import karate_club
        >>> from corollary.models.gcn import GCN
        >>> graph, side = karate_club()
        >>> ends = torch.zeros(34, dtype=torch.bool)
        >>> ends[[0, 33]] = True  # the instructor and the president alone
        >>> x, net = torch.eye(34).double(), GCN([34, 8, 2], rng=torch.Generator().manual_seed(0))
        >>> adam = lambda parameters: torch.optim.Adam(parameters, lr=0.02)
        >>> _ = fit_nodes(net, graph, x, side, ends, adam, steps=60)
        >>> accuracy(net(x, graph), side, ~ends) > 0.85
        True

    :covers: gcn-layer
    """
    if not bool(labelled.any()):
        raise InputError("no node is labelled; mark at least one in `labelled`")
    if len(x) != graph.M or len(y) != graph.M or len(labelled) != graph.M:
        raise InputError(
            f"x, y and labelled need one row for each of {graph.M} nodes, got {len(x)}, "
            f"{len(y)} and {len(labelled)} rows"
        )
    known = torch.where(labelled, y, _UNKNOWN)

    def call(model: nn.Module, loss: Any, _: Tensor, y: Tensor) -> Any:
        return loss(model(x, graph), y)

    nodes = torch.arange(graph.M, device=x.device)
    return fit(model, (nodes, known), F.cross_entropy, optimizer, steps=steps, call=call, **options)


def accuracy(
    logits: Float[Tensor, "M k"], y: Int[Tensor, " M"], where: Bool[Tensor, " M"]
) -> float:
    """The share of the nodes in ``where`` whose largest logit is that of their class.

    Example:
        >>> accuracy(torch.eye(3), torch.tensor([0, 1, 0]), torch.tensor([True, True, True]))
        0.6666666666666666
    """
    right = (logits.argmax(dim=1) == y).cpu().double()
    return float(right.masked_fill(logits.isnan().any(dim=1), torch.nan)[where].mean())
