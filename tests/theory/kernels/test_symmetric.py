import pytest
import torch
from torch import nn

from corollary.core import generator
from corollary.theory.kernels.empirical.ntk import empirical_ntk
from corollary.theory.kernels.kernel import PolynomialKernel, RBFKernel
from corollary.theory.kernels.symmetric import add_gram, mirror


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_upper_triangle_is_that_of_the_whole_product(dtype):
    x = torch.randn(37, 53, generator=generator(0, "gram"), dtype=dtype)
    start = torch.randn(37, 37, generator=generator(1, "gram"), dtype=dtype)
    total = start.clone()
    add_gram(total, x)
    # each entry sums 53 products, in another order
    tolerance = 53 * torch.finfo(dtype).eps * float((x @ x.T).abs().max())
    assert torch.allclose(total.triu(), (start + x @ x.T).triu(), rtol=0, atol=tolerance)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_types_without_a_rank_update_take_the_whole_product(dtype):
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=dtype)
    total = torch.ones(2, 2, dtype=dtype)
    add_gram(total, x)
    assert total.triu().tolist() == [[6.0, 12.0], [0.0, 26.0]]


def test_columns_and_gaps_are_read_as_they_stand():
    wide = torch.arange(12.0).view(3, 4)
    for x in (wide[:, ::2], wide.T, wide[1:2]):
        total = torch.zeros(len(x), len(x))
        add_gram(total, x)
        assert torch.equal(total.triu(), (x @ x.T).triu())


def test_a_part_of_a_larger_matrix_is_written_too():
    whole, x = torch.zeros(4, 4), torch.eye(2)
    add_gram(whole[:2, 1:3], x)
    assert torch.equal(whole[:2, 1:3].triu(), torch.eye(2))
    assert float(whole[2:].abs().sum()) == 0.0


def test_a_mirrored_matrix_is_symmetric_and_keeps_its_upper_triangle():
    total = torch.arange(9.0).view(3, 3)
    mirror(total)
    assert total.tolist() == [[0.0, 1.0, 2.0], [1.0, 4.0, 5.0], [2.0, 5.0, 8.0]]


@pytest.mark.parametrize("kernel", [PolynomialKernel(3, 1.0), RBFKernel()], ids=["power", "rbf"])
def test_gram_matrices_are_symmetric_to_the_last_bit(kernel):
    k = kernel(torch.randn(200, 9, generator=generator(0, "gram"), dtype=torch.float64))
    assert torch.equal(k, k.T)


@pytest.mark.parametrize("memory", [2**29, 2**18])
@pytest.mark.parametrize("mode", ["trace", "diagonal", "full"])
def test_tangent_kernels_of_one_set_are_symmetric_to_the_last_bit(mode, memory):
    net = nn.Sequential(nn.Linear(30, 17), nn.GELU(), nn.LayerNorm(17), nn.Linear(17, 5)).double()
    x = torch.randn(90, 30, generator=generator(0, "tangent"), dtype=torch.float64)
    k = empirical_ntk(net, x, mode=mode, memory=memory)
    swapped = k.transpose(0, 1)
    assert torch.equal(k, swapped.mT if mode == "full" else swapped)
