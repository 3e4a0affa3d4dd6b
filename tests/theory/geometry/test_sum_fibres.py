import torch

from corollary.models.mlp import MLP
from corollary.theory.geometry.sum_fibres import derivative_of_sum, sum_fibre, widest_pair


def phi_of(d: int) -> MLP:
    return MLP([1, 12, d], "tanh", rng=torch.Generator().manual_seed(d))


def test_all_sets_of_a_fibre_have_the_same_sum():
    start = torch.tensor([0.3, 0.5, 0.6], dtype=torch.float64)
    path = sum_fibre(phi_of(2), start)
    with torch.no_grad():
        sums = phi_of(2)(path[..., None]).sum(dim=1)
    assert len(path) > 20
    assert torch.allclose(sums, sums[:1].expand_as(sums), atol=1e-8)
    assert bool(((path >= 0) & (path <= 1)).all())


def test_with_enough_latent_numbers_there_is_no_way_out():
    start = torch.tensor([0.3, 0.5, 0.6], dtype=torch.float64)
    assert torch.equal(sum_fibre(phi_of(3), start), start[None])


def test_the_derivative_is_that_of_autograd():
    x = torch.tensor([0.1, 0.4], dtype=torch.float64)
    known = torch.autograd.functional.jacobian(lambda x: phi_of(3)(x[:, None]).sum(0), x)
    assert torch.allclose(derivative_of_sum(phi_of(3), x), known)


def test_pairs_become_narrower_as_latent_numbers_are_added():
    rng = torch.Generator().manual_seed(0)
    spreads = []
    for d in (1, 2, 3):
        u, v = widest_pair(phi_of(d), 3, rng=rng)
        spreads.append(float(v.max() - u.max()))
    assert spreads[0] > spreads[1] > spreads[2] == 0.0
