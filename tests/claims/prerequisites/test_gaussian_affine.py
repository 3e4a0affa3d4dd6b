import pytest
import torch

from corollary.claims.prerequisites.gaussian_affine import GaussianAffine
from corollary.core import Verdict, generator


def test_the_identity_map_leaves_the_quantiles():
    claim = GaussianAffine(k=2, p=2)
    given = claim.given(generator(0, "identity"))
    eye = torch.eye(2, dtype=torch.float64)
    still = given._replace(A=eye, b=0 * given.b, u=eye)
    assert claim.check_given(still).verdict is Verdict.HOLDS


def test_a_forgotten_shift_is_noticed():
    claim = GaussianAffine()
    given = claim.given(generator(0, "shift"))
    moved = given._replace(z=given.z + 0.5)
    assert claim.trial(moved).comparison.verdict is Verdict.FAILS


def test_signs_with_the_same_moments_are_not_normal():
    refuted = GaussianAffine().refute(0)
    assert refuted.fails and refuted.broken == ("X is normal",)


@pytest.mark.parametrize(("k", "p"), [(1, 1), (2, 5), (6, 2)])
@pytest.mark.parametrize("seed", range(2))
def test_it_holds_for_drawn_maps(seed, k, p):
    assert GaussianAffine(k=k, p=p).check(seed).verdict is Verdict.HOLDS
