from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol

import numpy as np
import pytest
import torch
from jaxtyping import Float, Int, Shaped, jaxtyped
from torch import Tensor, nn

from corollary.arguments.fitting import expected, fits, got


class Scorer(Protocol):
    def score(self) -> float: ...


@pytest.mark.parametrize(
    ("value", "annotation"),
    [
        (1, float),
        (np.int64(3), int),
        (np.float32(3), float),
        (None, float | None),
        ("sum", Literal["mean", "sum"]),
        (torch.relu, Callable[[Tensor], Tensor]),
        (nn.ReLU(), Callable[[Tensor], Tensor] | None),
        ([1, 2], Sequence[int]),
        ((1, "a"), tuple[int, str]),  # parts of unlike types are not looked into
        ({"a": 1}, Mapping[str, int]),
        (range(3), Iterable[int]),
        (torch.ones(2, 3), Float[Tensor, "n d"]),
        (torch.ones(2), Tensor),
        (object(), Any),
        (object(), "SomethingElsewhere"),
        (3, Scorer),  # a protocol that cannot be asked
    ],
)
def test_a_good_value_fits(value, annotation):
    assert fits(value, annotation)


@pytest.mark.parametrize(
    ("value", "annotation"),
    [
        (None, float),
        ("one", float | None),
        (1.5, int),
        ("max", Literal["mean", "sum"]),
        (3, Callable[[Tensor], Tensor]),
        (3, Sequence[int]),
        (["a"], Sequence[int]),
        (3, Mapping[str, int]),
        (torch.ones(3), Float[Tensor, "n d"]),
        (torch.ones(2, 3, dtype=torch.int64), Float[Tensor, "n d"]),
        (torch.ones(2, 3), Int[Tensor, "n d"] | None),
        (nn.ReLU, nn.Module),
    ],
)
def test_a_bad_value_does_not_fit(value, annotation):
    assert not fits(value, annotation)


def test_axes_of_the_same_name_have_the_same_size_in_one_context():
    assert fits(torch.ones(2), Float[Tensor, " n"])
    with jaxtyped("context"):
        assert fits(torch.ones(3, 2), Float[Tensor, "n d"])
        assert not fits(torch.ones(2), Float[Tensor, " n"])


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (Float[Tensor, " n"], "a float tensor of shape (n,)"),
        (Int[Tensor, "n k"] | None, "an int tensor of shape (n, k) or None"),
        (Shaped[Tensor, "..."], "a tensor"),
        (Literal["mean", "sum"], "one of 'mean', 'sum'"),
        (Sequence[int], "Sequence[int]"),
        (tuple[int, ...], "tuple[int, ...]"),
        (Callable[[Tensor], Tensor], "a function"),
        (nn.Module, "Module"),
    ],
)
def test_annotations_read_as_words(annotation, words):
    assert expected(annotation) == words


def test_values_read_as_words():
    assert got(np.ones((2, 3))) == "a float64 array of shape (2, 3)"
    assert got(2.5) == "2.5 (float)"
    assert got(list(range(100))) == "an object of type list"
