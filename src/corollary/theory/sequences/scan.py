r"""All states of a linear recurrence: one after the other, or in a tree.

.. math:: z_t=a_tz_{t-1}+b_t

A step is the affine map :math:`(a,b):z\mapsto az+b`. Two of them are one again,

.. math:: (a_2,b_2)\circ(a_1,b_1)=(a_2a_1,\ a_2b_1+b_2),

and the composition is associative. So the states are prefixes of a product, and a tree finds all
of them in logarithmic depth: with :math:`O(T\log T)` compositions after Hillis and Steele, or
:math:`O(T)` after Blelloch (here the odd-even form of it).

On one CPU core the sequential form is the fastest. Compiled by numba (extra ``fast``) it is a
pass over memory; in torch the loop runs over ``unbind``, because indexing by t makes autograd fill
a gradient of full length at each step, which is quadratic in T.

:source: Perez Jensen (2025), Deep Learning, Section 5.2; Blelloch (1990), "Prefix sums and their
    applications"; Hillis and Steele (1986), "Data parallel algorithms".
"""

from collections.abc import Callable
from typing import Literal

import torch
from jaxtyping import Inexact
from torch import Tensor

from corollary.errors import InputError, InputTypeError
from corollary.theory.compiled import Backend
from corollary.theory.sequences.scan_kernel import sequential

Method = Literal["sequential", "hillis_steele", "blelloch"]
Pair = tuple[Tensor, Tensor]
Compose = Callable[[Pair, Pair], Pair]


def compose(later: Pair, earlier: Pair) -> Pair:
    """The map ``earlier`` followed by ``later``, entry by entry.

    Example:
        >>> two, three = torch.tensor(2.0), torch.tensor(3.0)
        >>> compose((two, three), (three, two))  # 2 (3 z + 2) + 3
        (tensor(6.), tensor(7.))
    """
    (a2, b2), (a1, b1) = later, earlier
    return a2 * a1, a2 * b1 + b2


def linear_scan(
    a: Inexact[Tensor, "*B T d"],
    b: Inexact[Tensor, "*B T d"],
    z0: Inexact[Tensor, "*B d"] | None = None,
    *,
    method: Method = "sequential",
    backend: Backend = "auto",
) -> Inexact[Tensor, "*B T d"]:
    r"""The states :math:`z_1,\dots,z_T` of :math:`z_t=a_tz_{t-1}+b_t`, real or complex.

    Differentiable any number of times, forward and in reverse, and under ``torch.func.vmap``.

    Args:
        a: Factors; time is the last axis but one.
        b: Terms.
        z0: The state before the first; zero if it is not given.
        method: ``sequential`` takes T steps and O(T) work, ``hillis_steele`` :math:`\lceil\log_2
            T\rceil` steps and O(T log T) work, ``blelloch`` :math:`2\lceil\log_2T\rceil-1` steps
            and O(T) work. All need O(T) memory, Hillis and Steele O(T log T) for a gradient.
        backend: Of the sequential method: ``numba``, ``torch``, or whichever pays.

    Example:
        >>> a, b = torch.full((4, 1), 0.5), torch.ones(4, 1)
        >>> linear_scan(a, b).flatten().tolist()
        [1.0, 1.5, 1.75, 1.875]

    :covers: prefix-scan-recurrence
    :test: tests/theory/sequences/test_scan.py
    """
    _check(a, b)
    if method not in ("sequential", "hillis_steele", "blelloch"):
        raise InputError(f"method must be sequential, hillis_steele or blelloch, got '{method}'")
    if b.shape[-2] == 0:
        return b
    if z0 is not None:
        first = b[..., :1, :] + a[..., :1, :] * z0[..., None, :]
        b = torch.cat([first, b[..., 1:, :]], dim=-2)
    if method == "sequential":
        return sequential(a, b, backend=backend)
    return prefixes((a, b), method)[1]


