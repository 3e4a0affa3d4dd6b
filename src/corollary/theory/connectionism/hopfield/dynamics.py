r"""Hopfield's dynamics, one neuron at a time or all at once.

Asynchronous: the neurons are visited in an order, each takes the sign of its field,

.. math:: X_i \leftarrow \operatorname{sgn}(h_i), \quad h_i = \sum_j w_{ij} X_j - b_i,
    \quad \operatorname{sgn}(0) = +1 .

For symmetric :math:`W` with a zero diagonal a flip changes the energy by :math:`-2|h_i| \le 0`
(equal to zero only when a tie lifts a neuron to +1, once per neuron between descents), so a fixed
point is reached after finitely many flips. Synchronous: every neuron at once; this may end in a
cycle of two states.

:func:`asynchronous_run` keeps the fields: a visit costs one comparison and only a flip costs
:math:`O(n)`, so a run is linear in the flips and not in the visits. The compiled kernel does this
state by state; the torch path takes the batch through blocks of neurons, one matrix product a
block with corrections inside it, and from flip to flip once these are few. Both visit the neurons
in the same order and end in the same states; the sums are exact, ties included, when couplings and
thresholds are whole numbers.

:source: Perez Jensen (2025), Deep Learning, Section 1.4; Hopfield (1982), "Neural networks and
    physical systems with emergent collective computational abilities".
:covers: hopfield-update-dynamics
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.compiled import Backend, compiled
from corollary.theory.connectionism.hopfield.energy import field
from corollary.theory.connectionism.hopfield.states import (
    checked_couplings,
    checked_signs,
    sign,
)
from corollary.theory.prerequisites.wellformed import check_finite

BLOCK = 32  # neurons a matrix product; the corrections inside cost n * BLOCK / 2 a state
FEW = 24  # unstable neurons a state up to which the torch path follows flips, not neurons
WORTH_COMPILING = 64  # neurons; below, torch takes milliseconds


class AsynchronousRun(NamedTuple):
    """States before and after, sweep by sweep."""

    states: Float[Tensor, "batch n"]  # where the runs ended
    energies: Float[Tensor, "sweeps_and_start batch"]  # at the start and after each sweep
    flips: Int[Tensor, "sweeps batch"]  # how many neurons changed in each sweep
    converged: Bool[Tensor, " batch"]  # whether the end is a fixed point


class SynchronousRun(NamedTuple):
    """Where repeated simultaneous updates led."""

    states: Float[Tensor, "batch n"]  # after the last step
    period: Int[Tensor, " batch"]  # 1 a fixed point, 2 a cycle of two, 0 neither within the steps
    steps: int  # how many were made


class Flip(NamedTuple):
    """One neuron that changed."""

    neuron: int
    field: float  # what it felt
    state: Float[Tensor, " n"]  # the state after it


def sweep_orders(n: int, sweeps: int, *, rng: Generator) -> Int[Tensor, "sweeps n"]:
    """A new random order of the neurons for each sweep.

    Example:
        >>> orders = sweep_orders(5, 2, rng=torch.Generator().manual_seed(0))
        >>> orders.sort(dim=1).values.tolist()
        [[0, 1, 2, 3, 4], [0, 1, 2, 3, 4]]
    """
    return torch.rand(sweeps, n, generator=rng, device=rng.device).argsort(1)


def flip_sequence(
    W: Float[Tensor, "n n"],
    b: Float[Tensor, " n"],
    x: Float[Tensor, " n"],
    order: Int[Tensor, "..."] | None = None,
    max_sweeps: int = 100,
) -> Iterator[Flip]:
    r"""The flips of one run from one state, by the definition: :math:`O(n)` a *visit*.

    Ends at the first sweep without a flip or after ``max_sweeps``. For asymmetric :math:`W` there
    may be no such sweep.

    Example:
        >>> W = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
        >>> [f.neuron for f in flip_sequence(W, torch.zeros(2), torch.tensor([1.0, -1.0]))]
        [0]
    """
    W, b = checked_couplings(W, b)
    x = checked_signs(x, W.shape[0]).clone()
    for visits in visiting_orders(order, W.shape[0], max_sweeps):
        quiet = True
        for i in visits.tolist():
            h = float(W[i] @ x - b[i])
            if (h >= 0) != bool(x[i] > 0):
                x[i], quiet = -x[i], False
                yield Flip(i, h, x.clone())
        if quiet:
            return


def asynchronous_run(
    W: Float[Tensor, "n n"],
    b: Float[Tensor, " n"] | None,
    X: Float[Tensor, "batch n"],
    order: Int[Tensor, "..."] | None = None,
    max_sweeps: int = 100,
    *,
    symmetric: bool = False,
    backend: Backend = "auto",
) -> AsynchronousRun:
    r"""Run every state of the batch until it is a fixed point, or for ``max_sweeps`` sweeps.

    Costs :math:`O(n^2)` a state for the first fields and :math:`O(n)` a flip.

    Args:
        W: Couplings; any square matrix, also one without an energy.
        b: Thresholds, zero when ``None``.
        X: States, one per row.
        order: The order of the visits: indices ``(n,)`` for all sweeps or ``(sweeps, n)``.
        max_sweeps: Where to stop what does not converge.
        symmetric: ``W`` is known to be symmetric and finite: saves its tests and a transposed copy.
        backend: ``auto``, ``numba`` or ``torch``.

    Example:
        >>> W = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
        >>> run = asynchronous_run(W, None, torch.tensor([[1.0, -1.0]]))
        >>> run.states.tolist(), run.energies.flatten().tolist()
        ([[-1.0, -1.0]], [1.0, -1.0])
    """
    W, b = (W, b) if symmetric and b is not None else checked_couplings(W, b)
    check_finite("W", W)
    check_finite("b", b)
    n = W.shape[0]
    X = checked_signs(X, n, "the batch of states").to(W)
    if X.ndim != 2:
        raise InputError(f"X needs one state per row, got shape {tuple(X.shape)}")
    orders = visiting_orders(order, n, max_sweeps)
    worth_it = W.device.type == "cpu" and n >= WORTH_COMPILING
    kernel = compiled(_kept_fields, backend, worth_it=worth_it)
    if kernel is None:
        return _all_together(W, b, X, orders, symmetric)
    return _by_kernel(kernel, W, b, X, orders, symmetric)


def synchronous_run(
    fields: Callable[[Tensor], Tensor], X: Float[Tensor, "batch n"], max_steps: int = 100
) -> SynchronousRun:
    r"""Update all neurons at once, until every state repeats itself after one or two steps.

    Args:
        fields: The map :math:`X \mapsto h`, dense or of low rank.
        X: States, one per row.
        max_steps: Where to stop what does neither.

    Example:
        >>> W = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
        >>> run = synchronous_run(lambda X: X @ W.T, torch.tensor([[1.0, -1.0], [1.0, 1.0]]))
        >>> run.period.tolist()
        [2, 1]
    """
    if max_steps < 1:
        raise InputError(f"max_steps must be at least 1, got {max_steps}")
    before, now, steps = None, checked_signs(X, name="the batch of states"), 0
    period = torch.zeros(len(X), dtype=torch.int64, device=X.device)
    while steps < max_steps and not bool((period > 0).all()):
        after = sign(fields(now))
        fixed = (after == now).all(-1)
        back = torch.zeros_like(fixed) if before is None else (after == before).all(-1)
        period = torch.where(fixed, 1, torch.where(back, 2, 0))
        before, now, steps = now, after, steps + 1
    return SynchronousRun(now, period, steps)


def visiting_orders(
    order: Int[Tensor, "..."] | None, n: int, max_sweeps: int
) -> Int[Tensor, "sweeps n"]:
    """The order of the visits in each sweep: 0 to n-1, the same for all, or one for each.

    Example:
        >>> visiting_orders(torch.tensor([1, 0]), 2, 3).tolist()
        [[1, 0], [1, 0], [1, 0]]
    """
    if max_sweeps < 1:
        raise InputError(f"max_sweeps must be at least 1, got {max_sweeps}")
    if order is None:
        return torch.arange(n).expand(max_sweeps, n)
    rows = order[None] if order.ndim == 1 else order
    whole = rows.ndim == 2 and rows.shape[1] == n and not order.is_floating_point()
    if not whole or not bool((rows.sort(1).values == torch.arange(n, device=rows.device)).all()):
        raise InputError(
            f"order must list each of the {n} neurons once per sweep, with shape ({n},) or "
            f"(sweeps, {n}), got shape {tuple(order.shape)}"
        )
    return rows.expand(max_sweeps, n) if len(rows) == 1 else rows[:max_sweeps]


def _by_kernel(
    kernel: Callable[..., Any], W: Tensor, b: Tensor, X: Tensor, orders: Tensor, symmetric: bool
) -> AsynchronousRun:
    columns = W if symmetric else W.mT  # row i holds what neuron i does to the others
    h = field(W, b, X)
    states = X.clone()
    energies = _energy(X, h, b).repeat(len(orders) + 1, 1)
    flips = torch.zeros(len(orders), len(X), dtype=torch.int64)
    arrays = (columns.contiguous(), states, h, orders.contiguous(), energies, flips)
    last = kernel(*(array.numpy() for array in arrays))
    return AsynchronousRun(states, energies[: last + 1], flips[:last], _fixed(states, h))


def _kept_fields(
    columns: np.ndarray,
    states: np.ndarray,
    h: np.ndarray,
    orders: np.ndarray,
    energies: np.ndarray,
    flips: np.ndarray,
) -> int:
    """Each state to its fixed point; returns how many sweeps the longest run took."""
    sweeps, n = orders.shape
    longest = 0
    for k in range(states.shape[0]):
        x, f = states[k], h[k]
        level = energies[0, k]
        t = 0
        while t < sweeps:
            wrong = 0
            for j in range(n):
                wrong += (f[j] >= 0) != (x[j] > 0)
            if wrong == 0:
                break
            count = 0
            for v in range(n):
                i = orders[t, v]
                if (f[i] >= 0) != (x[i] > 0):
                    level -= 2 * abs(f[i])
                    change = -2 * x[i]
                    x[i] = -x[i]
                    count += 1
                    row = columns[i]
                    for j in range(n):
                        f[j] += change * row[j]
            t += 1
            flips[t - 1, k] = count
            energies[t:, k] = level
        longest = max(longest, t)
    return longest


def _all_together(
    W: Tensor, b: Tensor, X: Tensor, orders: Tensor, symmetric: bool
) -> AsynchronousRun:
    """The same runs, all states together; those that came to rest are left out."""
    states, h = X.clone(), field(W, b, X)
    energies, flips = [_energy(X, h, b)], []
    for visits in orders.to(W.device):
        active = (~_fixed(states, h)).nonzero().squeeze(1)
        if not len(active):
            break
        wrong = ((h[active] >= 0) != (states[active] > 0)).sum(1)
        if int(wrong.amax()) <= FEW:
            columns = W if symmetric else W.mT
            moved, count = _sweep_by_flips(columns, states[active], h[active], visits)
        else:
            moved, count = _sweep_by_blocks(W, b, states[active], visits)
        states[active] = moved
        h[active] = field(W, b, moved)
        energies.append(_energy(states, h, b))
        flips.append(torch.zeros_like(states[:, 0], dtype=torch.int64))
        flips[-1][active] = count
    made = torch.stack(flips) if flips else torch.zeros(0, len(X), dtype=torch.int64)
    return AsynchronousRun(states, torch.stack(energies), made.to(X.device), _fixed(states, h))


def _sweep_by_flips(
    columns: Tensor, X: Float[Tensor, "batch n"], h: Tensor, visits: Int[Tensor, " n"]
) -> tuple[Float[Tensor, "batch n"], Int[Tensor, " batch"]]:
    """One sweep in which every state goes straight to its next flip; how many there were."""
    order = torch.arange(len(visits), device=X.device)
    cursor, count = visits.new_zeros(len(X), 1), visits.new_zeros(len(X))
    while True:
        wrong = ((h >= 0) != (X > 0))[:, visits] & (order >= cursor)  # in the order of the visits
        rows = wrong.any(1).nonzero().squeeze(1)
        if not len(rows):
            return X, count
        at = wrong[rows].to(torch.uint8).argmax(1)  # the first of the largest
        i = visits[at]
        X[rows, i] = -X[rows, i]
        h[rows] += 2 * X[rows, i, None] * columns[i]
        cursor[rows, 0] = at + 1
        count[rows] += 1


def _sweep_by_blocks(
    W: Tensor, b: Tensor, X: Float[Tensor, "batch n"], visits: Int[Tensor, " n"]
) -> tuple[Float[Tensor, "batch n"], Int[Tensor, " batch"]]:
    """One sweep over all neurons, a block at a time; how many flips each state made."""
    S = X.mT.contiguous()  # (n, batch): a neuron is a row
    count = torch.zeros_like(S[0])
    for block in visits.split(BLOCK):
        rows, old = W[block], S[block]
        h = rows @ S - b[block, None]  # as long as nothing in the block has changed
        if bool(((h >= 0) == (old > 0)).all()):
            continue
        later = rows[:, block].tril(-1).unbind(1)  # what row r does to the rows after it
        changes = []
        for felt, up, down, onto in zip(h, 1 - old, -1 - old, later, strict=True):
            changes.append(torch.where(felt >= 0, up, down))  # read after the corrections so far
            h.addr_(onto, changes[-1])
        change = torch.stack(changes)
        count += change.abs().sum(0) / 2
        S[block] = old + change
    return S.mT.contiguous(), count.to(torch.int64)


def _energy(X: Tensor, h: Tensor, b: Tensor) -> Tensor:
    """The energy of states whose fields are known: half of ``b X - X h``."""
    return 0.5 * (X @ b - (X * h).sum(-1))


def _fixed(X: Tensor, h: Tensor) -> Tensor:
    return ((h >= 0) == (X > 0)).all(-1)
