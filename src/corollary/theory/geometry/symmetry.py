r"""Does a function see the order of its rows?

A function of the rows of :math:`X\in\mathbb{R}^{M\times d}` is *invariant* if
:math:`f(PX)=f(X)` and *equivariant* if

.. math:: f(PX)=P f(X),\qquad\text{equivalently}\qquad f(X)=P^\top f(PX),

for every permutation matrix :math:`P`. On graphs :math:`A` becomes :math:`PAP^\top` at the same
time. A test on some permutations can refute, and the one that does is returned; transpositions
and one cycle of all rows generate every permutation, so for a function that is linear these few
already prove.

:source: Perez Jensen (2025), Deep Learning, Section 7.1, Definitions 7.1 and 7.2, and Section 7.4,
    Definitions 7.4 and 7.5.
:erratum: [wrong] Definition 7.2 writes equivariance as f(X) = P f(PX), and Definition 7.5 as
    f(X, A) = P f(PX, PAPᵀ); it must be Pᵀ in place of the outer P. For f = id and the 3-cycle P,
    P P X differs from X while Pᵀ P X = X; the two agree only if P is its own inverse. The
    componentwise form of the notes is right.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.geometry.graph import Graph
from corollary.theory.prerequisites.wellformed import check_at_least

SetFunction = Callable[[Tensor], Tensor]
GraphFunction = Callable[[Tensor, Graph], Tensor]
Permutations = Sequence[Sequence[int]] | Int[Tensor, "p M"]


@dataclass(frozen=True)
class Symmetry:
    """What a test on permutations found."""

    holds: bool
    gap: float  # largest difference, relative to the largest entry of f(X)
    perm: list[int] | None  # the permutation that gave the gap, if the symmetry does not hold

    def __bool__(self) -> bool:
        """Whether no permutation refuted the symmetry."""
        return self.holds


def permutations_of(M: int, p: int, *, rng: Generator) -> Int[Tensor, "q M"]:
    """A transposition, the cycle of all rows, and ``p`` random permutations.

    Example:
        >>> permutations_of(3, 1, rng=torch.Generator().manual_seed(0))[:2].tolist()
        [[1, 0, 2], [1, 2, 0]]
    """
    rows = torch.arange(M)
    swap = rows.clone()
    swap[:2] = swap[:2].flip(0)
    drawn = torch.rand(p, M, generator=rng, device=rng.device).argsort(dim=1).cpu()
    return torch.cat([swap[None], rows.roll(-1)[None], drawn])


def check_invariance(
    f: SetFunction, X: Float[Tensor, "M d"], perms: Permutations, *, tolerance: float = 1e-6
) -> Symmetry:
    """Whether ``f(PX) = f(X)`` for the given permutations, up to ``tolerance`` relative to f(X).

    Example:
        >>> X = torch.tensor([[1.0], [2.0], [4.0]])
        >>> check_invariance(lambda X: X.sum(0), X, [[1, 2, 0]]).holds
        True
        >>> check_invariance(lambda X: X.flatten()[0], X, [[1, 2, 0]]).perm  # concatenation
        [1, 2, 0]

    :covers: order-invariance
    :test: tests/theory/geometry/test_symmetry.py
    """
    value = f(X)
    orders = _checked(perms, len(X))
    return _worst([(p, f(X[p]), value) for p in orders], value, tolerance)


def check_equivariance(
    f: SetFunction, X: Float[Tensor, "M d"], perms: Permutations, *, tolerance: float = 1e-6
) -> Symmetry:
    """Whether ``f(PX) = P f(X)`` for the given permutations.

    Example:
        >>> X = torch.tensor([[3.0], [1.0], [2.0]])
        >>> check_equivariance(torch.exp, X, [[1, 2, 0]]).holds
        True
        >>> check_equivariance(lambda X: X.sort(dim=0).values, X, [[1, 2, 0]]).holds
        False

    :covers: permutation-equivariance
    :test: tests/theory/geometry/test_symmetry.py
    """
    value = _rows(f(X), len(X))
    orders = _checked(perms, len(X))
    return _worst([(p, f(X[p]), value[p]) for p in orders], value, tolerance)


def check_graph_invariance(
    f: GraphFunction,
    X: Float[Tensor, "M d"],
    graph: Graph,
    perms: Permutations,
    *,
    tolerance: float = 1e-6,
) -> Symmetry:
    r"""Whether :math:`f(PX,PAP^\top)=f(X,A)` for the given permutations.

    Example:
        >>> path = Graph.of_edges(3, [(0, 1), (1, 2)])
        >>> X = torch.eye(3, dtype=torch.float64)
        >>> energy = lambda X, g: (X.T @ g.adjacency() @ X).trace()[None]
        >>> check_graph_invariance(energy, X, path, [[1, 2, 0]]).holds
        True

    :covers: graph-invariance-equivariance
    :test: tests/theory/geometry/test_symmetry.py
    """
    value = f(X, graph)
    orders = _checked(perms, len(X))
    return _worst([(p, f(X[p], graph.relabel(p)), value) for p in orders], value, tolerance)


def check_graph_equivariance(
    f: GraphFunction,
    X: Float[Tensor, "M d"],
    graph: Graph,
    perms: Permutations,
    *,
    tolerance: float = 1e-6,
) -> Symmetry:
    r"""Whether :math:`f(PX,PAP^\top)=Pf(X,A)` for the given permutations.

    Example:
        >>> path = Graph.of_edges(3, [(0, 1), (1, 2)])
        >>> X = torch.eye(3, dtype=torch.float64)
        >>> check_graph_equivariance(lambda X, g: g.adjacency() @ X, X, path, [[1, 2, 0]]).holds
        True

    :covers: graph-invariance-equivariance
    :test: tests/theory/geometry/test_symmetry.py
    """
    value = _rows(f(X, graph), len(X))
    orders = _checked(perms, len(X))
    return _worst([(p, f(X[p], graph.relabel(p)), value[p]) for p in orders], value, tolerance)


def _checked(perms: Permutations, M: int) -> Int[Tensor, "p M"]:
    orders = torch.as_tensor(perms, dtype=torch.int64)
    if orders.ndim != 2 or orders.shape[1] != M or len(orders) == 0:
        raise InputError(
            f"permutations of {M} rows are needed as a matrix (p, {M}), got shape "
            f"{tuple(orders.shape)}"
        )
    if not bool((orders.sort(dim=1).values == torch.arange(M)).all()):
        raise InputError(f"each permutation must list each of 0 to {M - 1} once")
    return orders


def _rows(value: Tensor, M: int) -> Tensor:
    if value.ndim == 0 or len(value) != M:
        raise InputError(
            f"an equivariant function returns one row for each of its {M} input rows, got "
            f"shape {tuple(value.shape)}"
        )
    return value


def _worst(
    trials: list[tuple[Tensor, Tensor, Tensor]], value: Tensor, tolerance: float
) -> Symmetry:
    """The permutation with the largest difference decides."""
    check_at_least("tolerance", tolerance, 0)
    scale = max(float(value.detach().abs().max()), torch.finfo(value.dtype).tiny)
    gaps = [float((got - want).detach().abs().max()) / scale for _, got, want in trials]
    worst = max(range(len(gaps)), key=gaps.__getitem__)
    holds = gaps[worst] <= tolerance
    return Symmetry(holds, gaps[worst], None if holds else trials[worst][0].tolist())
