import pytest
import torch

from corollary.data.alternating_points import alternating_points
from corollary.errors import InputError
from corollary.models.sawtooth import sawtooth


@pytest.mark.parametrize("n", [1, 6, 10])
def test_the_labels_are_the_sawtooth_at_the_points(n):
    x, y = alternating_points(n)
    assert len(x) == 2**n
    assert torch.equal(sawtooth(n, "two_layer")(x)[:, 0], y)


def test_too_many_points_are_refused():
    with pytest.raises(InputError, match="n=25"):
        alternating_points(25)
