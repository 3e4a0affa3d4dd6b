r"""Products of gradients of two sets of samples, without writing the gradients down.

For gradients :math:`\sum_s g_{is}a_{is}^\top` the product of two samples is

.. math:: \sum_{s,t} \langle a_{is}, a_{jt}\rangle\,\langle g^o_{is}, g^p_{jt}\rangle,

at one place simply :math:`(AA^\top)_{ij}(GG^\top)_{ij}`. At many places it is either this sum or
the product of gradients written out a few rows of the weight at a time, whichever costs fewer
operations.

:source: Novak, Sohl-Dickstein and Schoenholz (2022), "Fast finite width neural tangent kernel".
"""

from typing import Literal

import torch
from torch import Tensor

from corollary.theory.kernels.empirical.layers import Explicit, Factors, Outer, Tokens

Mode = Literal["full", "diagonal", "trace"]
ENTRIES = 2**21  # of a block that is worked on at once
ROWS = 256  # of a block of a symmetric matrix


class Products:
    """The sum over layers of products of gradients: (c, n, c, m), (c, n, m) or (n, m)."""

    def __init__(self, mode: Mode, c: int, n: int, m: int, like: Tensor, *, symmetric: bool):
        self.mode, self.symmetric = mode, symmetric
        shape = {"full": (c, n, c, m), "diagonal": (c, n, m), "trace": (n, m)}[mode]
        self.k = torch.zeros(shape, dtype=like.dtype, device=like.device)

    @classmethod
    def like(cls, mode: Mode, x: Factors, y: Factors, *, symmetric: bool) -> "Products":
        """Zeros of the size that these factors give."""
        g, h = (f.j if isinstance(f, Explicit) else f.g for f in (x, y))
        return cls(mode, len(g), g.shape[1], h.shape[1], g, symmetric=symmetric)

    def add(self, x: Factors, y: Factors) -> None:
        """One layer more."""
        x, y = (f.outer() if isinstance(f, Tokens) and x is y else f for f in (x, y))
        if isinstance(x, Tokens) and isinstance(y, Tokens):
            x, y = _together(x, y)
        if not (isinstance(x, Outer) and isinstance(y, Outer)):
            self._gram(x.explicit(), y.explicit(), None)
        elif x.a.shape[1] == 1 and y.a.shape[1] == 1:
            aa = x.a[:, 0] @ y.a[:, 0].T
            self._gram(x.g[:, :, 0], y.g[:, :, 0], aa + 1 if x.bias else aa)
        else:
            (self._pairs if _pairs_cost_less(x, y, self.mode) else self._written_out)(x, y)
            if x.bias:
                self._gram(x.g.sum(2), y.g.sum(2), None)

    def result(self) -> Tensor:
        """(n, m, c, c), (n, m, c) or (n, m)."""
        k = self.k
        if self.symmetric:
            self._mirror()
        if self.mode == "full":
            return k.permute(1, 3, 0, 2)
        return k.permute(1, 2, 0) if self.mode == "diagonal" else k

    def _gram(self, x: Tensor, y: Tensor, scale: Tensor | None) -> None:
        """Add x yᵀ over the last axis of (c, n, p), times ``scale`` (n, m)."""
        if self.mode == "full":
            for o in range(len(x)):
                first = o if self.symmetric else 0
                block = x[o] @ y[first:].flatten(0, 1).T
                block = block.unflatten(1, (-1, y.shape[1]))  # (n, c, m)
                target = self.k[o, :, first:]
                _add(target, block, None if scale is None else scale[:, None])
            return
        for rows in self._rows(x.shape[1]):
            cols = slice(rows.start if self.symmetric else 0, None)
            part = None if scale is None else scale[rows, cols]
            if self.mode == "diagonal":
                _add(self.k[:, rows, cols], x[:, rows] @ y[:, cols].mT, part)
            else:
                _add(self.k[rows, cols], _traced(x[:, rows], y[:, cols]), part)

    def _rows(self, n: int) -> list[slice]:
        step = min(ROWS, -(-n // 2)) if self.symmetric and n >= ROWS // 2 else n
        return [slice(i, min(i + step, n)) for i in range(0, n, step)]

    def _written_out(self, x: Outer, y: Outer) -> None:
        """Gradients of a few rows of the weight at a time, outputs of a sample side by side."""
        (c, n, _, wide), m = x.g.shape, y.g.shape[1]
        shape = {"full": (n * c, m * c), "diagonal": (c, n, m), "trace": (n, m)}[self.mode]
        total = x.g.new_zeros(shape)
        step = max(1, ENTRIES * 4 // (c * n * x.a.shape[2]))
        for i in range(0, wide, step):
            jx = _explicit(x.a, x.g[..., i : i + step])  # (n, c, p)
            jy = jx if x is y else _explicit(y.a, y.g[..., i : i + step])
            if self.mode == "diagonal":
                total.baddbmm_(jx.transpose(0, 1), jy.transpose(0, 1).mT)
            elif self.mode == "trace":
                _add_product(total, jx.flatten(1), jy.flatten(1), symmetric=x is y)
            else:
                _add_product(total, jx.flatten(0, 1), jy.flatten(0, 1), symmetric=x is y)
        if x is y and self.mode != "diagonal":
            total = total.triu_() + total.triu(1).T
        full = self.mode == "full"
        self.k += total.view(n, c, m, c).permute(1, 0, 3, 2) if full else total

    def _pairs(self, x: Outer, y: Outer) -> None:
        """The double sum over places, a few samples at a time."""
        s, t, m = x.a.shape[1], y.a.shape[1], y.a.shape[0]
        step = max(1, ENTRIES // (s * m * t))
        for i in range(0, len(x.a), step):
            rows = slice(i, min(i + step, len(x.a)))
            first = i if self.symmetric and self.mode != "full" else 0
            a = y.a[first:]
            aa = (x.a[rows].flatten(0, 1) @ a.flatten(0, 1).T).view(-1, s, len(a), t)
            if self.mode == "trace":
                gg = _traced(x.g[:, rows].flatten(1, 2), y.g[:, first:].flatten(1, 2))
                self.k[rows, first:] += _summed(gg.view_as(aa).mul_(aa))
                continue
            for o in range(len(x.g)):
                left = x.g[o, rows].flatten(0, 1)
                for p in range(o if self.symmetric else 0, len(y.g)):
                    if self.mode == "full" or o == p:
                        gg = (left @ y.g[p, first:].flatten(0, 1).T).view_as(aa).mul_(aa)
                        k = self.k[o, :, p] if self.mode == "full" else self.k[o]
                        k[rows, first:] += _summed(gg)

    def _mirror(self) -> None:
        """Below the diagonal stands what is above it."""
        if self.mode == "full":
            for o in range(len(self.k)):
                for p in range(o):
                    self.k[o, :, p] = self.k[p, :, o].T
            return
        for rows in self._rows(self.k.shape[-1]):
            self.k[..., rows.stop :, rows] = self.k[..., rows, rows.stop :].mT


def _add(target: Tensor, block: Tensor, scale: Tensor | None) -> None:
    if scale is None:
        target += block
    else:
        target.addcmul_(block, scale)


def _traced(x: Tensor, y: Tensor) -> Tensor:
    """The sum over outputs of x yᵀ, for (c, n, p) and (c, m, p)."""
    total = x[0] @ y[0].T
    for o in range(1, len(x)):
        total.addmm_(x[o], y[o].T)
    return total


def _summed(pairs: Tensor) -> Tensor:
    return pairs.sum(3).sum(1)


def _explicit(a: Tensor, g: Tensor) -> Tensor:
    """(n, c, g a) from (n, s, a) and (c, n, s, g)."""
    c, n, s, wide = g.shape
    return (g.permute(1, 0, 3, 2).reshape(n, c * wide, s) @ a).view(n, c, -1)


def _add_product(total: Tensor, x: Tensor, y: Tensor, *, symmetric: bool) -> None:
    """Add x yᵀ; of a symmetric one a staircase that contains what is above the diagonal."""
    step = max(ROWS // 2, -(-len(x) // 4)) if symmetric else len(x)
    for i in range(0, len(x), step):
        first = i if symmetric else 0
        total[i : i + step, first:].addmm_(x[i : i + step], y[first:].T)


def _pairs_cost_less(x: Outer, y: Outer, mode: Mode) -> bool:
    """Multiplications of the double sum against those of the gradients written out."""
    (n, s, a), (m, t, _) = x.a.shape, y.a.shape
    c, g = len(x.g), x.g.shape[3]
    kernels = c * c if mode == "full" else c
    pieces = kernels if mode != "trace" else 1  # each is multiplied and summed entry by entry
    pairs = n * s * m * t * (a + kernels * g + 16 * pieces)
    sides = n * s if x is y else n * s + m * t
    return pairs < c * sides * a * g + n * m * kernels * a * g


def _together(x: Tokens, y: Tokens) -> tuple[Outer, Outer]:
    """Unit vectors of two sets of tokens, numbered alike."""
    seen, ids = torch.cat([x.ids.flatten(), y.ids.flatten()]).unique(return_inverse=True)
    ones = torch.nn.functional.one_hot(ids, len(seen)).to(x.g.dtype)
    first, second = ones[: x.ids.numel()], ones[x.ids.numel() :]
    return (
        Outer(first.view(*x.ids.shape, -1), x.g),
        Outer(second.view(*y.ids.shape, -1), y.g),
    )
