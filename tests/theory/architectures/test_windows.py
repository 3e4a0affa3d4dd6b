import itertools

import pytest
import torch
from torch import nn
from torch.nn import functional

from corollary.errors import InputError
from corollary.theory.architectures.windows import (
    conv_output_size,
    receptive_field,
    same_padding,
    seen_inputs,
    width,
)


def test_the_size_is_that_of_torch():
    for n, k, s, p, d in itertools.product((5, 9, 12), (1, 2, 3), (1, 2, 3), (0, 1), (1, 2)):
        y = functional.conv1d(torch.ones(1, 1, n), torch.ones(1, 1, k), None, s, p, d)
        assert conv_output_size(n, k, s, p, d) == y.shape[-1]


@pytest.mark.parametrize("k", [1, 3, 5, 7])
def test_same_padding_keeps_the_size(k):
    assert conv_output_size(20, k, p=same_padding(k)) == 20


def test_impossible_windows_are_refused():
    with pytest.raises(InputError, match="at least 2"):
        conv_output_size(3, 6)
    assert conv_output_size(3, 6, p=2) == 2
    with pytest.raises(InputError, match=">= 1"):
        conv_output_size(3, 2, s=0)
    with pytest.raises(InputError, match="no padding that is equal"):
        same_padding(4)
    with pytest.raises(InputError, match=r"\(k, s\)"):
        receptive_field([(3,)])


@pytest.mark.parametrize(
    "layers", [[(3, 1)] * 3, [(5, 2), (3, 2), (2, 2)], [(3, 1, 2), (2, 2, 1), (3, 1, 3)]]
)
def test_the_gradient_of_one_output_reaches_what_the_formula_says(layers):
    net = nn.Sequential()
    for k, s, d in ((*layer, 1)[:3] for layer in layers):
        net.append(nn.Conv1d(1, 1, k, stride=s, dilation=d, dtype=torch.float64))
    for p in net.parameters():
        nn.init.uniform_(p, 0.1, 1.0)
    seen = seen_inputs(net, torch.ones(1, 1, 60, dtype=torch.float64))
    assert width(seen[0, 0]) == receptive_field(layers)[-1]


def test_a_place_must_have_all_its_indices_and_nothing_seen_has_no_width():
    with pytest.raises(InputError, match="has no position"):
        seen_inputs(lambda x: x, torch.ones(2, 2), [0])
    assert width(torch.zeros(3, dtype=torch.bool)) == 0
