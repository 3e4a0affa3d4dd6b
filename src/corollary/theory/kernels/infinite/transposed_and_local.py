r"""Convolutions of two more kinds: transposed, and without shared weights.

*Transposed*: the input is spread out, :math:`r - 1` zeros after each position, then convolved; the
map is that of ``torch.nn.ConvTranspose2d`` with fan-in :math:`C k_h k_w`. Its output padding makes
the convolution see more zeros at the end.

*Local*: each output position has weights and biases of its own, so different positions are
uncorrelated: :math:`K'(s, s') = 0` for :math:`s \ne s'`, and as for a convolution otherwise. After
Flatten the two are the same, under pooling they are not.

:source: Novak et al. (2019), "Bayesian deep convolutional networks with many channels are Gaussian
    processes", Section 3 (locally connected networks); Dumoulin and Visin (2016), "A guide to
    convolution arithmetic for deep learning", Section 4 (transposed convolution).
"""

from dataclasses import dataclass, fields

import torch
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.kernels.infinite.convolution import Conv
from corollary.theory.kernels.infinite.state import State


@dataclass(frozen=True)
class ConvLocal(Conv):
    """A locally connected layer: a convolution whose weights are not shared among positions."""

    def __call__(self, state: State) -> State:
        """The convolution, at equal positions only."""
        axes = state.axes

        def apart(t: Tensor, lead: int, copies: int) -> Tensor:
            if copies == 1:
                return t
            count = t.shape[lead : lead + axes].numel()
            keep = torch.eye(count, dtype=t.dtype, device=t.device)
            return t * keep.reshape(t.shape[lead:])

        return super().__call__(state).positional(apart)


@dataclass(frozen=True)
class ConvTranspose(Conv):
    """A transposed convolution; ``padding`` as in PyTorch, which takes it off both ends."""

    padding: tuple[int, ...] = (0, 0)
    output_padding: tuple[int, ...] | None = None  # 0 by default

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mode != "zeros" or set(self.dilations) != {1}:
            raise InputError("ConvTranspose supports only dilation 1 and zero padding")
        if not isinstance(self.padding, tuple) or len(self.padding) != len(self.kernel):
            raise InputError(
                f"padding needs one number for each of {len(self.kernel)} axes, got "
                f"{self.padding!r}"
            )
        if any(not 0 <= p < k for p, k in zip(self.padding, self.kernel, strict=True)):
            raise InputError(
                "padding must lie between 0 and the window size minus one (window "
                f"{self.kernel}), got {self.padding}"
            )

    def __call__(self, state: State) -> State:
        """Zeros between positions, then a convolution of stride one."""
        if state.axes != len(self.kernel):
            return super().__call__(state)  # which names what is wrong

        def spread(t: Tensor, lead: int, copies: int) -> Tensor:
            for copy in range(copies):
                for axis, step in enumerate(self.strides):
                    t = _spread_out(t, lead + copy * state.axes + axis, step)
            return t

        return self._plain()(state.positional(spread))

    def _plain(self) -> Conv:
        given = {f.name: getattr(self, f.name) for f in fields(Conv)}
        more = self.output_padding or (0,) * len(self.kernel)
        ends = zip(self.kernel, self.padding, more, strict=True)
        zeros = tuple((k - 1 - p, k - 1 - p + o) for k, p, o in ends)
        return Conv(**given | {"stride": None, "padding": zeros})


def _spread_out(t: Tensor, axis: int, step: int) -> Tensor:
    """``step - 1`` zeros between the entries of an axis."""
    if step == 1:
        return t
    shape = list(t.shape)
    shape[axis] = (shape[axis] - 1) * step + 1
    out = t.new_zeros(shape)
    index = [slice(None)] * t.ndim
    index[axis] = slice(None, None, step)
    out[tuple(index)] = t
    return out
