r"""Is a map linear, is it affine, and which matrix is it.

A map :math:`f:\mathbb{R}^n\to\mathbb{R}^m` is *linear* when it obeys the superposition principle

.. math:: f(\alpha x + \beta y) = \alpha f(x) + \beta f(y) \quad\text{for all } x, y, \alpha, \beta,

which is the same as being additive, :math:`f(x+y)=f(x)+f(y)`, and homogeneous,
:math:`f(\alpha x)=\alpha f(x)`. It is *affine* when the same equation holds for the weights with
:math:`\alpha+\beta=1` only. A black box can be refuted by one witness; here it is asked at random
points of all sizes from :math:`10^{-3}` to :math:`10^3`, and a refusal comes with its witness.

Every ``f`` takes a batch of points as rows, ``(k, n)``, and gives a batch of values ``(k, m)``;
``torch.vmap`` turns a map of one vector into such an ``f``.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.2; Lucchi (2024), Foundations of
    Deep Learning (slides), Lecture 1, Superposition Principle.
:covers: superposition-principle
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Inexact
from torch import Generator, Tensor

from corollary.errors import InputError, InputTypeError

Map = Callable[[Tensor], Tensor]
Test = tuple[Tensor, Tensor, Tensor, Tensor | float]  # gap, size of its terms, alpha, beta


@dataclass(frozen=True)
class Witness:
    """Points and weights at which an equation fails, and by how much of the terms' size."""

    property: str  # additivity, homogeneity or affinity
    x: Tensor
    y: Tensor
    alpha: float | complex  # real maps have a real weight
    beta: float | complex
    gap: float


@dataclass(frozen=True)
class Linearity:
    """The answer of a test; true where no witness against it was found."""

    holds: bool
    gaps: dict[str, float]  # property -> largest relative gap seen
    witnesses: tuple[Witness, ...]  # the worst one of each violated property
    tolerance: float

    def __bool__(self) -> bool:
        return self.holds

    @property
    def violated(self) -> tuple[str, ...]:
        """The properties with a witness against them."""
        return tuple(w.property for w in self.witnesses)

    @property
    def sentence(self) -> str:
        """The answer in one line."""
        if self.holds:
            return f"no violation above {self.tolerance:.1e} of the terms' size"
        return "; ".join(f"{w.property} fails by {w.gap:.2g} of its terms" for w in self.witnesses)


def is_linear(
    f: Map,
    n: int,
    *,
    samples: int = 64,
    tolerance: float | None = None,
    dtype: torch.dtype = torch.float64,
    rng: Generator,
) -> Linearity:
    r"""Test additivity and homogeneity at random points and weights.

    Three properties are measured: ``additivity``, ``homogeneity`` (weights of both signs and 0,
    complex weights for a complex ``dtype``) and ``positive homogeneity`` (weights > 0), the last
    for information only: ReLU has it and is still not linear. A gap is measured in units of
    :math:`g(|\alpha|\|x\|+|\beta|\|y\|)`, with :math:`g` the largest :math:`\|f(z)\|/\|z\|` seen.

    Args:
        f: The map, on batches of rows.
        n: Input dimension.
        samples: Pairs of points to try; the map is evaluated at five times as many.
        tolerance: Largest relative gap that counts as rounding; 64 n units in the last place.
        dtype: Numbers to test with; complex ones test linearity over the complex numbers.
        rng: Source of randomness.

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> is_linear(lambda x: 3 * x, 2, rng=rng).holds
        True
        >>> is_linear(torch.relu, 2, rng=rng).violated
        ('additivity', 'homogeneity')
    """
    x, y = _points(samples, n, dtype, rng), _points(samples, n, dtype, rng)
    alpha = _weights(samples, dtype, rng)
    alpha[0] = 0  # f(0) = 0 is homogeneity at weight 0
    rho = alpha.abs().to(dtype)
    fx, fy, sums, multiples, rays = _values(f, x, y, x + y, alpha * x, rho * x)
    one = torch.ones_like(alpha)
    values = torch.cat([fx, fy, sums])
    gain = (_norm(values) / _norm(torch.cat([x, y, x + y]))).max()
    tests: dict[str, Test] = {
        "additivity": (sums - fx - fy, gain * (_norm(x) + _norm(y)), one, one),
        "homogeneity": (
            multiples - alpha * fx,
            gain * (1 + rho.abs()[:, 0]) * _norm(x),
            alpha,
            0.0,
        ),
        "positive homogeneity": (
            rays - rho * fx,
            gain * (1 + rho.abs()[:, 0]) * _norm(x),
            rho,
            0.0,
        ),
    }
    return _answer(tests, x, y, _tolerance(tolerance, n, dtype), {"additivity", "homogeneity"})


