r"""Products of gradients of two sets of samples, without writing the gradients down.

For gradients :math:`\sum_s g_{is}a_{is}^\top` the product of two samples is

.. math:: \sum_{s,t} \langle a_{is}, a_{jt}\rangle\,\langle g^o_{is}, g^p_{jt}\rangle,

at one place simply :math:`(AA^\top)_{ij}(GG^\top)_{ij}`. At many places it is either this sum or
the product of gradients written out a few rows of the weight at a time, whichever costs fewer
operations.

:source: Novak, Sohl-Dickstein and Schoenholz (2022), "Fast finite width neural tangent kernel".
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

import torch
from torch import Tensor

from corollary.theory.kernels.empirical.layers import Factors, Head, Outer, Spread, Tokens
from corollary.theory.kernels.symmetric import add_gram, mirror

Places = Outer | Tokens  # gradients that are sums over places
Mode = Literal["full", "diagonal", "trace"]
ENTRIES = 2**21  # of a block that is worked on at once
ROWS = 256  # of a block of a symmetric matrix


class Products:
    """The sum over layers of products of gradients: (c, n, c, m), (c, n, m) or (n, m).

    In full the factors of all outputs come together; otherwise they may come in turns.
    """

    def __init__(self, mode: Mode, c: int, n: int, m: int, like: Tensor, *, symmetric: bool):
        self.mode, self.c, self.symmetric = mode, c, symmetric
        shape = {"full": (c, n, c, m), "diagonal": (c, n, m), "trace": (n, m)}[mode]
        self.k = torch.zeros(shape, dtype=like.dtype, device=like.device)
        self.inputs: dict[int, Tensor] = {}  # of layers with one place: products of what they see
        self.waiting: dict[int, list[tuple[Places, Places]]] = {}

    @property
    def _triangle(self) -> bool:
        """Whether entries below the diagonal are left to the end."""
        return self.symmetric and self.mode == "trace"

    def add(self, layer: int, outputs: slice, x: Factors, y: Factors) -> None:
        """One layer, for some of the outputs."""
        if isinstance(x, Head) or isinstance(y, Head):
            assert isinstance(x, Head) and isinstance(y, Head)  # one layer has one form
            self._unit_gram(outputs, self._inputs(layer, x.a, y.a, bias=x.bias))
        elif isinstance(x, Outer) and isinstance(y, Outer):
            self._add_outer(layer, outputs, x, y)
        elif isinstance(x, Tokens) and isinstance(y, Tokens):
            self.waiting.setdefault(layer, []).append((x, y))
        else:
            self._contract(outputs, x, y)

    def _add_outer(self, layer: int, outputs: slice, x: Outer, y: Outer) -> None:
        if x.a.shape[1] == y.a.shape[1] == 1:
            aa = self._inputs(layer, x.a[:, 0], y.a[:, 0], bias=x.bias)
            self._gram(outputs, x.g[:, :, 0], y.g[:, :, 0], aa)
        elif self._pairs_cost_less(x, y):
            self.waiting.setdefault(layer, []).append((x, y))
        else:
            self._contract(outputs, x, y)

    def result(self) -> Tensor:
        """(n, m, c, c), (n, m, c) or (n, m)."""
        for parts in self.waiting.values():
            x = _all_outputs([x for x, _ in parts])
            y = x if parts[0][0] is parts[0][1] else _all_outputs([y for _, y in parts])
            self._contract(slice(0, self.c), *_as_outer(x, y))
        self.waiting.clear()
        if self.symmetric:
            self._mirror()
        if self.mode == "full":
            return self.k.permute(1, 3, 0, 2)
        return self.k.permute(1, 2, 0) if self.mode == "diagonal" else self.k

    def _contract(self, outputs: slice, x: Spread, y: Spread) -> None:
        if not (isinstance(x, Outer) and isinstance(y, Outer)):
            self._gram(outputs, x.explicit(), y.explicit(), None)
            return
        if self._pairs_cost_less(x, y):
            self._pairs(x, y)
        else:
            self._written_out(outputs, x, y)
        if x.bias:
            self._gram(outputs, x.g.sum(2), y.g.sum(2), None)

    def _inputs(self, layer: int, x: Tensor, y: Tensor, *, bias: bool) -> Tensor:
        """X yᵀ of a layer, the same for all outputs."""
        if layer not in self.inputs:
            aa = _traced(x[None], y[None], symmetric=self._triangle)
            self.inputs[layer] = aa + 1 if bias else aa
        return self.inputs[layer]

    def _unit_gram(self, outputs: slice, scale: Tensor) -> None:
        """The same as :meth:`_gram` where x and y of an output are its unit vector."""
        if self.mode == "trace":
            self.k.add_(scale, alpha=outputs.stop - outputs.start)
            return
        k = self.k.diagonal(dim1=0, dim2=2).permute(2, 0, 1) if self.mode == "full" else self.k
        k[outputs] += scale

    def _gram(self, outputs: slice, x: Tensor, y: Tensor, scale: Tensor | None) -> None:
        """Add x yᵀ over the last axis of (c, n, p), times ``scale`` (n, m)."""
        if self.mode == "full":
            for o in range(len(x)):
                first = o if self.symmetric else 0
                block = x[o] @ y[first:].flatten(0, 1).T
                block = block.unflatten(1, (-1, y.shape[1]))  # (n, c, m)
                target = self.k[o, :, first:]
                _add(target, block, None if scale is None else scale[:, None])
            return
        if self.mode == "trace":
            _add(self.k, _traced(x, y, symmetric=self._triangle), scale)
            return
        for rows in self._rows(x.shape[1]):
            cols = slice(rows.start if self.symmetric else 0, None)
            part = None if scale is None else scale[rows, cols]
            _add(self.k[outputs, rows, cols], x[:, rows] @ y[:, cols].mT, part)

    def _rows(self, n: int) -> list[slice]:
        step = min(ROWS, -(-n // 2)) if self.symmetric and n >= ROWS // 2 else n
        return [slice(i, min(i + step, n)) for i in range(0, n, step)]

    def _written_out(self, outputs: slice, x: Outer, y: Outer) -> None:
        """Gradients of a few rows of the weight at a time, outputs of a sample side by side."""
        (c, n, _, _), m = x.g.shape, y.g.shape[1]
        full = self.mode == "full"
        total = x.g.new_zeros(n * c, m * c) if full else self.k
        for jx, jy in _blocks_of_gradients(x, y, summed=self.mode == "trace"):
            if self.mode == "diagonal":
                total[outputs].baddbmm_(jx.transpose(0, 1), jy.transpose(0, 1).mT)
            elif x is y:
                add_gram(total, jx.flatten(0, 1))
            else:
                total.addmm_(jx.flatten(0, 1), jy.flatten(0, 1).T)
        if full:
            if x is y:
                mirror(total)
            self.k += total.view(n, c, m, c).permute(1, 0, 3, 2)

    def _pairs(self, x: Outer, y: Outer) -> None:
        """The double sum over places, a few samples at a time, for all outputs."""
        s, t, m = x.a.shape[1], y.a.shape[1], y.a.shape[0]
        step = max(1, ENTRIES // (s * m * t))
        for i in range(0, len(x.a), step):
            rows = slice(i, min(i + step, len(x.a)))
            first = i if self.symmetric and self.mode != "full" else 0
            a = y.a[first:]
            aa = (x.a[rows].flatten(0, 1) @ a.flatten(0, 1).T).view(-1, s, len(a), t)
            if self.mode == "trace":
                left, right = x.g[:, rows].flatten(1, 2), y.g[:, first:].flatten(1, 2)
                gg = _traced(left, right, symmetric=False)
                self.k[rows, first:] += _summed(gg.view_as(aa).mul_(aa))
                continue
            for o in range(len(x.g)):
                left = x.g[o, rows].flatten(0, 1)
                for p in range(o if self.symmetric else 0, len(y.g)):
                    if self.mode == "full" or o == p:
                        gg = (left @ y.g[p, first:].flatten(0, 1).T).view_as(aa).mul_(aa)
                        k = self.k[o, :, p] if self.mode == "full" else self.k[o]
                        k[rows, first:] += _summed(gg)

    def _pairs_cost_less(self, x: Outer, y: Outer) -> bool:
        """Multiplications of the double sum against those of the gradients written out."""
        (n, s, a), (m, t, _) = x.a.shape, y.a.shape
        c, g = self.c, x.g.shape[3]
        kernels = c * c if self.mode == "full" else c
        pieces = kernels if self.mode != "trace" else 1  # multiplied and summed entry by entry
        pairs = n * s * m * t * (a + kernels * g + 16 * pieces)
        sides = n * s if x is y else n * s + m * t
        return pairs < c * sides * a * g + n * m * kernels * a * g

    def _mirror(self) -> None:
        """Below the diagonal stands what is above it."""
        if self.mode == "full":
            for o in range(len(self.k)):
                mirror(self.k[o, :, o])
                for p in range(o):
                    self.k[o, :, p] = self.k[p, :, o].T
        else:
            mirror(self.k)


def _add(target: Tensor, block: Tensor, scale: Tensor | None) -> None:
    if scale is None:
        target += block
    else:
        target.addcmul_(block, scale)


def _traced(x: Tensor, y: Tensor, *, symmetric: bool) -> Tensor:
    """The sum over outputs of x yᵀ, for (c, n, p) and (c, m, p); one triangle if symmetric."""
    total = x.new_zeros(x.shape[1], y.shape[1])
    for left, right in zip(x, y, strict=True):
        if symmetric:
            add_gram(total, left)
        else:
            total.addmm_(left, right.T)
    return total


def _summed(pairs: Tensor) -> Tensor:
    return pairs.sum(3).sum(1)


def _blocks_of_gradients(x: Outer, y: Outer, *, summed: bool) -> Iterator[tuple[Tensor, Tensor]]:
    """(n, c, p) and (m, c, p) for a few rows of the weight; (n, 1, p) where outputs are summed."""
    gx, gy = (_side_by_side(f.g, summed=summed) for f in (x, y))
    outputs, wide = gx.shape[1:3]
    step = max(1, 2 * ENTRIES // (outputs * len(x.a) * x.a.shape[2]))
    for i in range(0, wide, step):
        jx = _explicit(x.a, gx[:, :, i : i + step])
        yield jx, jx if x is y else _explicit(y.a, gy[:, :, i : i + step])


def _side_by_side(g: Tensor, *, summed: bool) -> Tensor:
    """(n, c, g, s) from (c, n, s, g); with outputs as more rows of one weight where summed."""
    c, n, s, wide = g.shape
    return g.permute(1, 0, 3, 2).reshape((n, 1, c * wide, s) if summed else (n, c, wide, s))


def _explicit(a: Tensor, g: Tensor) -> Tensor:
    """(n, c, g a) from (n, s, a) and (n, c, g, s)."""
    n, c = g.shape[:2]
    return (g.flatten(1, 2) @ a).view(n, c, -1)


def _all_outputs(parts: list[Places]) -> Places:
    """Factors that came in turns, as one."""
    return replace(parts[0], g=torch.cat([part.g for part in parts])) if parts[1:] else parts[0]


def _as_outer(x: Places, y: Places) -> tuple[Outer, Outer]:
    if isinstance(x, Outer) and isinstance(y, Outer):
        return x, y
    assert isinstance(x, Tokens) and isinstance(y, Tokens)  # one layer has one form
    if x is y:
        once = x.outer()
        return once, once
    return _together(x, y)


def _together(x: Tokens, y: Tokens) -> tuple[Outer, Outer]:
    """Unit vectors of two sets of tokens, numbered alike."""
    seen, ids = torch.cat([x.ids.flatten(), y.ids.flatten()]).unique(return_inverse=True)
    ones = torch.nn.functional.one_hot(ids, len(seen)).to(x.g.dtype)
    first, second = ones[: x.ids.numel()], ones[x.ids.numel() :]
    return (
        Outer(first.view(*x.ids.shape, -1), x.g),
        Outer(second.view(*y.ids.shape, -1), y.g),
    )
