import torch

from corollary.claims.connectionism import parallel_distributed_processing as pdp
from corollary.core import generator

Claim = pdp.ParallelDistributedProcessing


def test_one_point_costs_one_mistake_and_its_weights_are_the_point():
    given = Claim().given(generator(0))
    one = given._replace(x=given.x[:1], y=torch.ones(1, dtype=torch.float64))
    (weights,) = pdp._mistakes(one)
    assert weights.tolist() == [*one.x[0].tolist(), 1.0]


def test_a_single_pattern_is_recalled_from_a_probe_that_agrees_in_most_places():
    given = Claim(p=1).given(generator(0))
    probe = given.patterns[0].clone()
    probe[:3] *= -1
    states = pdp._recall_by_parts(given._replace(probe=probe))
    assert torch.equal(states[0], given.patterns[0])