def is_affine(
    f: Map,
    n: int,
    *,
    samples: int = 64,
    tolerance: float | None = None,
    dtype: torch.dtype = torch.float64,
    rng: Generator,
) -> Linearity:
    r"""Test :math:`f(\alpha x+(1-\alpha)y)=\alpha f(x)+(1-\alpha)f(y)` at random points.

    The weights are not confined to :math:`[0, 1]`: a convex and a concave function must both fail.
    Arguments as in :func:`is_linear`.

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> is_affine(lambda x: 3 * x + 1, 2, rng=rng).holds
        True
        >>> is_affine(torch.square, 2, rng=rng).violated
        ('affinity',)
    """
    x, y = _points(samples, n, dtype, rng), _points(samples, n, dtype, rng)
    alpha = _weights(samples, dtype, rng)
    beta = 1 - alpha
    fx, fy, mixed = _values(f, x, y, alpha * x + beta * y)
    gain = (_norm(fx - fy) / _norm(x - y)).max()
    size = _norm(mixed) + _norm(alpha * fx) + _norm(beta * fy)
    size = size + gain * (_norm(alpha * x) + _norm(beta * y))
    tests: dict[str, Test] = {"affinity": (mixed - alpha * fx - beta * fy, size, alpha, beta)}
    return _answer(tests, x, y, _tolerance(tolerance, n, dtype), {"affinity"})


def matrix_of(
    f: Map, n: int, *, dtype: torch.dtype = torch.float64, rng: Generator
) -> Inexact[Tensor, "m n"]:
    r"""The unique matrix with :math:`f(x)=Ax`; column :math:`j` is :math:`f(e_j)`.

    A map that fails the superposition test is refused. Memory and time: ``n`` evaluations of the
    map in one batch, plus those of the test.

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> matrix_of(lambda x: x.cumsum(dim=1)[:, 1:], 3, rng=rng)
        tensor([[1., 1., 0.],
                [1., 1., 1.]], dtype=torch.float64)

    :covers: linear-map-matrix
    :test: tests/theory/connectionism/test_linearity.py
    :erratum: [typo] Both sources write the matrix as an element of R^{n x m}; for f from R^n to
        R^m with f(x) = Ax it has shape m x n: the shape of the example above is (2, 3).
    """
    answer = is_linear(f, n, dtype=dtype, rng=rng)
    if not answer:
        raise InputError(
            f"matrix_of needs a linear map, but {answer.sentence}; is_affine tests for an offset"
        )
    return basis_images(f, torch.eye(n, dtype=dtype, device=rng.device))


def basis_images(f: Map, basis: Inexact[Tensor, "n n"]) -> Inexact[Tensor, "m n"]:
    """The images of the rows of ``basis``, side by side as columns; the map is not tested.

    Example:
        >>> basis_images(lambda x: x[:, :1] + 10 * x[:, 1:], torch.eye(2))
        tensor([[ 1., 10.]])
    """
    return _values(f, basis)[0].T.contiguous()


def _points(k: int, n: int, dtype: torch.dtype, rng: Generator) -> Tensor:
    """Gaussian directions with lengths log-uniform on [1e-3, 1e3]."""
    if n < 1 or k < 1:
        raise InputError(f"the test needs n >= 1 and samples >= 1, got n={n} and samples={k}")
    if not (dtype.is_floating_point or dtype.is_complex):
        raise InputTypeError(f"the test needs a floating-point or complex dtype, got {dtype}")
    z = torch.randn(k, n, generator=rng, device=rng.device, dtype=dtype)
    size = 10 ** (6 * torch.rand(k, 1, generator=rng, device=rng.device, dtype=z.real.dtype) - 3)
    return z / _norm(z)[:, None] * size


def _weights(k: int, dtype: torch.dtype, rng: Generator) -> Tensor:
    return 2 * torch.randn(k, 1, generator=rng, device=rng.device, dtype=dtype)


def _values(f: Map, *batches: Tensor) -> tuple[Tensor, ...]:
    """All batches through the map at once, checked."""
    with torch.no_grad():
        out = f(torch.cat(batches))
    rows = sum(map(len, batches))
    if not isinstance(out, Tensor):
        raise InputTypeError(f"expected the map to return a tensor, got {type(out).__name__}")
    if out.ndim != 2 or out.shape[0] != rows:
        raise InputError(
            f"expected the map to take a batch ({rows}, n) to a batch ({rows}, m), got shape "
            f"{tuple(out.shape)}; wrap a map of single vectors in torch.vmap"
        )
    if not torch.isfinite(out).all():
        raise InputError("the map returns values that are not finite, so it cannot be tested")
    return torch.split(out, [len(b) for b in batches])


def _norm(z: Tensor) -> Tensor:
    norms: Tensor = torch.linalg.vector_norm(z, dim=1)
    return norms


def _tolerance(tolerance: float | None, n: int, dtype: torch.dtype) -> float:
    return 64 * n * torch.finfo(dtype).eps if tolerance is None else tolerance


def _answer(
    tests: dict[str, Test], x: Tensor, y: Tensor, tolerance: float, needed: set[str]
) -> Linearity:
    gaps, witnesses = {}, []
    for name, (difference, size, alpha, beta) in tests.items():
        off = _norm(difference)
        gap = torch.where(off > 0, off / size.clamp(min=torch.finfo(off.dtype).tiny), 0.0)
        i = int(gap.argmax())
        gaps[name] = float(gap[i])
        if gaps[name] > tolerance and name in needed:
            b = beta[i].item() if isinstance(beta, Tensor) else beta
            witnesses.append(Witness(name, x[i], y[i], alpha[i].item(), b, gaps[name]))
    return Linearity(not witnesses, gaps, tuple(witnesses), tolerance)
