r"""Transformations of images that a label does not mind, and data sets extended by them.

.. math:: \{(x_i,y_i)\}_{i=1}^n\mapsto\bigcup_{k=1}^K\{(\tau_k(x_i),y_i)\}_{i=1}^n

A transformation is a function of a batch. The lists here hold the identity; flips and quarter turns
are groups, crops and noise are not. To draw transformations while training, hand
:class:`corollary.train.Augmented` to ``fit``.

:source: Perez Jensen (2025), Deep Learning, Section 8.7; Simard, Steinkraus and Platt (2003), "Best
    practices for convolutional neural networks applied to visual document analysis".
:covers: data-augmentation
"""

from collections.abc import Callable, Sequence
from functools import partial

import torch
from jaxtyping import Float, Shaped
from torch import Generator, Tensor

from corollary.errors import InputError
from corollary.theory.seeding import as_generator

Transform = Callable[[Tensor], Tensor]


def identity(x: Shaped[Tensor, "..."]) -> Shaped[Tensor, "..."]:
    """The batch itself."""
    return x


def flips() -> list[Transform]:
    """The group of horizontal and vertical flips of images (..., h, w), four elements.

    Example:
        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> [f(x).flatten().tolist() for f in flips()][1]
        [2.0, 1.0, 4.0, 3.0]
    """
    axes = ((-1,), (-2,), (-2, -1))
    return [identity, *(partial(torch.flip, dims=a) for a in axes)]


def quarter_turns(*, mirrored: bool = False) -> list[Transform]:
    """The group of rotations by 90 degrees of square images; with mirror images, eight elements.

    Example:
        >>> [f(torch.tensor([[1, 2], [3, 4]])).flatten().tolist() for f in quarter_turns()][1]
        [2, 4, 1, 3]
    """
    turns: list[Transform] = [partial(torch.rot90, k=k, dims=(-2, -1)) for k in range(4)]
    if not mirrored:
        return turns
    return turns + [partial(_mirrored, k=k) for k in range(4)]


def crops(pad: int) -> list[Transform]:
    """All windows of the old size in images with ``pad`` rows and columns of zeros around them.

    Example:
        >>> len(crops(1)), crops(1)[0](torch.ones(1, 2, 2)).tolist()
        (9, [[[0.0, 0.0], [0.0, 1.0]]])
    """
    if pad < 0:
        raise InputError(f"pad must be at least 0, got {pad}")
    moves = range(2 * pad + 1)
    return [partial(_cropped, pad=pad, down=i, right=j) for i in moves for j in moves]


def jitters(sigma: float, count: int, *, rng: int | Generator = 0) -> list[Transform]:
    """The identity and ``count - 1`` additions of normal noise, a new draw at each call.

    Example:
        >>> noisy = jitters(0.1, 3, rng=torch.Generator().manual_seed(0))
        >>> len(noisy), bool((noisy[1](torch.zeros(5)) != noisy[1](torch.zeros(5))).all())
        (3, True)
    """
    rng = as_generator(rng)
    if not sigma >= 0 or count < 1:
        raise InputError(f"noise needs sigma >= 0 and count >= 1, got sigma={sigma}, count={count}")
    return [identity, *([partial(_noisy, sigma=sigma, rng=rng)] * (count - 1))]


def augmented(
    x: Float[Tensor, "n *s"], y: Shaped[Tensor, "n *t"], transforms: Sequence[Transform]
) -> tuple[Float[Tensor, "m *s"], Shaped[Tensor, "m *t"]]:
    """The data set under every transformation, K n rows, those of the first one first.

    Example:
        >>> x, y = augmented(torch.ones(3, 1, 4, 4), torch.arange(3), flips())
        >>> tuple(x.shape), y.tolist()
        ((12, 1, 4, 4), [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2])
    """
    if not transforms:
        raise InputError(
            "at least one transformation is needed; `identity` leaves the data unchanged"
        )
    if len(x) != len(y):
        raise InputError(f"expected one label per input, got {len(y)} labels for {len(x)} inputs")
    return torch.cat([f(x) for f in transforms]), torch.cat([y] * len(transforms))


def _mirrored(x: Tensor, k: int) -> Tensor:
    return torch.rot90(x.flip(-1), k=k, dims=(-2, -1))


def _cropped(x: Tensor, pad: int, down: int, right: int) -> Tensor:
    h, w = x.shape[-2:]
    wide = torch.nn.functional.pad(x, (pad, pad, pad, pad))
    return wide[..., down : down + h, right : right + w]


def _noisy(x: Tensor, sigma: float, rng: Generator) -> Tensor:
    noise = torch.randn(x.shape, generator=rng, device=rng.device, dtype=x.dtype)
    return x + sigma * noise.to(x.device)
