import math

import pytest

from corollary.claims.tricks.distillation_gradient import DistillationGradient
from corollary.claims.tricks.distillation_high_temperature import DistillationHighTemperature
from corollary.claims.tricks.label_smoothing import OptimalGap
from corollary.core import Verdict


def test_two_classes_half_smoothed_have_a_gap_of_ln_three():
    result = OptimalGap(k=2, eps=0.5).check(0)
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value == pytest.approx(math.log(3))


def test_hard_labels_have_no_optimum():
    assert OptimalGap().refute(0).broken == ("the labels are smoothed",)


@pytest.mark.parametrize("T", [0.5, 1.0, 20.0])
def test_the_gradient_holds_at_every_temperature(T):
    assert DistillationGradient(T=T).check(1).verdict is Verdict.HOLDS


def test_the_printed_sign_turns_the_gradient_round():
    """Erratum: both formulas of the notes lack the minus sign of a cross-entropy."""
    assert DistillationGradient().refute(0).fails


def test_at_high_temperature_centred_logits_are_matched():
    assert DistillationHighTemperature(k=10).check(1).verdict is Verdict.HOLDS
    assert DistillationHighTemperature().refute(0).broken == ("the logits are centred",)
