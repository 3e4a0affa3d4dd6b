import pytest
import torch
from torch import nn

from corollary.data.augmentation import crops, flips, quarter_turns
from corollary.errors import InputError
from corollary.models.group_average import GroupAverage


def picture(n=3, h=4, w=4):
    return torch.randn(n, 1, h, w, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def network():
    return nn.Sequential(nn.Flatten(), nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 2)).double()


@pytest.mark.parametrize("group", [flips(), quarter_turns(), quarter_turns(mirrored=True)])
def test_an_average_over_a_group_is_invariant(group):
    net = GroupAverage(network(), group)
    for turn in group:
        torch.testing.assert_close(net(turn(picture())), net(picture()))


def test_an_average_over_something_else_is_not():
    net = GroupAverage(network(), crops(1))
    shifted = crops(1)[0](picture())
    assert float((net(shifted) - net(picture())).detach().abs().max()) > 1e-3


def test_one_transformation_is_the_model_itself():
    net = network()
    torch.testing.assert_close(GroupAverage(net, flips()[:1])(picture()), net(picture()))


def test_a_transformation_that_changes_the_shape_is_refused():
    with pytest.raises(InputError, match="square"):
        GroupAverage(nn.Flatten(), quarter_turns())(picture(h=2))
    with pytest.raises(InputError, match="at least one"):
        GroupAverage(nn.Flatten(), [])
