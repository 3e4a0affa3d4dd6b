r"""Two clouds that a hyperplane through the origin separates with a margin of our choice.

:source: Perez Jensen (2025), Deep Learning, Figure 1.1; Lucchi (2025), Foundations of Deep
    Learning, Chapter 11, Assumption 2.
:covers: dataset-separable-gaussians
"""

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.errors import InputError


def separable_cloud(
    n: int, d: int, gamma: float, *, radius: float = 1.0, rng: Generator
) -> tuple[Float[Tensor, "n d"], Float[Tensor, " n"], Float[Tensor, " d"]]:
    r"""Draw points, labels and a unit vector with :math:`y_i\langle u, x_i\rangle\ge\gamma`.

    Directions orthogonal to :math:`u` are Gaussian, shrunk into the ball of the given radius; the
    component along :math:`u` is uniform on :math:`[\gamma, R]` up to what the radius leaves, and
    the first point of each cloud sits on the margin itself, so :math:`\gamma` is attained.

    Args:
        n: Number of points.
        d: Dimension.
        gamma: Margin, ``0 < gamma <= radius``.
        radius: No point is further from the origin.
        rng: Source of randomness.

    Example:
        >>> x, y, u = separable_cloud(50, 3, 0.2, rng=torch.Generator().manual_seed(0))
        >>> bool((y * (x @ u) >= 0.2 - 1e-12).all()), bool((x.norm(dim=1) <= 1 + 1e-12).all())
        (True, True)
    """
    if not 0 < gamma <= radius:
        raise InputError(f"gamma must lie in (0, radius={radius:g}], but it is {gamma:g}")
    if d == 1 and n < 1 or n < 1 or d < 1:
        raise InputError(f"a cloud needs n >= 1 points in d >= 1 dimensions, but n={n}, d={d}")

    def draw(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=rng, device=rng.device, dtype=torch.float64)

    u = draw(d)
    u = u / u.norm()
    y = torch.where(draw(n) < 0, -1.0, 1.0).to(torch.float64)
    along = torch.rand(n, generator=rng, device=rng.device, dtype=torch.float64)
    along = gamma + (radius - gamma) * along
    along[: min(2, n)] = gamma
    across = draw(n, d) / d**0.5 * radius
    across = across - (across @ u)[:, None] * u
    room = (radius**2 - along**2).clamp(min=0).sqrt()  # keeps |x| <= radius by Pythagoras
    length = across.norm(dim=1).clamp(min=1e-300)
    across = across * (room / length).clamp(max=1.0)[:, None]
    return y[:, None] * along[:, None] * u + across, y, u
