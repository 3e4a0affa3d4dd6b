r"""Single units and layers: linear, affine, ridge.

.. math:: g(x;\theta)=x\cdot\theta,\qquad g(x;\theta,b)=x\cdot\theta+b=(x,1)\cdot(\theta,b),
   \qquad f(x;\theta)=\varphi(x\cdot\theta).

:source: Lucchi (2025), Foundations of Deep Learning, Sections 2.2.1 and 2.4.1; Lucchi (2024),
    Foundations of Deep Learning (slides), Lecture 1.
"""

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.theory.connectionism.ridge import Scalar, parameter_gradient, rate_of_change


class LinearUnit(nn.Module):
    r"""``x -> x . theta``: constant direction and rate of change.

    Example:
        >>> unit = LinearUnit.of(torch.tensor([3.0, 4.0]))
        >>> unit.direction().tolist(), float(unit.rate())
        ([0.6000000238418579, 0.800000011920929], 5.0)

    :covers: linear-unit
    """

    def __init__(self, n: int, *, rng: Generator, dtype: torch.dtype = torch.float64) -> None:
        super().__init__()
        self.theta = nn.Parameter(_weights(n, rng=rng, dtype=dtype))

    @classmethod
    def of(cls, theta: Float[Tensor, " n"]) -> "LinearUnit":
        """The unit with these weights."""
        unit = LinearUnit(1, rng=torch.Generator())
        unit.theta = nn.Parameter(_vector(theta, "theta").detach().clone())
        return unit

    def forward(self, x: Float[Tensor, "*k n"]) -> Float[Tensor, "*k"]:
        """The value at each point."""
        return _fits(x, len(self.theta)) @ self.theta

    def direction(self) -> Float[Tensor, " n"]:
        """The unit vector along which the value grows fastest."""
        return _direction(self.theta)

    def rate(self) -> Float[Tensor, ""]:
        """Growth of the value per unit of length along :meth:`direction`."""
        length: Tensor = self.theta.detach().norm()
        return length


class AffineUnit(nn.Module):
    r"""``x -> x . theta + b``; at the origin the value is ``b``.

    Example:
        >>> unit = AffineUnit.of(torch.tensor([3.0, 4.0]), 2.0)
        >>> x = torch.tensor([[1.0, 1.0]])
        >>> unit(x).item(), unit.to_homogeneous()(homogeneous(x)).item()
        (9.0, 9.0)

    :covers: affine-unit
    :erratum: [wrong] Footnote 1 of Lucchi (2025), Section 2.2, calls f affine when f(a x + b' y) =
        a f(x) + b' f(y) + b for all a and b' with one constant b; a = 1, b' = 0 forces b = 0, so
        only linear maps are left. The condition is f(a x + b' y) = a f(x) + b' f(y) for a + b' = 1.
        For f(x) = x + 1 the difference of the two sides is 1 - a - b'; the claim
        affine_combinations measures it.
    """

    def __init__(self, n: int, *, rng: Generator, dtype: torch.dtype = torch.float64) -> None:
        super().__init__()
        self.theta = nn.Parameter(_weights(n, rng=rng, dtype=dtype))
        self.b = nn.Parameter(self.theta.new_zeros(()))

    @classmethod
    def of(cls, theta: Float[Tensor, " n"], b: float | int) -> "AffineUnit":
        """The unit with these weights and this offset."""
        unit = AffineUnit(1, rng=torch.Generator())
        unit.theta = nn.Parameter(_vector(theta, "theta").detach().clone())
        unit.b = nn.Parameter(unit.theta.new_tensor(b))
        return unit

    def forward(self, x: Float[Tensor, "*k n"]) -> Float[Tensor, "*k"]:
        """The value at each point."""
        return _fits(x, len(self.theta)) @ self.theta + self.b

    def direction(self) -> Float[Tensor, " n"]:
        """The unit vector along which the value grows fastest."""
        return _direction(self.theta)

    def rate(self) -> Float[Tensor, ""]:
        """Growth of the value per unit of length along :meth:`direction`."""
        length: Tensor = self.theta.detach().norm()
        return length

    def to_homogeneous(self) -> LinearUnit:
        """The linear unit on ``(x, 1)`` with weights ``(theta, b)``."""
        return LinearUnit.of(torch.cat([self.theta, self.b[None]]))


