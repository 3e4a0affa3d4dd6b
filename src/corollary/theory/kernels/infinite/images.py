"""Convolutional chains on images: convolutions and rectifiers, then flatten or global pooling.

Recognised when every convolution keeps the size (stride 1, odd windows, zero padding). What follows
the gathering layer is run by the general rules on the gathered covariances.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from corollary.theory.compiled import Backend, compiled
from corollary.theory.kernels.infinite.activations import Rectifier
from corollary.theory.kernels.infinite.angle import angle_polynomial
from corollary.theory.kernels.infinite.convolution import Conv
from corollary.theory.kernels.infinite.image_kernel import image_chain
from corollary.theory.kernels.infinite.layers import Flatten, GlobalAvgPool, plain
from corollary.theory.kernels.infinite.network import Kernels, Network
from corollary.theory.kernels.infinite.state import State
from corollary.theory.kernels.infinite.steps import Step, rows, run
from corollary.theory.kernels.infinite.windows import joint_window_mean

Loop = Callable[..., Any]  # the compiled :func:`image_chain`
WORTH_IT = 2_000_000  # pairs of inputs times positions from which compilation pays


@dataclass(frozen=True)
class ImageChain:
    """Convolutions, each with its rectifier or None; how positions are gathered; what follows."""

    layers: tuple[tuple[Conv, Rectifier | None], ...]
    pooled: bool
    rest: tuple[Step, ...]


def as_image_chain(net: Network, x: Tensor) -> ImageChain | None:
    """The network as such a chain, or None if it is anything else."""
    if x.ndim != 4 or x.device.type != "cpu":
        return None
    layers: list[tuple[Conv, Rectifier | None]] = []
    for k, step in enumerate(net.steps):
        layer = step.layer
        if step.inputs != (k,):
            return None
        if type(layer) is Conv and _keeps_size(layer):
            layers.append((layer, None))
        elif isinstance(layer, Rectifier) and layers and layers[-1][1] is None and layer.scale > 0:
            layers[-1] = (layers[-1][0], layer)
        elif isinstance(layer, Flatten | GlobalAvgPool) and layers:
            pooled = isinstance(layer, GlobalAvgPool)
            if pooled and net.plan.self_full:  # variances after pooling need all pairs
                return None
            rest = tuple(
                Step(s.layer, tuple(i - k - 1 for i in s.inputs), s.path)
                for s in net.steps[k + 1 :]
            )
            return ImageChain(tuple(layers), pooled, rest)
        else:
            return None
    return None


def _keeps_size(conv: Conv) -> bool:
    odd = len(conv.kernel) == 2 and conv.kernel[0] == conv.kernel[1] and conv.kernel[0] % 2 == 1
    reach = conv.kernel[0] // 2
    same = all(pad == (reach, reach) for pad in conv.paddings) and conv.mode == "zeros"
    return odd and same and set(conv.strides) == {1} and set(conv.dilations) == {1}


@dataclass(frozen=True)
class ImageSide:
    """Bordered pixels, and standard deviations after each convolution."""

    pixels: Tensor  # (n, channels, bordered positions)
    r: Tensor  # (layers, n, bordered positions)
    inverse: Tensor
    last: Tensor  # (n,) mean variance at the end


class ImageBlocks:
    """Blocks of an image chain, in float64 inside."""

    def __init__(
        self, chain: ImageChain, net: Network, x: Tensor, y: Tensor, *, ntk: bool, kernel: Loop
    ) -> None:
        self.chain, self.dtype, self.ntk, self.kernel = chain, x.dtype, ntk, kernel
        self.reach = np.array([conv.kernel[0] // 2 for conv, _ in chain.layers])
        self.border = int(self.reach.max())
        self.left = self._side(x, net)
        self.right = self.left if y is x else self._side(y, net)
        h, w = rows(x[:1], net.channels).shape[1:3]
        self.shape = (self.border, h, w + 2 * self.border)
        inside = torch.nn.functional.pad(torch.ones(h, w, dtype=torch.float64), [self.border] * 4)
        self.mask = inside.flatten().numpy()
        self.rules = np.array([conv.rule() for conv, _ in chain.layers])
        bends = [(0.0, 0.0) if a is None else (a.bend, a.scale) for _, a in chain.layers]
        self.bends = np.array(bends)
        self.side = (1, 64) if chain.pooled else (4, 64)  # few rows: a sharper half if symmetric

    def block(
        self, rows: slice, cols: slice, out: Kernels | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """One block in the dtype of the inputs, written into ``out`` if that is given."""
        a, b = self._cut(self.left, rows), self._cut(self.right, cols)
        k, t = np.empty((len(a[0]), len(b[0]))), np.empty((len(a[0]), len(b[0])))
        layers = self.shape, self.reach, self.rules, self.bends
        angles = angle_polynomial("float64")
        flat = not self.chain.pooled
        self.kernel(a[0], b[0], flat, *layers, *a[1:], *b[1:], self.mask, *angles, k, t)
        q1, q2 = self.left.last[rows], self.right.last[cols]
        tangent = torch.from_numpy(t) if self.ntk else None
        state = State(
            torch.from_numpy(k),
            tangent,
            q1,
            q2,
            axes=0,
            full=False,
            self_full=False,
            alike=self.chain.pooled,
            same=rows.start - cols.start if self.left is self.right else None,
        )
        if self.chain.rest:
            state = run(self.chain.rest, state)
        return placed(state, rows, cols, out, self.dtype)

    def _cut(self, side: ImageSide, part: slice) -> list[np.ndarray]:
        tables = (side.r[:, part].contiguous(), side.inverse[:, part].contiguous())
        return [side.pixels[part].numpy(), *(t.numpy() for t in tables)]

    def _side(self, x: Tensor, net: Network) -> ImageSide:
        """Carry the variances of every image through the chain."""
        pixels = rows(x, net.channels).movedim(-1, 1)
        q, found = (pixels**2).mean(1), []
        for conv, rectifier in self.chain.layers:
            for axis in (1, 2):
                reach = conv.kernel[0] // 2
                q = joint_window_mean(q, (axis,), conv.kernel[0], padding=(reach, reach))
            q = plain(conv.sigma_w) ** 2 * q + plain(conv.sigma_b) ** 2
            found.append(self._bordered(q.sqrt()))
            q = q if rectifier is None else rectifier.variance(q)
        r = torch.stack(found)
        inverse = torch.where(r > 0, 1 / r, 0.0)
        return ImageSide(self._bordered(pixels).contiguous(), r, inverse, q.mean((1, 2)))

    def _bordered(self, t: Tensor) -> Tensor:
        return torch.nn.functional.pad(t, [self.border] * 4).flatten(-2)


def placed(
    state: State, rows: slice, cols: slice, out: Kernels | None, dtype: torch.dtype
) -> tuple[Tensor, Tensor | None]:
    """Both kernels of a block in their dtype, written into the matrices ``out`` if given."""
    nngp = state.nngp.to(dtype)
    ntk = None if state.ntk is None else state.ntk.to(dtype)
    if out is not None:
        out.nngp[rows, cols] = nngp
        if out.ntk is not None and ntk is not None:
            out.ntk[rows, cols] = ntk
    return nngp, ntk


def image_blocks(
    net: Network, x: Tensor, y: Tensor, *, ntk: bool, backend: Backend
) -> ImageBlocks | None:
    """Blocks by compiled loops, where the network and the sizes allow it."""
    chain = as_image_chain(net, x)
    if chain is None:
        return None
    places = x.shape[2] * x.shape[3] if net.channels == "first" else x.shape[1] * x.shape[2]
    work = len(x) * len(y) * places ** (2 if chain.pooled else 1)
    kernel = compiled(image_chain, backend, worth_it=work >= WORTH_IT)
    return None if kernel is None else ImageBlocks(chain, net, x, y, ntk=ntk, kernel=kernel)
