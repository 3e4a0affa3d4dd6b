r"""The version space: all weights that classify every point correctly.

.. math:: V(S) = \{w : y_i\langle w, x_i\rangle > 0 \text{ for all } i\}

is an open convex cone, an intersection of half-spaces through the origin of weight space; each new
point can only cut it down. Its size is the fraction of directions it contains. (With a bias, pass
the augmented points :math:`(x, 1)`.)

:source: Perez Jensen (2025), Deep Learning, Section 1.2 and Figure 1.2.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int, Shaped
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.confidence.binomial import lower_limit, upper_limit
from corollary.theory.connectionism.labelled import signed_points


@dataclass(frozen=True)
class SolidAngles:
    """Estimated size of the version space of the first 0, 1, ..., n points."""

    hits: Int[Tensor, " s"]  # sampled directions inside
    draws: int
    level: float  # confidence of each interval

    @property
    def fraction(self) -> Float[Tensor, " s"]:
        """Estimated fraction of all directions."""
        return self.hits.double() / self.draws

    def interval(self) -> tuple[Float[Tensor, " s"], Float[Tensor, " s"]]:
        """Exact binomial limits (Clopper and Pearson) of each fraction."""
        hits, alpha = self.hits.cpu().numpy(), (1 - self.level) / 2
        low, high = (f(hits, self.draws, alpha) for f in (lower_limit, upper_limit))
        return torch.from_numpy(low), torch.from_numpy(high)


def solid_angles(
    x: Float[Tensor, "n d"],
    y: Shaped[Tensor, " n"],
    *,
    draws: int = 10_000,
    level: float = 0.99,
    rng: Generator,
) -> SolidAngles:
    """The normalised solid angle of the version space, as the points come in one by one.

    One set of random directions serves all prefixes, so the estimates never increase. Memory
    O(draws * n), one byte each; an estimate is useful while the fraction is well above 1 / draws.

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> found = solid_angles(torch.eye(2, dtype=torch.float64), torch.ones(2), rng=rng)
        >>> [round(v, 1) for v in found.fraction.tolist()]  # all, a half, a quarter
        [1.0, 0.5, 0.2]

    :covers: version-space
    """
    z = signed_points(x, y)
    if draws < 1 or not 0 < level < 1:
        raise InputError(f"expected draws >= 1 and 0 < level < 1, got draws={draws}, level={level}")
    w = torch.randn(draws, z.shape[1], generator=rng, device=rng.device, dtype=torch.float64)
    inside = (w.to(z) @ z.T > 0).cumprod(dim=1, dtype=torch.uint8)
    hits = torch.cat([torch.tensor([draws]), inside.sum(dim=0, dtype=torch.int64).cpu()])
    return SolidAngles(hits, draws, level)


def version_space_2d(
    x: Float[Tensor, "n 2"], y: Shaped[Tensor, " n"]
) -> tuple[float, float] | None:
    r"""The exact arc of directions :math:`(\cos\varphi, \sin\varphi)` in the version space.

    Each point allows the open half-circle around the angle of :math:`y_i x_i`; measured from the
    first of these angles, the arc is :math:`(\max_i\delta_i - \pi/2,\; \min_i\delta_i + \pi/2)`.

    Returns:
        The limits of :math:`\varphi` (the second is larger, by at most :math:`\pi`), or ``None``
        if the version space is empty.

    Example:
        >>> low, high = version_space_2d(torch.eye(2, dtype=torch.float64), torch.ones(2))
        >>> round(low, 12), round(high / math.pi, 12)  # the open first quadrant
        (0.0, 0.5)

    :covers: version-space-figure
    """
    first, spread_low, spread_high = signed_angles(x, y)
    if not spread_high - spread_low < math.pi:
        return None
    return first + spread_high - math.pi / 2, first + spread_low + math.pi / 2


def signed_angles(x: Float[Tensor, "n 2"], y: Shaped[Tensor, " n"]) -> tuple[float, float, float]:
    r"""Angle of the first signed point, and the extreme angles of the others relative to it.

    A zero point allows no direction at all; the extremes are then infinite.

    Example:
        >>> signed_angles(torch.tensor([[2.0, 0.0], [0.0, 1.0]]).double(), torch.ones(2))
        (0.0, 0.0, 1.5707963267948966)
    """
    z = signed_points(x, y).double()
    if not bool(z.abs().amax(dim=1).min() > 0):
        return 0.0, -math.inf, math.inf
    # Angles relative to the first by the cross and dot products: no wrap-around to undo.
    a, b = z[0, 0], z[0, 1]
    delta = torch.atan2(a * z[:, 1] - b * z[:, 0], a * z[:, 0] + b * z[:, 1])
    return float(torch.atan2(b, a)), float(delta.min()), float(delta.max())
