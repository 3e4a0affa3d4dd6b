"""How far each input can be moved, in any direction, before its class can change."""

from jaxtyping import Float, Int
from torch import Tensor, nn

from corollary.theory.robustness.attack import Box
from corollary.theory.robustness.balls import Norm
from corollary.theory.robustness.certificates.certifier import Certifier, Method

FARTHEST = 1e6  # no class is followed beyond this radius


def certified_radius(
    model: nn.Module,
    x: Float[Tensor, "n *s"],
    y: Int[Tensor, " n"] | Float[Tensor, " n"],
    *,
    norm: Norm = "linf",
    box: Box = None,
    method: Method = "crown",
    most: float | int | Float[Tensor, " n"] | None = None,
) -> Float[Tensor, " n"]:
    """A radius for each input within which no perturbation changes its class; 0 if it is wrong.

    The true radius may be larger: an attack bounds it from above.

    Args:
        model: With logits (n, k), or one score per row.
        x: Inputs.
        y: Labels.
        norm: ``linf`` or ``l2``.
        box: Valid inputs; None if every number is valid.
        method: See :class:`Certifier`.
        most: Largest radius of interest; without it the search goes as far as certificates do.

    Example:
        >>> import torch
        >>> net = nn.Linear(2, 2, bias=False)
        >>> _ = net.weight.data.copy_(torch.tensor([[0.0, 0.0], [1.0, -2.0]]))
        >>> x, y = torch.tensor([[1.0, 0.0], [60.0, 0.0]]), torch.tensor([1, 1])
        >>> [round(r, 1) for r in certified_radius(net, x, y).tolist()]  # 1 / 3 and 60 / 3
        [0.3, 19.9]
    """
    certifier = Certifier(model, x, norm=norm, box=box)
    if most is not None:
        return certifier.radius(x, y, method, most=most)
    end = 1.0
    found = certifier.radius(x, y, method, most=end)
    while end < FARTHEST and bool((found >= end).any()):
        rows = (found >= end).nonzero()[:, 0]
        end *= 10
        found[rows] = certifier.radius(x[rows], y[rows], method, most=end)
    return found
