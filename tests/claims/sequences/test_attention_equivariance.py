import pytest
import torch

from corollary.claims.sequences.attention_equivariance import AttentionEquivariance
from corollary.core import Verdict, generator
from corollary.models.transformers.blocks import EncoderBlock
from corollary.theory.geometry.symmetry import check_equivariance, check_invariance, permutations_of


@pytest.mark.parametrize("norm", ["post", "pre", "none"])
def test_it_holds_wherever_the_block_normalises(norm):
    assert AttentionEquivariance(norm=norm).check(3).verdict is Verdict.HOLDS


def test_outputs_are_permuted_and_not_unchanged():
    """The notes' "permutation-invariant" would ask for f(PX) = f(X)."""
    rng = torch.Generator().manual_seed(0)
    block, X = EncoderBlock(8, 2, rng=rng), torch.randn(6, 8, generator=rng, dtype=torch.float64)
    perms = permutations_of(6, 3, rng=rng)
    assert check_equivariance(block, X, perms)
    broken = check_invariance(block, X, perms)
    assert not broken and broken.gap > 0.1
    assert check_invariance(lambda X: block(X).mean(dim=0), X, perms)


def test_a_readout_at_the_first_token_is_invariant_to_the_order_of_the_others():
    rng = torch.Generator().manual_seed(0)
    block, X = EncoderBlock(8, 2, rng=rng), torch.randn(6, 8, generator=rng, dtype=torch.float64)
    others = permutations_of(5, 3, rng=rng) + 1
    perms = torch.cat([torch.zeros(len(others), 1, dtype=torch.int64), others], dim=1)
    assert check_invariance(lambda X: block(block(X))[0], X, perms)


def test_two_rows_by_hand():
    """Swapped rows: the prediction is the swapped output, then the mean."""
    claim = AttentionEquivariance(T=2, d=2)
    given = claim.given(generator(0))
    Y = given.block(given.X).detach()
    assert claim.predict(given).tolist() == [*Y.flip(0).flatten().tolist(), *Y.mean(dim=0).tolist()]
