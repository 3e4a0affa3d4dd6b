r"""A convolution layer with channels, stride and padding, with or without the flip.

.. math:: Y[i,j,m]=b_m+\sum_c\sum_{u,v}X[is_h+u-p_h,\,js_w+v-p_w,\,c]\;
   K^{(m)}[H_K-1-u,\,W_K-1-v,\,c]

is the convolution. Without the flip the last factor is :math:`K^{(m)}[u,v,c]`: the correlation that
frameworks call convolution. A layer that learns its kernel can do with either.

:source: Lucchi (2025), Foundations of Deep Learning, Section 10.1.2; Perez Jensen (2025), Deep
    Learning, Section 4.2.
:covers: conv2d-multichannel
"""

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.theory.architectures.windows import conv_output_size
from corollary.theory.kernels.empirical.patches import patches
from corollary.theory.seeding import as_generator

Pair = int | tuple[int, int]


class Conv2d(nn.Module):
    """``c_in`` channels to ``c_out``: patches as columns, then one matrix product.

    Example:
        >>> image = torch.arange(9.0).reshape(1, 1, 3, 3)
        >>> K = torch.tensor([[[[1.0, 0.0], [0.0, 0.0]]]])
        >>> Conv2d.of(K)(image).flatten().tolist()  # flipped: the last entry of each window
        [4.0, 5.0, 7.0, 8.0]
        >>> Conv2d.of(K, flip=False)(image).flatten().tolist()  # the first
        [0.0, 1.0, 3.0, 4.0]
    """

    def __init__(
        self,
        c_in: int,
        c_out: int,
        kernel: Pair,
        *,
        stride: Pair = 1,
        padding: Pair = 0,
        flip: bool = True,
        rng: int | Generator = 0,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        rng = as_generator(rng)
        self.kernel, self.stride, self.padding = _pair(kernel), _pair(stride), _pair(padding)
        if min(c_in, c_out, *self.kernel, *self.stride) < 1 or min(self.padding) < 0:
            raise InputError(
                "channels, kernel and stride must be at least 1 and the padding at least 0, got "
                f"c_in={c_in}, c_out={c_out}, kernel={kernel}, stride={stride}, padding={padding}"
            )
        self.c_in, self.c_out, self.flip = c_in, c_out, flip
        shape = (c_out, c_in, *self.kernel)
        fan = c_in * self.kernel[0] * self.kernel[1]
        draw = torch.randn(shape, generator=rng, device=rng.device, dtype=dtype)
        self.K = nn.Parameter(draw / fan**0.5)
        self.b = nn.Parameter(draw.new_zeros(c_out))

    @classmethod
    def of(
        cls,
        K: Float[Tensor, "m c a e"],
        b: Float[Tensor, " m"] | None = None,
        *,
        stride: Pair = 1,
        padding: Pair = 0,
        flip: bool = True,
    ) -> "Conv2d":
        """The layer with these kernels and offsets."""
        c_out, c_in, *kernel = K.shape
        layer = Conv2d(
            c_in,
            c_out,
            (kernel[0], kernel[1]),
            stride=stride,
            padding=padding,
            flip=flip,
            rng=Generator(),
            dtype=K.dtype,
        )
        layer.K = nn.Parameter(K.detach().clone())
        layer.b = nn.Parameter(K.new_zeros(c_out) if b is None else b.detach().clone())
        return layer

    def output_size(self, size: tuple[int, int]) -> tuple[int, int]:
        """Height and width of the output for an image of this height and width."""
        steps = zip(size, self.kernel, self.stride, self.padding, strict=True)
        h, w = (conv_output_size(*step) for step in steps)
        return h, w

    def forward(self, x: Float[Tensor, "n c h w"]) -> Float[Tensor, "n m i j"]:
        """All output channels of all images."""
        if x.shape[1] != self.c_in:
            raise InputError(f"expected {self.c_in} channels, got images of shape {tuple(x.shape)}")
        out = self.output_size((x.shape[2], x.shape[3]))
        K = self.K.flip((2, 3)) if self.flip else self.K
        columns = patches(x, self.kernel, stride=self.stride, padding=self.padding)[:, 0]
        return torch.unflatten(K.flatten(1) @ columns + self.b[:, None], -1, out)


def _pair(size: Pair) -> tuple[int, int]:
    return (size, size) if isinstance(size, int) else size
