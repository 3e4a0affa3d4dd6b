import pytest
import torch
from torch import nn

from corollary.claims.expressivity.activation_cells import ActivationCells, Given
from corollary.core import Verdict, generator
from corollary.theory.expressivity.regions.plane import linear_regions


def test_the_absolute_value_is_two_half_planes():
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1)).double()
    net[0].weight.data = torch.tensor([[1.0, 0.0], [-1.0, 0.0]]).double()
    net[0].bias.data.zero_()
    net[2].weight.data, net[2].bias.data = torch.ones(1, 2).double(), torch.zeros(1).double()
    cells = linear_regions(net, 2.0)
    assert cells.count == 2
    mix = torch.rand(len(cells.cells.corner), generator=generator(0), dtype=torch.float64)
    result = ActivationCells().check_given(Given(net, cells, mix))
    assert result.verdict is Verdict.HOLDS
    slopes = sorted(cells.maps().slope[:, 0].tolist())
    assert slopes == [[-1.0, 0.0], [1.0, 0.0]]


@pytest.mark.parametrize("widths", [(3,), (4, 4, 4)])
def test_there_are_at_most_two_to_the_units_cells(widths):
    claim = ActivationCells(widths=widths)
    assert claim.check(0).verdict is Verdict.HOLDS
    assert claim.draw(0).cells.count <= 2 ** sum(widths)
