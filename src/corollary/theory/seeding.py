"""What is given as ``rng``: a seed, or a generator of the caller's."""

import torch
from torch import Generator

from corollary.errors import InputTypeError


def as_generator(rng: int | Generator, device: torch.device | str = "cpu") -> Generator:
    """The generator itself, or a new one on ``device`` that starts from the seed.

    Example:
        >>> a, b = as_generator(7), as_generator(7)
        >>> bool(torch.rand((), generator=a) == torch.rand((), generator=b))
        True
        >>> as_generator(a) is a
        True
    """
    if isinstance(rng, Generator):
        return rng
    if isinstance(rng, bool) or not isinstance(rng, int):
        raise InputTypeError(
            f"rng: expected a whole number or a torch.Generator, got {type(rng).__name__}; "
            "omit it for the seed 0"
        )
    return torch.Generator(device=device).manual_seed(rng)
