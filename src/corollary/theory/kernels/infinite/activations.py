r"""Gaussian expectations of activations in closed form.

For :math:`(z, z')` normal with variances :math:`q_1, q_2` and covariance c, each activation gives

.. math:: F = E[\phi(z)\phi(z')], \qquad \dot F = E[\phi'(z)\phi'(z')] = \partial F/\partial c,

the second equality by Price's theorem. Any other activation: :mod:`.series`.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 57; Cho and Saul (2009), "Kernel
    methods for deep learning" (rectifiers); Williams (1997), "Computing with infinite networks"
    (erf). The form for GELU follows from Stein's identity as derived at :class:`Gelu`.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.compiled import compiled
from corollary.theory.kernels.infinite.angle import arc_terms
from corollary.theory.kernels.infinite.layers import Layer
from corollary.theory.kernels.infinite.rectifier_kernel import rectified, rectify
from corollary.theory.kernels.infinite.state import State, self_variances

WORTH_IT = 20_000  # entries from which a compiled loop pays for its call


@dataclass(frozen=True)
class Activation(Layer):
    """A function of one number, applied to every unit."""

    nonlinear = True
    pointwise = True

    @abstractmethod
    def function(self, z: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """The activation itself."""

    @abstractmethod
    def dual(self, q1: Tensor, q2: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        """F and its derivative in c; arguments broadcast."""

    @abstractmethod
    def variance(self, q: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """F at equal arguments: the second moment of the activation at variance q."""

    def __call__(self, state: State) -> State:
        """Covariances of the activated units."""
        f, slope = self.dual(*state.variances(), state.nngp)
        ntk = None if state.ntk is None else state.ntk * slope
        q1, q2 = self._own(state)
        return replace(state, nngp=f, ntk=ntk, q1=q1, q2=q2)

    def _own(self, state: State) -> tuple[Tensor, Tensor]:
        def of(q: Tensor) -> Tensor:
            if not state.self_full:
                return self.variance(q)
            return self.dual(*self_variances(q, state.axes), q)[0]

        first, second = state.own()
        q1 = of(first)
        return q1, q1 if second is first else of(second)


@dataclass(frozen=True)
class Rectifier(Activation):
    r"""Slope a below zero, b above: :math:`\phi(z) = a\min(z, 0) + b\max(z, 0)`.

    With :math:`\cos\theta = c/\sqrt{q_1q_2}`, :math:`s = (a^2+b^2)/2`, :math:`w = (a-b)^2/(2s)`:

    .. math:: F = s\sqrt{q_1q_2}\,\bigl(wJ + (1-w)\cos\theta\bigr), \quad
              \dot F = s\,(1 - w\theta/\pi), \quad
              J = \tfrac1\pi\bigl(\sin\theta + (\pi-\theta)\cos\theta\bigr).

    Example:
        >>> one = torch.ones((), dtype=torch.float64)
        >>> f, slope = Relu().dual(one, one, one)
        >>> f.item(), slope.item()
        (0.5, 0.5)
    """

    a: float = 0.0
    b: float = 1.0

    @property
    def scale(self) -> float:
        """The factor s by which variances shrink."""
        return (self.a**2 + self.b**2) / 2

    @property
    def bend(self) -> float:
        """The weight w of the bent part: 0 for linear, 1 for ReLU, 2 for the absolute value."""
        return (self.a - self.b) ** 2 / (self.a**2 + self.b**2) if self.scale else 0.0

    def function(self, z: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """The two slopes."""
        return self.a * z.clamp(max=0) + self.b * z.clamp(min=0)

    def dual(self, q1: Tensor, q2: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        """Arc-cosine kernels of order 1 and 0."""
        (r1, i1), (r2, i2) = _root(q1), _root(q2)
        cosine = (c * (i1 * i2)).clamp(-1, 1)
        j, arc = arc_terms(cosine)
        w, s = self.bend, self.scale
        return s * (r1 * r2) * torch.lerp(cosine, j, w), (s * w) * arc + s * (1 - w)

    def __call__(self, state: State) -> State:
        """Compiled in place of the formulas where that is possible."""
        if state.paired or state.ntk is None or state.nngp.requires_grad or state.axes > 2:
            return super().__call__(state)
        here = state.backend if state.nngp.device.type == "cpu" else "torch"
        kernel = compiled(rectify, here, worth_it=state.nngp.numel() >= WORTH_IT, contract=True)
        if kernel is None:
            return super().__call__(state)
        f, slopes = rectified(kernel, state, state.ntk, self.bend, self.scale)
        q1, q2 = self._own(state)
        return replace(state, nngp=f, ntk=slopes, q1=q1, q2=q2)

    def variance(self, q: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """Homogeneous: proportional to q."""
        return self.scale * q


def _root(q: Tensor) -> tuple[Tensor, Tensor]:
    """The standard deviation and its inverse; both 0, with derivative 0, for a zero input."""
    some = ~(q <= 0)  # NaN stays NaN
    root = torch.where(some, q, torch.ones_like(q)).sqrt()
    return torch.where(some, root, 0.0), torch.where(some, 1 / root, 0.0)


def Relu() -> Rectifier:  # noqa: N802 - reads as a layer
    """``max(z, 0)``."""
    return Rectifier(0.0, 1.0)


def LeakyRelu(slope: float = 0.01) -> Rectifier:  # noqa: N802
    """``max(z, 0) + slope min(z, 0)``."""
    return Rectifier(slope, 1.0)


def Abs() -> Rectifier:  # noqa: N802
    """``|z|``."""
    return Rectifier(-1.0, 1.0)


def Identity() -> Rectifier:  # noqa: N802
    """``z``."""
    return Rectifier(1.0, 1.0)


def determinant(q1: Tensor, q2: Tensor, c: Tensor) -> Tensor:
    r""":math:`q_1q_2 - c^2 \ge 0`, and 0 where that is rounding of parallel inputs.

    The rounding error is :math:`\epsilon q_1q_2`, so at an angle :math:`\theta` the relative error
    is :math:`\epsilon/\theta^2`. Beside the variances, which are added to it, it matters only if
    these are large: parallel inputs with entries of 1e8 have variances of 1e16.
    """
    product = q1 * q2
    det = torch.addcmul(product, c, c, value=-1)
    noise = 16 * torch.finfo(c.dtype).eps
    return torch.where(det > noise * product, det, 0.0)


@dataclass(frozen=True)
class Erf(Activation):
    r"""The error function: :math:`F = \frac2\pi\arcsin\frac{2c}{\sqrt{(1+2q_1)(1+2q_2)}}`.

    Computed as :math:`\frac2\pi\arctan(c/\sqrt D)` and :math:`\dot F = 2/(\pi\sqrt D)`, where
    :math:`4D = (1+2q_1)(1+2q_2) - 4c^2`, so that :math:`D = (\frac18+\frac{q_1}2) +
    (\frac18+\frac{q_2}2) + (q_1q_2-c^2)` is a sum of positive terms.
    """

    def function(self, z: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """``erf(z)``."""
        return torch.erf(z)

    def dual(self, q1: Tensor, q2: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        """Williams (1997)."""
        d = (0.125 + q1 / 2) + (0.125 + q2 / 2) + determinant(q1, q2, c)
        inverse = d.rsqrt()
        return (2 / math.pi) * torch.atan(c * inverse), (2 / math.pi) * inverse

    def variance(self, q: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """F at c = q."""
        return (2 / math.pi) * torch.atan(2 * q * (1 + 4 * q).rsqrt())


@dataclass(frozen=True)
class Gelu(Activation):
    r"""The exact GELU :math:`z\Phi(z)`.

    With :math:`A = E[\Phi\Phi'] = \frac14 + \frac1{2\pi}\arcsin\frac{c}{\sqrt{(1+q_1)(1+q_2)}}`,
    :math:`D = (1+q_1)(1+q_2) - c^2`, :math:`B = E[\varphi\varphi'] = 1/(2\pi\sqrt D)` and
    :math:`e = \frac1{1+q_1} + \frac1{1+q_2}`, Stein's identity applied twice gives

    .. math:: F = cA + B\,(q_1q_2 - c^2 + e c^2), \qquad \dot F = A + cB\,(e + 1/D).

    As for :class:`Erf`, :math:`D = 1 + q_1 + q_2 + (q_1q_2 - c^2)`, and the arcsine is
    :math:`\arctan(c/\sqrt D)`.
    """

    def function(self, z: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """``z Φ(z)``."""
        return torch.nn.functional.gelu(z)

    def dual(self, q1: Tensor, q2: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        """The formulas above."""
        det = determinant(q1, q2, c)
        inverse = ((0.5 + q1) + (0.5 + q2) + det).rsqrt()
        a = 0.25 + torch.atan(c * inverse) / (2 * math.pi)
        b = inverse / (2 * math.pi)
        e = 1 / (1 + q1) + 1 / (1 + q2)
        return c * a + b * (det + e * c * c), a + c * b * (e + inverse * inverse)

    def variance(self, q: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """F at c = q."""
        return self.dual(q, q, q)[0]


@dataclass(frozen=True)
class Sin(Activation):
    r"""``sin(ω z + shift)``; :math:`F = \frac12(e^{-D} - \cos(2\,\mathrm{shift})e^{-S})`.

    Here :math:`D = \omega^2(q_1+q_2-2c)/2` and :math:`S = \omega^2(q_1+q_2+2c)/2`, by the
    product formula of the sine.
    """

    frequency: float = 1.0
    shift: float = 0.0

    def function(self, z: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """The wave."""
        return torch.sin(self.frequency * z + self.shift)

    def dual(self, q1: Tensor, q2: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        """Both exponents are at most 0, so nothing overflows."""
        w2 = self.frequency**2
        minus, plus = (torch.exp(-w2 * ((q1 + q2) / 2 - sign * c)) for sign in (1, -1))
        phase = math.cos(2 * self.shift)
        return (minus - phase * plus) / 2, w2 * (minus + phase * plus) / 2

    def variance(self, q: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """F at c = q."""
        return (1 - math.cos(2 * self.shift) * torch.exp(-2 * self.frequency**2 * q)) / 2


def Cos(frequency: float = 1.0) -> Sin:  # noqa: N802
    """``cos(ω z)``."""
    return Sin(frequency, math.pi / 2)


@dataclass(frozen=True)
class Rbf(Activation):
    r""":math:`\sqrt2\sin(\sqrt{2\gamma}z + \pi/4)`, so that :math:`F = e^{-\gamma(q_1+q_2-2c)}`."""

    gamma: float = 1.0

    def __post_init__(self) -> None:
        if not self.gamma > 0:
            raise InputError(f"Rbf needs gamma > 0, got {self.gamma}")

    def function(self, z: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """The wave whose kernel is Gaussian."""
        return math.sqrt(2) * torch.sin(math.sqrt(2 * self.gamma) * z + math.pi / 4)

    def dual(self, q1: Tensor, q2: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        """The Gaussian kernel of the pre-activations' distance."""
        f = torch.exp(-self.gamma * (q1 + q2 - 2 * c))
        return f, 2 * self.gamma * f

    def variance(self, q: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
        """One."""
        return torch.ones_like(q)
