r"""MNIST in ten classes or in two, with digits that need no download in its place.

The two-class form has :math:`y=+1` for the digits 0 to 4 and :math:`-1` for 5 to 9; 55,000 of the
60,000 training images are used, as in the table of certificates.

:source: Lucchi (2025), Foundations of Deep Learning, Section 9.2 and Figure 11.1; LeCun, Bottou,
    Bengio and Haffner (1998), "Gradient-based learning applied to document recognition"; Dziugaite
    and Roy (2017), "Computing nonvacuous generalization bounds for deep (stochastic) neural
    networks", Section 4.
"""

from dataclasses import dataclass
from functools import cache

import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from corollary.core.randomness import generator
from corollary.data.files import data_folders
from corollary.data.real import MNIST, digits, low_or_high, mnist
from corollary.errors import InputError

TRAINING_IMAGES = 55_000


@dataclass(frozen=True)
class Images:
    """Images as rows with their labels, and where they are from."""

    x: Float[Tensor, "n d"]
    y: Shaped[Tensor, " n"]  # classes 0 to 9, or labels -1 and 1
    name: str  # "MNIST" or "digits (8 × 8)"
    fallback: bool  # whether these stand in for MNIST


def mnist_or_digits(
    split: str = "train", *, binary: bool = False, embedded: bool = False
) -> Images:
    """MNIST if its files are on this machine, else scikit-learn's digits in the same form.

    Nothing is downloaded for it: files are looked for where :mod:`corollary.data.files` says, in
    ``COROLLARY_DATA`` above all. The digits come in a fixed random order (their own goes by
    writer), so that the test part is like the training part.

    Args:
        split: ``train`` or ``test``.
        binary: Labels +1 for the digits 0 to 4 and -1 for 5 to 9.
        embedded: Take the digits even if MNIST is there.

    Example:
        >>> images = mnist_or_digits("test", binary=True, embedded=True)
        >>> sorted(set(images.y.tolist())), tuple(images.x.shape), images.fallback
        ([-1.0, 1.0], (360, 64), True)

    :covers: dataset-mnist-binary
    """
    if embedded or not _on_this_machine():
        x, y = _shuffled_digits(split)
        name = "digits (8 × 8)"
    else:
        x, y = mnist(split)
        x, y = x[:TRAINING_IMAGES], y[:TRAINING_IMAGES]  # the test part is smaller
        name = "MNIST"
    return Images(x.flatten(1), low_or_high(y) if binary else y, name, name != "MNIST")


def _on_this_machine() -> bool:
    return all(any((f / file.path).is_file() for f in data_folders()) for file in MNIST.values())


def _shuffled_digits(split: str) -> tuple[Tensor, Tensor]:
    if split not in ("train", "test"):
        raise InputError(f"expected split to be 'train' or 'test', got {split!r}")
    x, y, n = _all_digits()
    order = torch.randperm(len(x), generator=generator(0, "digits"))
    rows = order[:n] if split == "train" else order[n:]
    return x[rows], y[rows]


@cache
def _all_digits() -> tuple[Tensor, Tensor, int]:
    parts = [digits(part) for part in ("train", "test")]
    x, y = (torch.cat(tensors) for tensors in zip(*parts, strict=True))
    return x, y, len(parts[0][0])
