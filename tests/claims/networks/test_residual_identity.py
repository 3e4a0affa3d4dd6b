import pytest
import torch

from corollary.claims.networks.residual_identity import ResidualIdentity
from corollary.core import Verdict, generator


@pytest.mark.parametrize("phi", ["sigmoid", "tanh", "relu", "elu"])
@pytest.mark.parametrize("m", [6, 2, 9])
def test_it_holds_for_every_activation_and_width(phi, m):
    result = ResidualIdentity(m=m, phi=phi).check(0)
    assert result.verdict is Verdict.HOLDS


def test_without_projection_the_output_is_the_input_to_the_bit():
    claim = ResidualIdentity()
    given = claim.given(generator(0, "bits"))
    assert torch.equal(claim.measure(given), given.x.flatten())


def test_weights_that_are_not_zero_do_not_give_the_shortcut():
    claim = ResidualIdentity()
    given = claim.suppositions[0].without(claim.draw(0))
    assert claim.check_given(given).verdict is Verdict.INAPPLICABLE
    assert not torch.equal(claim.measure(given), claim.predict(given))


def test_a_constant_that_is_kept_moves_everything_by_one_half():
    claim = ResidualIdentity()
    given = claim.suppositions[1].without(claim.draw(0))
    moved = (claim.measure(given) - claim.predict(given)).tolist()
    assert moved == pytest.approx([0.5] * len(moved))
    assert claim.check(0).counterexamples[1].broken == ("φ(0) is subtracted",)
