import pytest
import torch

from corollary.claims.networks.autoencoder_gradients import AutoencoderGradients, Given
from corollary.core import Verdict
from corollary.theory.networks.activations import LINEAR


def test_one_number_a_point_is_the_case_worked_by_hand():
    C, D, x = (torch.tensor([[v]], dtype=torch.float64) for v in (2.0, 3.0, 1.0))
    result = AutoencoderGradients().check_given(Given(C, D, x, LINEAR))
    assert result.verdict is Verdict.HOLDS
    assert list(result.predicted) == [15.0, 10.0]  # D (y - x) x and (y - x) x C with y - x = 5


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("m", [1, 5, 9])
def test_it_holds_for_drawn_autoencoders(seed, m):
    assert AutoencoderGradients(m=m).check(seed).verdict is Verdict.HOLDS


def test_a_code_through_tanh_has_other_gradients():
    refuted = AutoencoderGradients().refute(1)
    assert refuted.fails and refuted.broken == ("encoder and decoder are linear",)
