import pytest
import torch

from corollary.claims.geometry.t_net_distortion import Given, TNetDistortion
from corollary.core import Verdict


def cloud(A: torch.Tensor) -> Given:
    X = torch.eye(3, dtype=torch.float64)[:2] * 2
    return Given(X, A, A.expand(2, 3, 3))


def test_a_stretch_along_the_difference_attains_the_bound():
    """A = I + (a - 1) z z^T along z = x - y changes its square by a^2 - 1 = |I - A A^T|."""
    z = torch.tensor([1.0, -1.0, 0.0], dtype=torch.float64) / 2**0.5
    A = torch.eye(3, dtype=torch.float64) + 0.5 * torch.outer(z, z)
    result = TNetDistortion().check_given(cloud(A))
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == pytest.approx(1.25) == pytest.approx(result.predicted[0])


def test_a_rotation_keeps_distances():
    Q = torch.linalg.qr(torch.randn(3, 3, dtype=torch.float64)).Q
    given = cloud(Q)
    claim = TNetDistortion()
    assert claim.predict(given) < 1e-14 and claim.measure(given) < 1e-14


@pytest.mark.parametrize("step", [0.01, 0.5])
def test_it_holds_near_and_far_from_the_start(step):
    result = TNetDistortion(step=step).check(2)
    assert result.verdict is Verdict.HOLDS and result.measured[0].value > 0  # never rigid
