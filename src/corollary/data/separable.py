r"""Two clouds that a hyperplane through the origin separates with a margin of our choice.

:source: Perez Jensen (2025), Deep Learning, Figure 1.1; Lucchi (2025), Foundations of Deep
    Learning, Chapter 11, Assumption 2.
:covers: dataset-separable-gaussians
"""

import math

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.seeding import as_generator


def separable_cloud(
    n: int, d: int, gamma: float, *, radius: float = 1.0, rng: int | Generator = 0
) -> tuple[Float[Tensor, "n d"], Float[Tensor, " n"], Float[Tensor, " d"]]:
    r"""Draw points, labels and a unit vector with :math:`y_i\langle u, x_i\rangle\ge\gamma`.

    Across :math:`u` the clouds are Gaussian, drawn in where they would leave the ball of the given
    radius; along :math:`u` they are uniform on :math:`[\gamma, R]`. The first point of each cloud
    (points 0 and 1, labelled +1 and -1) sits on the margin, so :math:`\gamma` is attained by u;
    another direction may have a larger margin. Up to rounding, no point breaks either limit.

    Args:
        n: Number of points.
        d: Dimension.
        gamma: Margin, ``0 < gamma <= radius``.
        radius: No point is further from the origin.
        rng: Source of randomness.

    Returns:
        Points ``x`` (n, d), labels ``y`` (n,) and the unit vector ``u`` (d,), all float64.

    Example:
        >>> x, y, u = separable_cloud(50, 3, 0.2, rng=torch.Generator().manual_seed(0))
        >>> bool((y * (x @ u) >= 0.2 - 1e-12).all()), bool((x.norm(dim=1) <= 1 + 1e-12).all())
        (True, True)
    """
    rng = as_generator(rng)
    if not 0 < gamma <= radius or not math.isfinite(radius):
        raise InputError(f"gamma must lie in (0, radius={radius:g}], got {gamma:g}")
    if n < 1 or d < 1:
        raise InputError(f"a cloud needs n >= 1 points in d >= 1 dimensions, got n={n}, d={d}")

    def draw(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=rng, device=rng.device, dtype=torch.float64)

    u = draw(d)
    u = u / u.norm()
    y = torch.where(draw(n) < 0, -1.0, 1.0).to(torch.float64)
    y[: min(2, n)] = y.new_tensor([1.0, -1.0])[: min(2, n)]
    along = torch.rand(n, generator=rng, device=rng.device, dtype=torch.float64)
    along = gamma + (radius - gamma) * along
    along[:2] = gamma
    across = draw(n, d) * (radius / d**0.5)
    across = across - (across @ u)[:, None] * u
    room = (radius**2 - along**2).clamp(min=0).sqrt()  # keeps |x| <= radius by Pythagoras
    length = across.norm(dim=1).clamp(min=1e-300)
    across = across * (room / length).clamp(max=1.0)[:, None]
    return (y * along)[:, None] * u + across, y, u
