r"""Max and average pooling.

.. math:: I'[i,j]=\max_{0\le k,l<r}I[si+k,\,sj+l],\qquad
   I'[i,j]=\frac1{r^2}\sum_{0\le k,l<r}I[si+k,\,sj+l]

With stride :math:`s=r` the windows tile the image and the size falls by r; with :math:`s=1` it is
:math:`n-r+1`. The gradient of the maximum goes to the entry where it is taken, the first one at
ties.

:source: Perez Jensen (2025), Deep Learning, Section 4.2; Lucchi (2025), Foundations of Deep
    Learning, Section 10.1.4 and Figure 10.10.
:covers: max-pooling
:erratum: [loose] Perez Jensen says that pooling layers downsample, but the formula
    max I[i + k, j + l] has no stride: 8 by 8 with r = 2 gives 7 by 7. With stride r it is
    I[r i + k, r j + l], and gives 4 by 4.
"""

from jaxtyping import Float
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.theory.architectures.windows import conv_output_size


class _Pool(nn.Module):
    """Windows of side ``r``, ``stride`` apart; what is made of a window is up to the subclass."""

    def __init__(self, r: int, stride: int | None = None) -> None:
        super().__init__()
        self.r, self.stride = r, r if stride is None else stride
        if min(self.r, self.stride) < 1:
            raise InputError(f"window and stride must be at least 1, got r={r}, stride={stride}")

    def windows(self, x: Float[Tensor, "n c h w"]) -> Float[Tensor, "n c i j q"]:
        """The entries of each window, row by row."""
        for size in x.shape[2:]:
            conv_output_size(size, self.r, self.stride)  # says so if the window does not fit
        tiles = x.unfold(2, self.r, self.stride).unfold(3, self.r, self.stride)
        return tiles.flatten(4)

    def extra_repr(self) -> str:
        """Window and stride."""
        return f"r={self.r}, stride={self.stride}"


class MaxPool(_Pool):
    """The largest entry of each window of side ``r``; ``stride`` is ``r`` unless given.

    Example:
        >>> import torch
        >>> image = torch.tensor([[1.0, 3.0, 2.0, 1.0], [4.0, 2.0, 0.0, 5.0]])[None, None]
        >>> MaxPool(2)(image).tolist(), MaxPool(2, stride=1)(image).tolist()
        ([[[[4.0, 5.0]]]], [[[[4.0, 3.0, 5.0]]]])
    """

    def forward(self, x: Float[Tensor, "n c h w"]) -> Float[Tensor, "n c i j"]:
        """The pooled images."""
        return self.windows(x).max(dim=-1).values


class AvgPool(_Pool):
    """The mean of each window of side ``r``; ``stride`` is ``r`` unless given.

    Example:
        >>> import torch
        >>> AvgPool(2)(torch.tensor([[1.0, 3.0], [4.0, 2.0]])[None, None]).item()
        2.5
    """

    def forward(self, x: Float[Tensor, "n c h w"]) -> Float[Tensor, "n c i j"]:
        """The pooled images."""
        return self.windows(x).mean(dim=-1)


class GlobalMaxPool(nn.Module):
    """The largest entry of each channel: blind to where it was.

    Example:
        >>> import torch
        >>> GlobalMaxPool()(torch.arange(8.0).reshape(1, 2, 2, 2)).tolist()
        [[3.0, 7.0]]
    """

    def forward(self, x: Float[Tensor, "n c h w"]) -> Float[Tensor, "n c"]:
        """One number per channel."""
        return x.flatten(2).max(dim=-1).values


class GlobalAvgPool(nn.Module):
    """The mean of each channel.

    Example:
        >>> import torch
        >>> GlobalAvgPool()(torch.arange(8.0).reshape(1, 2, 2, 2)).tolist()
        [[1.5, 5.5]]
    """

    def forward(self, x: Float[Tensor, "n c h w"]) -> Float[Tensor, "n c"]:
        """One number per channel."""
        return x.flatten(2).mean(dim=-1)
