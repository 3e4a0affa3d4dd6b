r"""Barron's networks: units drawn from the Fourier integral, or chosen one by one.

.. math:: f_n(x)=f(0)+\sum_{i\le n}c_i\,\sigma(w_i\cdot x+b_i),\qquad\sum_i|c_i|\le2rC,\qquad
   \int_{B_r}(f-f_n)^2d\mu\le\frac{(2rC)^2}n

with :math:`C=2\pi C_f` in the ordinary convention. The draws come from the threshold representation
on the ball of radius r: w from :math:`\|w\||\hat f(w)|/C_f`, then b uniform in
:math:`[-r\|w\|,r\|w\|]`, with :math:`|c_i|=4\pi rC_f|\sin(2\pi b+2\pi\theta)|/n`. Their mean is
f on the ball, for every n.

:source: Lucchi (2025), Foundations of Deep Learning, Theorem 27; Mathematical Foundations of Deep
    Learning (slides), Barron's Theorem; Perez Jensen (2025), Deep Learning, Section 2.4,
    Theorem 2.7; Barron (1993), Universal approximation bounds for superpositions of a sigmoidal
    function, Theorem 1; Jones (1992), A simple lemma on greedy approximation in Hilbert space.
:covers: barron-theorem
:erratum: [wrong] The slides state the coefficient condition as sum |w_i| <= 2rC; Barron bounds the
    outer coefficients, sum |a_i| <= 2rC (the inner weights are not bounded; they must grow for
    sigma to come close to a step). Remark 4 says that the assumptions on sigma are satisfied by
    ReLU; ReLU is neither bounded nor has it the limit 1: relu(10^6) = 10^6. The difference
    relu(t) - relu(t - 1) satisfies them.
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.models.approximators.sampled import Offset
from corollary.models.approximators.shallow import Scalar, Superposition
from corollary.models.approximators.steps import step
from corollary.theory.approximation.spectra import Spectrum
from corollary.theory.prerequisites.wellformed import check_finite


class Units(NamedTuple):
    """Inner weights, biases and coefficients of drawn units; their mean is f - f(0)."""

    w: Float[Tensor, "n d"]
    b: Float[Tensor, " n"]
    c: Float[Tensor, " n"]  # before the division by n: each is at most 4 pi r C_f


def sample_units(f: Spectrum, n: int, r: float = 1.0, *, rng: Generator) -> Units:
    """Draw threshold units from the Fourier integral of ``f`` on the ball of radius ``r``.

    Raises:
        InputError: if Barron's constant of ``f`` is infinite or zero.
    """
    C = f.constant
    if not 0 < C < math.inf:
        raise InputError(
            f"Barron's constant must be positive and finite to draw units, got {C:g}"
            + ("; a function with kinks or jumps is not in the class" if C > 0 else "")
        )
    if n < 1 or not 0 < r < math.inf:
        raise InputError(f"n >= 1 and r > 0 are needed, got n={n}, r={r:g}")
    w, theta = f.draw(n, tilt=1, rng=rng)
    uniform = 2 * torch.rand(n, generator=rng, dtype=w.dtype) - 1
    b = r * w.norm(dim=1) * uniform
    sign = torch.where(b >= 0, 1.0, -1.0).to(w.dtype)  # 1[w.x >= b] or 1[-w.x >= -b]
    c = -sign * 4 * math.pi * r * C * torch.sin(2 * math.pi * (b + theta))
    return Units(sign[:, None] * w, -b.abs(), c)


def sample_network(
    f: Spectrum,
    n: int,
    r: float = 1.0,
    *,
    sigma: Scalar = step,
    sharpness: float = 1.0,
    rng: Generator,
) -> Offset:
    """A network of n drawn units: thresholds, or a steep sigmoidal function in their place.

    Args:
        f: A function that knows its Fourier transform.
        n: Number of units.
        r: Radius of the ball.
        sigma: Limits 0 and 1.
        sharpness: Factor of the inner weights; thresholds do not feel it.
        rng: Source of randomness.

    Example:
        >>> from corollary.theory.approximation.spectra import Cosines
        >>> w = torch.tensor([[0.25, 0.0]], dtype=torch.float64)
        >>> f = Cosines(w, c=w.new_ones(1), theta=w.new_zeros(1))
        >>> net = sample_network(f, 4000, rng=torch.Generator().manual_seed(0))
        >>> x = torch.tensor([[1.0, 0.0]], dtype=torch.float64)  # where f is 0
        >>> abs(net(x).item()) < 0.1
        True
    """
    units = sample_units(f, n, r, rng=rng)
    origin = float(f(units.w.new_zeros(1, f.d)))
    inner = Superposition(sigma, sharpness * units.w, sharpness * units.b, units.c / n)
    return Offset(origin, inner)


class Greedy(NamedTuple):
    """Units chosen one by one."""

    chosen: Int[Tensor, " n"]  # indices into the dictionary
    weights: Float[Tensor, " n"]  # their coefficients after the last step
    errors: Float[Tensor, " n"]  # squared error after each step


def greedy(
    features: Float[Tensor, "p N"],
    target: Float[Tensor, " p"],
    mass: float,
    n: int,
    weight: Float[Tensor, " p"] | None = None,
) -> Greedy:
    r"""Frank and Wolfe's algorithm on the hull of :math:`\pm\,\mathrm{mass}\cdot` the features.

    Each step takes the feature with the largest correlation with the residual and moves towards
    it, with the best step size. If the target lies in the hull and features have norm at most 1,
    the squared error after n steps is at most :math:`4\,\mathrm{mass}^2/(n+4)`. Cost
    :math:`O(npN)`.

    Args:
        features: Values of the dictionary at p points, one column per feature.
        target: Values to be met.
        mass: Sum of moduli of the coefficients that are allowed.
        n: Number of steps.
        weight: Of the points; equal if absent.

    Example:
        >>> e = torch.eye(2, dtype=torch.float64)
        >>> found = greedy(e, e.new_tensor([0.5, 0.5]), 1.0, 2)
        >>> found.weights.tolist(), round(found.errors[-1].item(), 12)
        ([0.3, 0.4], 0.025)
    """
    if n < 1 or not 0 < mass < math.inf:
        raise InputError(f"n >= 1 and mass > 0 are needed, got n={n}, mass={mass:g}")
    check_finite("features", features)
    check_finite("target", target)
    mu = torch.full_like(target, 1 / len(target)) if weight is None else weight
    value = torch.zeros_like(target)
    chosen, weights, errors = [], target.new_zeros(n), []
    for i in range(n):
        correlation = features.T @ (mu * (target - value))
        j = int(correlation.abs().argmax())
        corner = mass * torch.sign(correlation[j]) * features[:, j]
        move = corner - value
        along, size = (mu * (target - value)) @ move, (mu * move) @ move
        alpha = float((along / size).clamp(0, 1)) if size > 0 else 0.0
        value = value + alpha * move
        weights = (1 - alpha) * weights
        weights[i] = alpha * mass * torch.sign(correlation[j])
        chosen.append(j)
        errors.append((mu * (target - value)) @ (target - value))
    return Greedy(torch.tensor(chosen), weights, torch.stack(errors))


def greedy_network(
    f: Spectrum,
    x: Float[Tensor, "p d"],
    n: int,
    r: float = 1.0,
    *,
    pool: int = 2000,
    rng: Generator,
) -> tuple[Offset, Greedy]:
    """A network of n units, picked greedily from a pool of drawn ones to meet ``f`` at ``x``."""
    units = sample_units(f, pool, r, rng=rng)
    origin = float(f(x.new_zeros(1, f.d)))
    features = step(x @ units.w.T + units.b)
    found = greedy(features, f(x) - origin, 4 * math.pi * r * f.constant, n)
    pick = found.chosen
    return Offset(origin, Superposition(step, units.w[pick], units.b[pick], found.weights)), found
