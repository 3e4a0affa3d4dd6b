"""The terms of a loss, after splitting sums, means and constant factors."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from corollary.watch.detect.strangers import leaves_of

ENTROPY = "corollary.entropy"  # marks a node that is a term as it is
MOST = 200  # nodes that are taken apart
LINEAR = (
    "Mean",
    "Sum",
    "View",
    "Reshape",
    "UnsafeView",
    "Squeeze",
    "Unsqueeze",
    "Alias",
    "ToCopy",
    "Stack",
    "Cat",
    "Clone",
    "Expand",
    "Transpose",
    "T",
    "Permute",
)
INNER = ("Minimum", "Maximum", "Min", "Max", "Clamp", "Where")  # monotone: a sign passes through


@dataclass(frozen=True)
class Term:
    """A node that the loss is linear in, and the sign with which it enters."""

    node: Any
    sign: int


def terms(root: Tensor, through: tuple[str, ...] = ()) -> Iterator[Term]:
    """Split a loss into terms; nodes whose names begin with one of ``through`` are split too.

    A constant that is added has no node; it is a term with the node None.

    Example:
        >>> import torch
        >>> a, b = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
        >>> loss = (a * b).mean() / 2 - a.exp().sum()
        >>> sorted((term.node.name(), term.sign) for term in terms(loss))
        [('ExpBackward0', -1), ('MulBackward0', 1)]
    """
    todo: list[Term] = [Term(root.grad_fn, 1)] if root.grad_fn is not None else []
    for _ in range(MOST):
        if not todo:
            return
        term = todo.pop(0)
        parts = None if term.node is None else _parts(term, through)
        if parts is None or ENTROPY in term.node.metadata:
            yield term
        else:
            todo += parts


def _parts(term: Term, through: tuple[str, ...]) -> list[Term] | None:
    """The inputs of a linear node; None for other nodes."""
    node, sign, name = term.node, term.sign, term.node.name().removesuffix("Backward0")
    name = name.rstrip("0123456789").removesuffix("Backward")
    edges = [n for n, _ in node.next_functions]
    if name == "Add":
        return [Term(n, sign) for n in edges]
    if name == "Sub":
        return [Term(n, s) for n, s in zip(edges, (sign, -sign), strict=False)]
    if name in ("Neg", "Rsub"):
        return [Term(edges[0], -sign)]
    if name in ("Mul", "Div") and len(edges) == 2 and None in edges:
        constant = _constant(node, edges.index(None))
        return None if constant is None else [_with(edges, sign if constant > 0 else -sign)]
    if name in LINEAR or name in through:
        return [Term(n, sign) for n in edges if n is not None]
    return None


def _with(edges: list[Any], sign: int) -> Term:
    return Term(next(n for n in edges if n is not None), sign)


def _constant(node: Any, which: int) -> float | None:
    """The constant factor or divisor of a node, if it is a single number."""
    try:
        saved = node._saved_other if which == 1 else node._saved_self
    except (AttributeError, RuntimeError):
        return None
    if not isinstance(saved, Tensor) or saved.numel() != 1:
        return None
    return float(saved)


def variables_behind(node: Any) -> set[int]:
    """Identities of the leaves that a node depends on."""
    return set() if node is None else {id(leaf) for leaf in leaves_of(node)}
