import pytest
import torch

from corollary.data.patterns import orthogonal_patterns, random_patterns, with_flipped_bits
from corollary.errors import InputError


def rng(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("p", [0.5, 0.9])
def test_random_signs_are_plus_one_as_often_as_asked(p):
    x = random_patterns(100, 1000, p=p, rng=rng())
    assert float((x == 1).double().mean()) == pytest.approx(p, abs=0.01)
    assert bool((x.abs() == 1).all())


def test_the_same_generator_gives_the_same_patterns():
    assert torch.equal(random_patterns(3, 5, rng=rng()), random_patterns(3, 5, rng=rng()))


@pytest.mark.parametrize("shuffle", [None, 0])
def test_hadamard_rows_are_orthogonal(shuffle):
    x = orthogonal_patterns(20, 64, rng=None if shuffle is None else rng(shuffle))
    assert torch.equal(x @ x.T, 64 * torch.eye(20, dtype=torch.float64))


def test_exactly_the_share_asked_for_is_flipped():
    x = random_patterns(10, 50, rng=rng())
    assert ((with_flipped_bits(x, 0.3, rng=rng(1)) != x).sum(1) == 15).all()


@pytest.mark.parametrize(
    "call",
    [
        lambda: random_patterns(0, 3, rng=rng()),
        lambda: random_patterns(2, 3, p=1.5, rng=rng()),
        lambda: orthogonal_patterns(3, 6),
        lambda: orthogonal_patterns(5, 4),
        lambda: with_flipped_bits(torch.ones(3), 2.0, rng=rng()),
    ],
)
def test_what_cannot_be_drawn_is_refused(call):
    with pytest.raises(InputError):
        call()
