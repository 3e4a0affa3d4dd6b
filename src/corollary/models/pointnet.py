r"""PointNet: networks on clouds of points.

Every point goes through shared perceptrons, with a :class:`~corollary.models.t_net.TNet` before
each of them: to 64 local features and on to 1024, whose maximum over the points is the global
feature. The classifier reads the global feature; the segmenter reads, for every point, its 64
local numbers next to the 1024 global ones. The points that attain the maximum somewhere are the
*critical* ones: without the others the global feature is the same.

:source: Perez Jensen (2025), Deep Learning, Section 7.3, Figure 7.2; Qi, Su, Mo and Guibas (2017),
    "PointNet: deep learning on point sets for 3D classification and segmentation".
"""

from collections.abc import Sequence
from functools import partial

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.models.mlp import MLP
from corollary.models.t_net import TNet
from corollary.theory.seeding import as_generator


class PointNetFeatures(nn.Module):
    """Local features of every point and the global feature of the cloud.

    Args:
        local: Widths of the first perceptron, after 3; the last is the local dimension.
        deep: Widths of the second one; the last is the global dimension.
        align: Whether T-nets align the points and the local features first.
        rng: Draws the weights.
        dtype: Of the weights.
    """

    def __init__(
        self,
        local: Sequence[int] = (64, 64),
        deep: Sequence[int] = (64, 128, 1024),
        *,
        align: bool = True,
        rng: Generator,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        after = deep[-1] // 2, deep[-1] // 4
        transform = partial(TNet, local=deep, after=after, rng=rng, dtype=dtype)
        self.input_transform = transform(3) if align else None
        self.feature_transform = transform(local[-1]) if align else None
        self.local = MLP([3, *local], last="relu", rng=rng, dtype=dtype)
        self.deep = MLP([local[-1], *deep], rng=rng, dtype=dtype)

    def of_points(
        self, x: Float[Tensor, "*b M 3"]
    ) -> tuple[Float[Tensor, "*b M l"], Float[Tensor, "*b M g"]]:
        """Local and deep features of every point, before the maximum."""
        if x.shape[-1] != 3 or x.ndim < 2 or x.shape[-2] == 0:
            raise InputError(f"expected clouds (..., M, 3) with M >= 1, got {tuple(x.shape)}")
        z = self.local(x if self.input_transform is None else self.input_transform(x))
        z = z if self.feature_transform is None else self.feature_transform(z)
        return z, self.deep(z)

    def forward(
        self, x: Float[Tensor, "*b M 3"]
    ) -> tuple[Float[Tensor, "*b M l"], Float[Tensor, "*b g"]]:
        """Local features and the global one."""
        local, deep = self.of_points(x)
        return local, deep.amax(dim=-2)

    def critical_points(self, x: Float[Tensor, "M 3"]) -> Int[Tensor, " c"]:
        """The points that attain the maximum in some feature, the first of equals; ascending.

        Without T-nets they alone give the same global feature (T-nets have critical points of
        their own, and the matrix may change).
        """
        indices: Tensor = self.of_points(x)[1].argmax(dim=0).unique()
        return indices

    def penalty(self, x: Float[Tensor, "*b M 3"]) -> Float[Tensor, ""]:
        """The orthogonality penalty of the feature transform; 0 without one."""
        if self.feature_transform is None or self.input_transform is None:
            return x.new_zeros(())
        return self.feature_transform.penalty(self.local(self.input_transform(x)))


class PointNetCls(nn.Module):
    """Logits of the classes of a cloud, (..., M, 3) to (..., k), for any number of points.

    Example:
        >>> rng = torch.Generator().manual_seed(0)
        >>> net = PointNetCls(5, local=(8,), deep=(16,), head=(8,), rng=rng)
        >>> net(torch.zeros(2, 7, 3, dtype=torch.float64)).shape
        torch.Size([2, 5])

    :covers: pointnet
    """

    def __init__(
        self,
        k: int,
        *,
        local: Sequence[int] = (64, 64),
        deep: Sequence[int] = (64, 128, 1024),
        head: Sequence[int] = (512, 256),
        align: bool = True,
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        self.features = PointNetFeatures(local, deep, align=align, rng=rng, dtype=dtype)
        self.head = MLP([deep[-1], *head, k], rng=rng, dtype=dtype)

    def forward(self, x: Float[Tensor, "*b M 3"]) -> Float[Tensor, "*b k"]:
        """Logits of each cloud."""
        logits: Tensor = self.head(self.features(x)[1])
        return logits


class PointNetSeg(nn.Module):
    """Logits of the part of every point, (..., M, 3) to (..., M, k).

    Example:
        >>> net = PointNetSeg(4, rng=torch.Generator().manual_seed(0))
        >>> net.head.widths[0]  # 64 local and 1024 global features
        1088

    :covers: pointnet
    """

    def __init__(
        self,
        k: int,
        *,
        local: Sequence[int] = (64, 64),
        deep: Sequence[int] = (64, 128, 1024),
        head: Sequence[int] = (512, 256, 128),
        align: bool = True,
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        self.features = PointNetFeatures(local, deep, align=align, rng=rng, dtype=dtype)
        self.head = MLP([local[-1] + deep[-1], *head, k], rng=rng, dtype=dtype)

    def forward(self, x: Float[Tensor, "*b M 3"]) -> Float[Tensor, "*b M k"]:
        """Logits of each point."""
        local, together = self.features(x)
        spread = together[..., None, :].expand(*local.shape[:-1], together.shape[-1])
        logits: Tensor = self.head(torch.cat([local, spread], dim=-1))
        return logits
