r"""Dense layers and rectifiers one after the other, recursed on :math:`u = 1 - \cos`.

Lengths are known for every input alone: :math:`r_i^2 = \sigma_w^2 r_i^2 + \sigma_b^2` after a dense
layer, :math:`s\,r_i^2` after a rectifier. What is left for a pair is :math:`u` and the tangent
kernel over the lengths, :math:`t = \Theta/(r_ir_j)`:

* rectifier of bend w: :math:`u' = u + \frac w\pi(\theta\cos\theta - \sin\theta)`,
  :math:`t' = t\,(1 - w\theta/\pi)`;
* dense layer, with :math:`a_i = \sigma_w r_i/r'_i` and :math:`b_i = \sigma_b/r'_i` on the unit
  circle: :math:`u' = a_ia_ju + \frac12\bigl((a_i-a_j)^2 + (b_i-b_j)^2\bigr)` and
  :math:`t' = a_ia_jt + g_ig_j(1-u) + e_ie_j`, where g and e are what new weights and biases add.

No step subtracts nearly equal numbers, so float32 keeps 1e-6 even for near-duplicates, provided
:math:`u` is right at the start. There the Gram matrix has lost digits when u is small, so such
pairs are done again: by distances of the normalised inputs, or by a Gram matrix in float64 where
there are many. Near-opposite inputs are treated alike, through :math:`2 - u` (see
:mod:`.chain_kernel`).
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.compiled import Backend, compiled
from corollary.theory.kernels.infinite.activations import Rectifier
from corollary.theory.kernels.infinite.angle import angle_polynomial
from corollary.theory.kernels.infinite.chain_kernel import (
    ACUTE,
    DENSE,
    PLAIN,
    RECTIFIER,
    SCALE,
    TINY,
    chain_tail,
    cosines,
    gaps,
    signed,
    torch_tail,
)
from corollary.theory.kernels.infinite.exact import fine_gaps, lengths, near_gaps
from corollary.theory.kernels.infinite.layers import Dense, Flatten, Scale, plain
from corollary.theory.kernels.infinite.network import Kernels, Network
from corollary.theory.kernels.symmetric import add_gram, mirror

SMALL = {torch.float32: 0.05, torch.float64: 1e-3}  # gaps below which a Gram matrix has lost digits
MANY = 0.03  # share of small gaps from which the whole block is done again
WORTH_IT = 250_000  # pairs from which compilation (some seconds, once per machine) pays


@dataclass(frozen=True)
class Chain:
    """The layers, in order."""

    layers: tuple[Dense | Rectifier | Scale, ...]


def as_chain(net: Network, x: Tensor) -> Chain | None:
    """The network as a chain, or None if it is anything else."""
    layers: list[Dense | Rectifier | Scale] = []
    for k, step in enumerate(net.steps):
        layer = step.layer
        if step.inputs != (k,):
            return None
        if isinstance(layer, Flatten) and (x.ndim == 2 or k == 0):
            continue
        if x.ndim > 2 and not layers and not isinstance(net.steps[0].layer, Flatten):
            return None
        if type(layer) is Dense or isinstance(layer, Rectifier | Scale):
            layers.append(layer)
        else:
            return None
    supported = x.device.type == "cpu" and x.dtype in SMALL
    return Chain(tuple(layers)) if supported else None


@dataclass(frozen=True)
class Side:
    """What the chain needs of each input of one side."""

    rows: Tensor  # (n, d), as given
    inverse: Tensor  # (n,) one over the length of the input; 0 for a zero input
    tables: Tensor  # (dense layers, 4, n): a, b, g, e
    length: Tensor  # (n,) standard deviation of the output


def side(chain: Chain, x: Tensor) -> Side:
    """Carry the lengths through the chain, in float64."""
    rows = x.reshape(len(x), -1)
    norm = lengths(rows)
    inverse = torch.where(norm == 0, 0.0, 1 / norm)
    r = norm / rows.shape[1] ** 0.5
    tables = []
    for layer in chain.layers:
        if isinstance(layer, Dense):
            after = (plain(layer.sigma_w) ** 2 * r**2 + plain(layer.sigma_b) ** 2).sqrt()
            over = torch.where(after == 0, 0.0, 1 / after)
            a, b = plain(layer.sigma_w) * r * over, plain(layer.sigma_b) * over
            a = torch.where(after == 0, torch.ones_like(a), a)
            tables.append(torch.stack([a, b, *_added(layer, a, b, r, over)]))
            r = after
        else:
            r = r * (layer.scale**0.5 if isinstance(layer, Rectifier) else abs(layer.factor))
    table = torch.stack(tables) if tables else rows.new_zeros(0, 4, len(x)).double()
    return Side(rows, inverse.to(x), table.to(x).contiguous(), r.to(x))


def _added(layer: Dense, a: Tensor, b: Tensor, r: Tensor, over: Tensor) -> tuple[Tensor, Tensor]:
    if layer.parametrization == "ntk":
        return a, b
    return layer.fan_in**0.5 * r * over, over if layer.bias else torch.zeros_like(over)


class ChainBlocks:
    """Blocks of a chain, in the dtype of the inputs."""

    def __init__(
        self, chain: Chain, x: Tensor, y: Tensor, *, ntk: bool, backend: Backend, memory: int
    ) -> None:
        self.left = side(chain, x)
        self.right = self.left if y is x else side(chain, y)
        self.ntk = ntk
        big = len(x) * len(y) >= WORTH_IT
        self.gaps = compiled(gaps, backend, worth_it=big)
        self.tail = compiled(chain_tail, backend, worth_it=big, contract=True)
        self.codes, self.bends = program(chain)
        self.multiplied = False  # whether inner products stand in the output already
        self.side = panel(len(x), len(y), x.element_size(), memory)

    def multiply(self, out: Tensor) -> None:
        """All inner products of one set of inputs, at once, where ``out`` has room for them."""
        if self.left is self.right and out.is_contiguous() and self.left.rows.is_contiguous():
            add_gram(out.zero_(), self.left.rows)
            self.multiplied = True

    def block(
        self, rows: slice, cols: slice, out: Kernels | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """One block of both kernels, written into the matrices ``out`` if these are given."""
        n, m = rows.stop - rows.start, cols.stop - cols.start
        new = self.left.rows.new_empty
        nngp, at = (new(n, m), [0, 0]) if out is None else (out.nngp, [rows.start, cols.start])
        if out is None or out.ntk is None:
            ntk, at = new(n, m), [*at, 0, 0]  # scratch where the tangent kernel is not wanted
        else:
            ntk, at = out.ntk, [*at, rows.start, cols.start]
        self._gaps(nngp, at, rows, cols)
        self._tail(nngp, ntk, at, rows, cols)
        return nngp, ntk if self.ntk else None

    def _tail(self, nngp: Tensor, ntk: Tensor, at: list[int], rows: slice, cols: slice) -> None:
        (a, r1), (b, r2) = (
            (s.tables[:, :, part].contiguous(), s.length[part])
            for s, part in ((self.left, rows), (self.right, cols))
        )
        if self.tail is not None:
            dtype = nngp.numpy().dtype
            arrays = [v.numpy() for v in (a, b, r1, r2)]
            polynomial = angle_polynomial(dtype.name)
            layers = (self.codes, self.bends.astype(dtype), *polynomial, constants(dtype.name))
            self.tail(nngp.numpy(), ntk.numpy(), np.array(at), *arrays, *layers)
            return
        u = nngp[at[0] : at[0] + len(r1), at[1] : at[1] + len(r2)]
        t = ntk[at[2] : at[2] + len(r1), at[3] : at[3] + len(r2)]
        torch_tail(u, t, a, b, self.codes, self.bends, SMALL[u.dtype])
        u.copy_(cosines(u)).mul_(r1[:, None]).mul_(r2)
        t.mul_(r1[:, None]).mul_(r2)

    def _gaps(self, nngp: Tensor, at: list[int], rows: slice, cols: slice) -> None:
        """1 - cos of the inputs, with the small ones done again."""
        x, y = self.left.rows[rows], self.right.rows[cols]
        i1, i2 = self.left.inverse[rows], self.right.inverse[cols]
        u = nngp[at[0] : at[0] + len(x), at[1] : at[1] + len(y)]
        if not self.multiplied:
            torch.mm(x, y.T, out=u)
        elif rows.start == cols.start:
            mirror(u[:, : len(x)])
        small = SMALL[u.dtype]
        if self.gaps is not None:
            numbers = constants(u.numpy().dtype.name)
            count = self.gaps(
                nngp.numpy(), at[0], at[1], len(x), len(y), i1.numpy(), i2.numpy(), numbers
            )
        else:
            cosine = u.mul_(i1[:, None]).mul_(i2).clamp_(-1, 1)
            u.copy_(signed(torch.where(cosine < 0, 1 + cosine, 1 - cosine), cosine >= 0))
            count = int((u.abs() < small).sum())
        if self.left is self.right:
            count -= self._clear_diagonal(u, rows, cols)
        if count > MANY * u.numel() and u.dtype == torch.float32:
            u.copy_(fine_gaps(x, y))
        elif count:
            near_gaps(u, x, y, small)

    def _clear_diagonal(self, u: Tensor, rows: slice, cols: slice) -> int:
        """An input is at no angle to itself; how many entries of the block that settles."""
        low, high = max(rows.start, cols.start), min(rows.stop, cols.stop)
        if low >= high:
            return 0
        u.diagonal(rows.start - cols.start)[: high - low] = 0
        return int((self.left.inverse[low:high] > 0).sum())


TALL, WIDE = 256, 2048  # a panel: tall enough for products, short enough for a symmetric half


def panel(n: int, m: int, size: int, memory: int) -> tuple[int, int]:
    """Rows and columns of a block of which four copies fit into ``memory`` bytes."""
    if not (n >= 0 and m >= 0 and size > 0 and memory >= 0):
        raise InputError(f"sizes and memory must be numbers >= 0, got {(n, m, size, memory)}")
    wide = min(m, WIDE)
    tall = max(1, min(n, TALL, memory // (4 * size * wide)))
    return tall, wide


def program(chain: Chain) -> tuple[np.ndarray, np.ndarray]:
    """The chain as codes of :mod:`.chain_kernel` and bends.

    After a rectifier of bend 1 (a ReLU) all cosines are nonnegative, and biases keep them so.
    """
    codes, bends, acute = [], [], False
    for layer in chain.layers:
        bends.append(layer.bend if isinstance(layer, Rectifier) else 0.0)
        if isinstance(layer, Dense):
            bare = layer.parametrization == "ntk" and plain(layer.sigma_b) == 0
            codes.append(PLAIN if bare and plain(layer.sigma_w) > 0 else DENSE)
        elif isinstance(layer, Rectifier):
            codes.append(ACUTE if acute else RECTIFIER)
            acute = layer.bend == 1.0 or (acute and layer.bend < 1)
        else:
            codes.append(SCALE)
    return np.array(codes, dtype=np.int64), np.array(bends)


def constants(dtype: str) -> np.ndarray:
    """Numbers of the kernel's own dtype, so that float32 is not widened inside of it."""
    kind = torch.float32 if dtype == "float32" else torch.float64
    return np.array([0, 0.5, 1, 2, np.pi, 1 / np.pi, SMALL[kind], TINY], dtype=dtype)