class RidgeUnit(nn.Module):
    r"""``x -> phi(x . theta)``: constant on hyperplanes orthogonal to ``theta``.

    Example:
        >>> unit = RidgeUnit.of(torch.relu, torch.tensor([3.0, 4.0]))
        >>> unit(torch.tensor([[1.0, 1.0], [5.0, -2.0]]))
        tensor([7., 7.], grad_fn=<ReluBackward0>)

    :covers: ridge-unit
    """

    def __init__(
        self, phi: Scalar, n: int, *, rng: Generator, dtype: torch.dtype = torch.float64
    ) -> None:
        super().__init__()
        self.phi = phi
        self.theta = nn.Parameter(_weights(n, rng=rng, dtype=dtype))

    @classmethod
    def of(cls, phi: Scalar, theta: Float[Tensor, " n"]) -> "RidgeUnit":
        """The unit with this activation and these weights."""
        unit = RidgeUnit(phi, 1, rng=torch.Generator())
        unit.theta = nn.Parameter(_vector(theta, "theta").detach().clone())
        return unit

    def forward(self, x: Float[Tensor, "*k n"]) -> Float[Tensor, "*k"]:
        """The value at each point."""
        return self.phi(_fits(x, len(self.theta)) @ self.theta)

    def rate_of_change(self, x: Float[Tensor, "k n"]) -> Float[Tensor, " k"]:
        """Length of the input gradient; NaN where ``phi`` has no derivative."""
        return rate_of_change(self.phi, x, self.theta)

    def parameter_gradient(self, x: Float[Tensor, "k n"], loss: Scalar) -> Float[Tensor, "k n"]:
        """Gradient of each point's loss in ``theta``: a multiple of the point."""
        return parameter_gradient(self.phi, x, self.theta, loss)


class RidgeLayer(nn.Module):
    r"""``x -> phi(Theta x)``, entry by entry; row ``j`` of ``Theta`` is unit ``j``.

    Example:
        >>> layer = RidgeLayer(torch.relu, 3, 2, rng=torch.Generator().manual_seed(0))
        >>> x = torch.ones(1, 3, dtype=torch.float64)
        >>> torch.equal(layer(x)[:, 1], layer.unit(1)(x))
        True
    """

    def __init__(
        self, phi: Scalar, n: int, m: int, *, rng: Generator, dtype: torch.dtype = torch.float64
    ) -> None:
        super().__init__()
        if m < 1:
            raise InputError(f"a layer needs at least one unit, got m={m}")
        self.phi = phi
        self.Theta = nn.Parameter(_weights(m, n, rng=rng, dtype=dtype))

    def forward(self, x: Float[Tensor, "*k n"]) -> Float[Tensor, "*k m"]:
        """The values of all units at each point."""
        return self.phi(_fits(x, self.Theta.shape[1]) @ self.Theta.T)

    def unit(self, j: int) -> RidgeUnit:
        """Unit ``j`` alone, with a copy of its weights."""
        return RidgeUnit.of(self.phi, self.Theta[j])


def homogeneous(x: Float[Tensor, "*k n"]) -> Float[Tensor, "*k p"]:
    """The points with a coordinate 1 appended.

    Example:
        >>> homogeneous(torch.tensor([[5.0, 6.0]]))
        tensor([[5., 6., 1.]])
    """
    return torch.cat([x, x.new_ones(*x.shape[:-1], 1)], dim=-1)


def _weights(*shape: int, rng: Generator, dtype: torch.dtype) -> Tensor:
    if shape[-1] < 1:
        raise InputError(f"a unit needs at least one input, got n={shape[-1]}")
    normal = torch.randn(*shape, generator=rng, device=rng.device, dtype=dtype)
    scale: float = shape[-1] ** 0.5
    return normal / scale


def _vector(theta: Tensor, name: str) -> Tensor:
    if theta.ndim != 1 or len(theta) == 0 or not torch.isfinite(theta).all():
        raise InputError(
            f"{name} must be a vector of finite numbers, got shape {tuple(theta.shape)}"
            + ("" if torch.isfinite(theta).all() else " with NaN or infinity in it")
        )
    return theta


def _fits(x: Tensor, n: int) -> Tensor:
    if x.ndim == 0 or x.shape[-1] != n:
        raise InputError(f"expected {n} inputs per point, got shape {tuple(x.shape)}")
    return x


def _direction(theta: Tensor) -> Tensor:
    length: Tensor = theta.detach().norm()
    if length == 0:
        raise InputError("a unit with theta = 0 is constant: it has no direction of change")
    return theta.detach() / length
