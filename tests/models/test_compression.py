import math

import pytest
import torch
from torch import nn

from corollary.core import generator
from corollary.errors import InputError
from corollary.models.compression import compress, on_grid
from corollary.models.mlp import MLP
from corollary.theory.generalization.compression import code_length, compression_deviation
from corollary.theory.generalization.finite_class import finite_class_deviation


def net():
    return MLP([6, 8, 1], rng=generator(0, "net"))


def parameters(module):
    return torch.cat([p.detach().flatten() for p in module.parameters()])


@pytest.mark.parametrize(
    ("method", "options"), [("quantize", {}), ("prune", {"keep": 20}), ("svd", {"rank": 2})]
)
def test_every_number_of_the_code_is_on_the_grid_and_the_network_is_left_alone(method, options):
    big = net()
    before = parameters(big)
    small = compress(big, method, r=9, limit=1.0, **options)
    assert torch.equal(parameters(big), before)
    grid = torch.linspace(-1, 1, 9, dtype=torch.float64)
    assert float((small.code[:, None] - grid).abs().amin(dim=1).max()) < 1e-12
    assert small.length >= small.q * math.log(9) - 1e-9
    assert 0 < small.distance < 1
    assert small.model(torch.zeros(3, 6, dtype=torch.float64)).shape == (3, 1)


def test_quantize_keeps_all_and_prune_keeps_the_largest():
    big = net()
    assert compress(big, "quantize").q == len(parameters(big)) == 65
    small = compress(big, "prune", keep=10, r=255, limit=4.0)
    left = parameters(small.model).nonzero()[:, 0]
    assert set(left.tolist()) <= set(parameters(big).abs().topk(10).indices.tolist())


def test_svd_gives_matrices_of_that_rank_and_fine_grids_lose_nothing():
    big = net()
    small = compress(big, "svd", rank=2, r=2**20 + 1, limit=4.0)
    first, best = next(small.model.parameters()), next(big.parameters())
    U, s, Vt = torch.linalg.svd(best.detach(), full_matrices=False)
    assert torch.allclose(first, (U[:, :2] * s[:2]) @ Vt[:2], atol=1e-4)
    fine = compress(big, "quantize", r=2**20 + 1, limit=4.0)
    assert fine.distance < 1e-4


def test_rounding_is_to_the_nearest_value_and_clips():
    w = torch.tensor([-9.0, -0.6, 0.1, 0.3, 9.0], dtype=torch.float64)
    assert on_grid(w, 5, 1.0).tolist() == [-1.0, -0.5, 0.0, 0.5, 1.0]


def test_the_code_is_a_finite_class():
    assert compression_deviation(code_length(3, 4), 500, 0.1) == pytest.approx(
        finite_class_deviation(64, 500, 0.1, sides=1)
    )
    chosen = code_length(2, 4, Q=5, choices=3)
    assert chosen == pytest.approx(math.log(16 * math.comb(5, 2) * 3))


def test_wrong_requests_are_refused():
    for call in (
        lambda: compress(net(), "prune"),
        lambda: compress(net(), "prune", keep=1000),
        lambda: compress(net(), "svd"),
        lambda: on_grid(torch.zeros(1), 1, 1.0),
        lambda: code_length(3, 4, Q=2),
    ):
        with pytest.raises(InputError):
            call()


def test_convolutions_are_compressed_as_matrices():
    small = compress(nn.Conv2d(3, 8, 5), "svd", rank=1, r=33)
    assert small.q == 8 + 75 + 8
    assert torch.linalg.matrix_rank(small.model.weight.detach().flatten(1)) == 1
