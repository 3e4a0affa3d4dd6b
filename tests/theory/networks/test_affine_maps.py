import pytest
import torch

from corollary.errors import InputError
from corollary.theory.networks.affine_maps import AffineMap, composed


def random_map(n: int, m: int, rng: torch.Generator) -> AffineMap:
    draw = torch.randn(m, n + 1, generator=rng, dtype=torch.float64)
    return AffineMap(draw[:, :n], draw[:, n])


def test_composing_two_lines_is_the_line_one_computes_by_hand():
    f = AffineMap(torch.tensor([[2.0]]), torch.tensor([1.0]))
    g = AffineMap(torch.tensor([[-3.0]]), torch.tensor([5.0]))
    W, b = composed([f, g])  # -3 (2 x + 1) + 5
    assert (W.item(), b.item()) == (-6.0, 2.0)


@pytest.mark.parametrize("seed", range(3))
def test_the_one_map_agrees_with_the_chain_of_maps(seed):
    rng = torch.Generator().manual_seed(seed)
    maps = [random_map(n, m, rng) for n, m in ((5, 7), (7, 2), (2, 6))]
    x = y = torch.randn(10, 5, generator=rng, dtype=torch.float64)
    for one in maps:
        y = one.apply(y)
    torch.testing.assert_close(composed(maps).apply(x), y, rtol=1e-12, atol=1e-12)
    assert torch.linalg.matrix_rank(composed(maps).W) == 2


def test_maps_that_do_not_fit_are_refused():
    rng = torch.Generator()
    with pytest.raises(
        InputError, match="map 2 expects 3 inputs, but the map before it has 4 outputs"
    ):
        composed([random_map(2, 4, rng), random_map(3, 1, rng)])
    with pytest.raises(InputError, match="got none"):
        composed([])
    with pytest.raises(InputError, match="an offset with one entry per row"):
        composed([AffineMap(torch.eye(2), torch.zeros(3))])
