import math

import torch

from corollary.claims.architectures.gaussian_operators import GaussianOperators, Given, density
from corollary.core import Verdict


def test_the_density_agrees_with_torch():
    t = torch.linspace(-3, 3, 13, dtype=torch.float64)
    normal = torch.distributions.Normal(torch.tensor(0.0).double(), math.sqrt(0.7))
    torch.testing.assert_close(density(t, 0.7), normal.log_prob(t).exp())


def test_the_standard_normal_and_its_double_are_found_at_zero():
    given = Given(torch.arange(-160, 161, dtype=torch.float64) / 16, 1.0, 1.0)
    result = GaussianOperators().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert abs(result.measured[0].value - 1) < 1e-12
    assert abs(result.measured[9].value - 1 / math.sqrt(4 * math.pi)) < 1e-12
