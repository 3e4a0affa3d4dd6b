r"""Layers as maps of covariances: dense, pooling, flatten, layer norm.

With :math:`K` and :math:`\Theta` before a dense layer of standard deviations
:math:`\sigma_w, \sigma_b`, both parametrisations have :math:`K' = \sigma_w^2K + \sigma_b^2`, and

.. math:: \Theta' = \sigma_w^2\,\Theta + K' \;\text{(NTK)}, \qquad
          \Theta' = \sigma_w^2\,\Theta + n\,K + 1 \;\text{(standard)},

n the fan-in: in the standard parametrisation a gradient step moves weights that are
:math:`\sqrt n` times smaller by as much, so its kernel grows with the width.

:source: Lucchi (2025), Foundations of Deep Learning, Section 7.3; Jacot, Gabriel and Hongler
    (2018), "Neural tangent kernel", Theorem 1; Sohl-Dickstein, Novak, Schoenholz and Lee (2020),
    "On the infinite width limit of neural networks with a standard parameterization".
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from torch import Tensor

from corollary.errors import InputError
from corollary.theory.kernels.infinite.state import State, same_position

Parametrization = Literal["ntk", "standard"]
Number = float | Tensor  # a tensor of no axes where derivatives are wanted


def plain(value: Number) -> float:
    """A standard deviation as a number."""
    return float(value.detach()) if isinstance(value, Tensor) else float(value)


@dataclass(frozen=True)
class Layer(ABC):
    """A map of states. The flags say what it needs from, and does to, what stands before it."""

    mixes: ClassVar[bool] = False  # averages over positions: needs the full layout
    nonlinear: ClassVar[bool] = False  # needs variances, and Gaussian inputs
    pointwise: ClassVar[bool] = False  # of one unit at a time: needs units of one law
    random: ClassVar[bool] = False  # has weights of its own, drawn with mean zero
    gathers: ClassVar[bool] = False  # leaves no positions
    own_graphs: ClassVar[bool] = False  # reads a graph that comes with each input
    drops: ClassVar[bool] = False  # multiplies units by a random mask

    @abstractmethod
    def __call__(self, state: State) -> State:
        """Covariances after the layer."""


@dataclass(frozen=True)
class Dense(Layer):
    """A linear layer at every position; ``sigma`` may be tensors, for derivatives."""

    random = True
    sigma_w: Number = 1.0
    sigma_b: Number = 0.0
    parametrization: Parametrization = "ntk"
    fan_in: int = 0  # needed by the standard parametrisation only
    bias: bool = True  # whether a bias is trained, for the standard parametrisation

    def __post_init__(self) -> None:
        if self.parametrization not in ("ntk", "standard"):
            raise InputError(
                f"parametrization must be ntk or standard, got '{self.parametrization}'"
            )
        if self.parametrization == "standard" and not self.fan_in:
            raise InputError(
                "the standard parametrisation needs fan_in=<inputs of the layer>, because "
                "the tangent kernel grows with fan_in"
            )
        for name in ("sigma_w", "sigma_b"):
            value = plain(getattr(self, name))
            if not 0 <= value < float("inf"):
                raise InputError(f"{name} must be finite and at least 0, got {value}")

    def __call__(self, state: State) -> State:
        """K' and Theta' as above."""
        return self.affine(state)

    def affine(self, state: State) -> State:
        """The rule of the module, on whatever positions there are."""
        w2, b2 = self.sigma_w**2, self.sigma_b**2
        nngp = w2 * state.nngp + b2
        q1, q2 = (None if q is None else w2 * q + b2 for q in (state.q1, state.q2))
        ntk = state.ntk
        if ntk is not None:
            new = nngp if self.parametrization == "ntk" else self._standard(state.nngp)
            ntk = w2 * ntk + new
        return replace(state, nngp=nngp, ntk=ntk, q1=q1, q2=q2, alike=True)

    def _standard(self, before: Tensor) -> Tensor:
        return self.fan_in * before + (1.0 if self.bias else 0.0)


@dataclass(frozen=True)
class Scale(Layer):
    """Multiplication by a constant."""

    factor: float = 1.0

    def __call__(self, state: State) -> State:
        """Every covariance gets the square."""
        return state.positional(lambda t, lead, copies: self.factor**2 * t)


@dataclass(frozen=True)
class Flatten(Layer):
    """Positions become channels: covariances are averaged over equal positions."""

    gathers = True

    def __call__(self, state: State) -> State:
        """The mean of K(s, s)."""

        def trace(t: Tensor, lead: int, copies: int) -> Tensor:
            t = t if copies == 1 else same_position(t, lead, state.axes)
            return t.flatten(lead).mean(lead) if state.axes else t

        alike = state.alike and state.axes == 0
        state = state.positional(trace)
        return replace(state, axes=0, full=False, self_full=False, alike=alike)


@dataclass(frozen=True)
class GlobalAvgPool(Layer):
    """The mean over all positions: covariances are averaged over all pairs of them."""

    mixes = True
    gathers = True

    def __call__(self, state: State) -> State:
        """The mean of K(s, s')."""
        if state.axes == 0:
            return state
        state = keep_variances(state)
        pooled = state.positional(lambda t, lead, copies: t.flatten(lead).mean(lead))
        return replace(pooled, axes=0, full=False, self_full=False)


@dataclass(frozen=True)
class AvgPool(Layer):
    """Means over windows; positions of the two inputs are averaged independently."""

    mixes = True
    kernel: tuple[int, ...] = (2, 2)
    stride: tuple[int, ...] | None = None  # the kernel's own size by default
    padding: tuple[int, ...] | None = None
    count_padding: bool = True  # whether padded zeros count in the mean

    def __call__(self, state: State) -> State:
        """Window means along every position axis."""
        from corollary.theory.kernels.infinite.windows import window_mean

        if state.axes != len(self.kernel):
            raise InputError(
                f"AvgPool over {len(self.kernel)} axes follows a layer with {state.axes} axes"
            )
        stride, padding = self.stride or self.kernel, self.padding or (0,) * len(self.kernel)

        def pool(t: Tensor, lead: int, copies: int) -> Tensor:
            for axis, size in enumerate(self.kernel):
                for copy in range(copies):
                    where = lead + copy * state.axes + axis
                    t = window_mean(t, where, size, stride[axis], padding[axis], self.count_padding)
            return t

        return keep_variances(state).positional(pool)


@dataclass(frozen=True)
class LayerNorm(Layer):
    """Division by the standard deviation over channels, position by position.

    Its input has mean zero over channels in the limit, so nothing is left to subtract.
    """

    nonlinear = True
    eps: float = 1e-5

    def __call__(self, state: State) -> State:
        """Covariances become correlations, up to eps."""
        v1, v2 = state.variances()
        root = ((v1 + self.eps) * (v2 + self.eps)).sqrt()
        ntk = None if state.ntk is None else state.ntk / root
        own = [self._own(q, state) for q in state.own()]
        return replace(state, nngp=state.nngp / root, ntk=ntk, q1=own[0], q2=own[1])

    def _own(self, q: Tensor, state: State) -> Tensor:
        if not state.self_full:
            return q / (q + self.eps)
        v = same_position(q, 1, state.axes)
        wide = replace(state, nngp=q, q1=v, q2=v, paired=True, full=True, self_full=False)
        v1, v2 = wide.variances()
        return q / ((v1 + self.eps) * (v2 + self.eps)).sqrt()


def keep_variances(state: State) -> State:
    """Drop variances that cannot pass a pooling layer; the plan keeps them where needed."""
    if state.self_full or state.q1 is None:
        return state
    return replace(state, q1=None, q2=None)
