r"""An image as a sequence of patches.

An image of :math:`C \times H \times W` numbers is cut into :math:`(H/P)(W/P)` squares, read row by
row, each flattened to :math:`CP^2` numbers. A linear map of the flattened patches is the
convolution with kernel and stride :math:`P` whose filters are the rows of the map.

:source: Perez Jensen (2025), Deep Learning, Section 6.6 and Figure 6.4; Dosovitskiy, Beyer,
    Kolesnikov et al. (2020), An image is worth 16x16 words, Section 3.1.
"""

from jaxtyping import Float
from torch import Tensor

from corollary.errors import InputError


def patches(x: Float[Tensor, "b c h w"], patch: int) -> Float[Tensor, "b n cpp"]:
    """The flattened patches of each image, from left to right and top to bottom.

    Example:
        >>> import torch
        >>> x = torch.arange(16.0).reshape(1, 1, 4, 4)
        >>> patches(x, 2)[0].tolist()[:2]
        [[0.0, 1.0, 4.0, 5.0], [2.0, 3.0, 6.0, 7.0]]
    """
    h, w = x.shape[-2:]
    check_divisible((h, w), patch)
    cut: Tensor = x.unflatten(3, (w // patch, patch)).unflatten(2, (h // patch, patch))
    return cut.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)  # (b, h/P w/P, c P P)


def unpatched(
    parts: Float[Tensor, "b n cpp"], patch: int, size: tuple[int, int]
) -> Float[Tensor, "b c h w"]:
    """The images of given height and width whose :func:`patches` these are.

    Example:
        >>> import torch
        >>> x = torch.arange(32.0).reshape(1, 2, 4, 4)
        >>> torch.equal(unpatched(patches(x, 2), 2, (4, 4)), x)
        True
    """
    check_divisible(size, patch)
    rows, columns = size[0] // patch, size[1] // patch
    cut: Tensor = parts.unflatten(2, (-1, patch, patch)).unflatten(1, (rows, columns))
    return cut.permute(0, 3, 1, 4, 2, 5).flatten(4).flatten(2, 3)


def check_divisible(size: tuple[int, int], patch: int) -> None:
    """Complain unless whole patches cover the image."""
    h, w = size
    if patch < 1 or h < 1 or w < 1 or h % patch or w % patch:
        raise InputError(
            f"patches of {patch} x {patch} do not cover an image of {h} x {w}; choose a patch "
            "size that divides both sides, or resize the image"
        )
