r"""A model averaged over transformations: invariant if they form a group.

.. math:: \bar f(x)=\frac1K\sum_{k=1}^Kf(\tau_k(x)),\qquad\bar f(\tau x)=\bar f(x)\quad(\tau\in G)

:source: Perez Jensen (2025), Deep Learning, Section 8.7; Murphy, Srinivasan, Rao and Ribeiro
    (2019), "Janossy pooling".
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from corollary.errors import InputError


class GroupAverage(nn.Module):
    """The mean of a model's outputs over transformed inputs; K passes in one batch.

    Args:
        model: Any module whose first axis counts examples.
        transforms: Functions of a batch that keep its shape; a whole group for exact invariance.

    Example:
        >>> from corollary.data.augmentation import flips
        >>> net = GroupAverage(nn.Sequential(nn.Flatten(), nn.Linear(4, 2)), flips())
        >>> x = torch.randn(3, 1, 2, 2, generator=torch.Generator().manual_seed(0))
        >>> torch.allclose(net(x), net(x.flip(-1)), atol=1e-6)
        True

    :covers: data-augmentation
    """

    def __init__(self, model: nn.Module, transforms: Sequence[Callable[[Tensor], Tensor]]) -> None:
        super().__init__()
        if not transforms:
            raise InputError("an average needs at least one transformation")
        self.model, self.transforms = model, tuple(transforms)

    def forward(self, x: Tensor) -> Tensor:
        """The averaged outputs."""
        turned = [f(x) for f in self.transforms]
        for f in turned:
            if f.shape != x.shape:
                raise InputError(
                    f"a transformation turned shape {tuple(x.shape)} into {tuple(f.shape)}; "
                    "quarter turns need square images"
                )
        out: Tensor = self.model(torch.cat(turned))
        return out.reshape(len(turned), len(x), *out.shape[1:]).mean(dim=0)
