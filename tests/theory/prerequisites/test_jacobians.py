import pytest
import torch

from corollary.errors import InputError
from corollary.theory.prerequisites.jacobians import chain_jacobian, jacobian


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_the_jacobian_of_a_linear_map_is_its_matrix_exactly():
    A = normal(2, 5)
    J = jacobian(lambda x: A @ x, normal(5, seed=1))
    assert J.shape == (2, 5) and torch.equal(J, A)


@pytest.mark.parametrize("seed", range(3))
def test_the_product_of_layer_jacobians_is_that_of_the_composition(seed):
    W, V, A = normal(6, 4, seed=seed), normal(3, 6, seed=seed + 9), normal(2, 3, seed=seed + 99)
    maps = [lambda x: torch.tanh(W @ x), lambda z: torch.sin(V @ z), lambda z: A @ z]
    x = normal(4, seed=seed + 999)
    whole = jacobian(lambda x: maps[2](maps[1](maps[0](x))), x)
    assert torch.allclose(chain_jacobian(maps, x), whole, atol=1e-10, rtol=0)


def test_the_scalar_case_is_the_chain_rule_of_school():
    x = torch.tensor([0.4], dtype=torch.float64)
    found = chain_jacobian([torch.square, torch.sin], x)
    assert found.item() == pytest.approx(2 * 0.4 * torch.cos(x**2).item())


def test_maps_that_do_not_fit_are_named():
    A, B = normal(3, 2), normal(2, 2)
    with pytest.raises(InputError, match=r"maps\[1\] cannot take the vector of 3 numbers"):
        chain_jacobian([lambda x: A @ x, lambda x: B @ x], normal(2))
    with pytest.raises(InputError, match="at least one map"):
        chain_jacobian([], normal(2))
    with pytest.raises(InputError, match="must return a vector"):
        jacobian(torch.sum, normal(2))
