"""Generators that depend on a seed and a name, and on nothing else.

Each entry of the catalogue draws from its own generator, so the order of a run, its number of
processes and the other entries change nothing.
"""

import hashlib
import operator

import torch


def derived_seed(seed: int, *names: str | int) -> int:
    """A 63-bit seed for the stream called ``names`` under the user's ``seed``.

    Example:
        >>> derived_seed(0, "novikoff") == derived_seed(0, "novikoff")
        True
        >>> derived_seed(0, "novikoff") == derived_seed(1, "novikoff")
        False
    """
    text = "/".join(str(part) for part in (operator.index(seed), *names))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def generator(seed: int, *names: str | int, device: torch.device | str = "cpu") -> torch.Generator:
    """A fresh generator for the stream called ``names`` under ``seed``."""
    return torch.Generator(device=device).manual_seed(derived_seed(seed, *names))


def normal(rng: torch.Generator, *shape: int) -> torch.Tensor:
    """Independent standard normal numbers in float64, the precision of claims."""
    return torch.randn(shape, generator=rng, device=rng.device, dtype=torch.float64)


def uniform(rng: torch.Generator, *shape: int) -> torch.Tensor:
    """Independent uniform numbers from [0, 1) in float64, the precision of claims."""
    return torch.rand(shape, generator=rng, device=rng.device, dtype=torch.float64)
