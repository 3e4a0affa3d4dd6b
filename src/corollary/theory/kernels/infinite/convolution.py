r"""Convolution of any kernel size, stride, dilation and padding, in one or two dimensions.

With independent weights of variance :math:`\sigma_w^2/(\text{fan-in})` only equal offsets of the
two windows are correlated, so the covariance is averaged along the diagonal of offsets:

.. math:: K'(s, s') = \frac{\sigma_w^2}{|A|} \sum_{a \in A} K(s + a, s' + a) + \sigma_b^2 .

Separable: one axis after the other costs :math:`k_h + k_w` additions in place of :math:`k_hk_w`.

:source: Novak et al. (2019), "Bayesian deep convolutional networks with many channels are Gaussian
    processes", Section 2; Arora et al. (2019), "On exact computation with an infinitely wide
    neural net", Section 4.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from torch import Tensor

from corollary.errors import InputError
from corollary.theory.compiled import compiled
from corollary.theory.kernels.infinite.layers import Dense, plain
from corollary.theory.kernels.infinite.state import State
from corollary.theory.kernels.infinite.window_kernel import convolve, convolved
from corollary.theory.kernels.infinite.windows import Amounts, both_ends, joint_window_mean

WORTH_IT = 20_000  # entries from which a compiled loop pays for its call


@dataclass(frozen=True)
class Conv(Dense):
    """A convolution; ``fan_in`` counts channels times window for the standard parametrisation."""

    kernel: tuple[int, ...] = (3, 3)
    stride: tuple[int, ...] | None = None  # 1 by default
    padding: Amounts | Literal["same", "valid"] = "same"
    dilation: tuple[int, ...] | None = None
    mode: str = "zeros"

    def __call__(self, state: State) -> State:
        """Average over offsets, then the dense rule."""
        if state.axes != len(self.kernel):
            raise InputError(
                f"a convolution over {len(self.kernel)} axes follows a layer with "
                f"{state.axes} axes; inputs have shape (n, channels, "
                f"{', '.join('hw'[: len(self.kernel)])})"
            )
        kernel = self._compiled(state)
        if kernel is None or state.ntk is None:
            return self.affine(state.positional(partial(self._average, state.axes)))
        k, t = convolved(
            kernel,
            state.nngp,
            state.ntk,
            state.axes,
            1 + state.full,
            self._geometry(state.nngp.shape[state.lead :]),
            self.rule(),
        )
        q1 = self._own(state.q1, state)
        q2 = q1 if state.q2 is state.q1 else self._own(state.q2, state)
        return replace(state, nngp=k, ntk=t, q1=q1, q2=q2, alike=True)

    def _own(self, q: Tensor | None, state: State) -> Tensor | None:
        """Covariances of each input with itself: there are few of them."""
        if q is None:
            return None
        mean = self._average(state.axes, q, 1, 1 + state.self_full)
        return self.sigma_w**2 * mean + self.sigma_b**2

    def _average(self, axes: int, t: Tensor, lead: int, copies: int) -> Tensor:
        """The mean over equal offsets, one axis after the other."""
        for axis, size in enumerate(self.kernel):
            t = joint_window_mean(
                t,
                tuple(lead + copy * axes + axis for copy in range(copies)),
                size,
                stride=self.strides[axis],
                dilation=self.dilations[axis],
                padding=self.paddings[axis],
                mode=self.mode,
            )
        return t

    def _compiled(self, state: State) -> Callable[..., Any] | None:
        """The loop to use, or None for the torch path."""
        k = state.nngp
        plain = self.mode == "zeros" and state.ntk is not None and state.axes <= 2
        if not plain or state.paired or k.requires_grad or k.device.type != "cpu":
            return None
        return compiled(convolve, state.backend, worth_it=k.numel() >= WORTH_IT)

    def rule(self) -> tuple[float, float, float, float]:
        """Numbers of the dense rule: what multiplies and is added to both means."""
        w2, b2 = plain(self.sigma_w) ** 2, plain(self.sigma_b) ** 2
        if self.parametrization == "ntk":
            return w2, b2, w2, b2
        return w2, b2, float(self.fan_in), float(self.bias)

    def _geometry(self, sizes: Sequence[int]) -> list[list[int]]:
        """Size, window, stride, dilation, padding, output size of h and w (h may be trivial)."""
        rows = []
        for axis, n in enumerate(sizes[: len(self.kernel)]):
            k, s, d = self.kernel[axis], self.strides[axis], self.dilations[axis]
            low, high = self.paddings[axis]
            reach = d * (k - 1) + 1
            if n + low + high < reach:
                raise InputError(f"a window of {reach} positions does not fit into {n}")
            rows.append([n, k, s, d, low, (n + low + high - reach) // s + 1])
        return [[1, 1, 1, 1, 0, 1]] * (2 - len(rows)) + rows

    @property
    def strides(self) -> tuple[int, ...]:
        """One stride an axis."""
        return self.stride or (1,) * len(self.kernel)

    @property
    def dilations(self) -> tuple[int, ...]:
        """One dilation an axis."""
        return self.dilation or (1,) * len(self.kernel)

    @property
    def paddings(self) -> tuple[tuple[int, int], ...]:
        """Both ends of each axis; ``same`` puts the odd one at the end, as PyTorch does."""
        if self.padding == "valid":
            return ((0, 0),) * len(self.kernel)
        if self.padding == "same":
            totals = [d * (k - 1) for k, d in zip(self.kernel, self.dilations, strict=True)]
            return tuple((total // 2, total - total // 2) for total in totals)
        if len(self.padding) != len(self.kernel):
            raise InputError(
                f"expected padding for {len(self.kernel)} axes, a number or a pair for each, got "
                f"{self.padding!r}"
            )
        return both_ends(self.padding)
