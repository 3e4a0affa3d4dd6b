import pytest
import torch

from corollary.claims.prerequisites.characteristic_polynomial import (
    CharacteristicPolynomial,
    Given,
)
from corollary.core import Verdict


def test_the_identity_of_the_plane_needs_its_eigenvalue_twice():
    """The notes' count: 1 distinct eigenvalue is not the multiplicity 2."""
    eye, z = torch.eye(2, dtype=torch.float64), torch.tensor([3.0], dtype=torch.float64)
    twice, once = (torch.ones(k, dtype=torch.complex128) for k in (2, 1))
    result = CharacteristicPolynomial().check_given(Given(eye, twice, z))
    assert result.verdict is Verdict.HOLDS and result.predicted == (4.0,)
    claim = CharacteristicPolynomial()
    assert claim.predict(Given(eye, once, z)).item() == -2.0
    assert claim.check_given(Given(eye, once, z)).verdict is Verdict.INAPPLICABLE


def test_numpy_has_the_same_polynomial():
    import numpy as np

    claim = CharacteristicPolynomial(n=4)
    given = claim.given(torch.Generator().manual_seed(0))
    theirs = np.polyval(np.poly(given.A.numpy()), given.z.numpy())  # det(zI - A), 6 x 6
    assert claim.measure(given) == pytest.approx(theirs, abs=1e-10)


@pytest.mark.parametrize("n", [1, 3, 8])
@pytest.mark.parametrize("seed", range(3))
def test_it_holds_for_drawn_matrices(seed, n):
    assert CharacteristicPolynomial(n=n).check(seed).verdict is Verdict.HOLDS