def prefixes(
    pairs: Pair, method: Method, *, law: Compose = compose, counts: list[int] | None = None
) -> Pair:
    """All prefixes of a sequence of pairs under an associative law.

    Args:
        pairs: Two tensors with time as last axis but one.
        method: As in :func:`linear_scan`.
        law: ``law(later, earlier)``, entry by entry.
        counts: A list that gets, for each step in time, how many pairs it composes at once.

    Example:
        >>> counts = []
        >>> one = torch.ones(8, 1)
        >>> prefixes((one, one), "hillis_steele", counts=counts)[1].flatten().tolist()
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
        >>> counts  # three steps of up to 7 compositions
        [7, 6, 4]
    """
    tally = [] if counts is None else counts
    if method == "hillis_steele":
        return _doubling(pairs, law, tally)
    if method == "blelloch":
        return _odd_even(pairs, law, tally)
    return _one_by_one(pairs, law, tally)


def _doubling(pairs: Pair, law: Compose, counts: list[int]) -> Pair:
    """After k rounds each place holds the last 2^k maps up to it."""
    T, reach = pairs[0].shape[-2], 1
    while reach < T:
        later, earlier = _cut(pairs, reach, T), _cut(pairs, 0, T - reach)
        pairs = _joined([_cut(pairs, 0, reach), law(later, earlier)])
        counts.append(T - reach)
        reach *= 2
    return pairs


def _odd_even(pairs: Pair, law: Compose, counts: list[int]) -> Pair:
    """Join neighbours, find the prefixes of half as many maps, and fill in the places between."""
    T = pairs[0].shape[-2]
    if T == 1:
        return pairs
    even, odd = _every_second(pairs, 0), _every_second(pairs, 1)
    half = T // 2
    counts.append(half)
    odd = _odd_even(law(odd, _cut(even, 0, half)), law, counts)
    first, between = _cut(even, 0, 1), (T - 1) // 2
    if between:
        counts.append(between)
        filled = law(_cut(even, 1, between + 1), _cut(odd, 0, between))
        first = _joined([first, filled])
    return _interleaved(first, odd)


def _one_by_one(pairs: Pair, law: Compose, counts: list[int]) -> Pair:
    a, b = (part.unbind(-2) for part in pairs)
    out = [(a[0], b[0])]
    for step in zip(a[1:], b[1:], strict=True):
        out.append(law(step, out[-1]))
        counts.append(1)
    a, b = zip(*out, strict=True)
    return torch.stack(a, dim=-2), torch.stack(b, dim=-2)


def _cut(pairs: Pair, start: int, stop: int) -> Pair:
    return pairs[0][..., start:stop, :], pairs[1][..., start:stop, :]


def _every_second(pairs: Pair, start: int) -> Pair:
    return pairs[0][..., start::2, :], pairs[1][..., start::2, :]


def _joined(parts: list[Pair]) -> Pair:
    a, b = zip(*parts, strict=True)
    return torch.cat(a, dim=-2), torch.cat(b, dim=-2)


def _interleaved(even: Pair, odd: Pair) -> Pair:
    """Even places, odd places, alternating; there may be one even place more."""
    out = []
    for e, o in zip(even, odd, strict=True):
        n = o.shape[-2]
        woven = torch.stack([e[..., :n, :], o], dim=-2).flatten(-3, -2)
        out.append(torch.cat([woven, e[..., n:, :]], dim=-2))
    return out[0], out[1]


def _check(a: Tensor, b: Tensor) -> None:
    if a.shape != b.shape or a.dim() < 2:
        raise InputError(
            f"a and b must both have shape (..., T, d), got {tuple(a.shape)} and "
            f"{tuple(b.shape)}; expand the smaller one"
        )
    if a.dtype != b.dtype:
        raise InputTypeError(
            f"a and b must have the same dtype, got {a.dtype} and {b.dtype}; convert one with .to()"
        )
