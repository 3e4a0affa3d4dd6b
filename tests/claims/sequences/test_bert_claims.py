import pytest

from corollary.claims.sequences.both_sides import BothSides
from corollary.claims.sequences.joint_pretraining import Given as Trained
from corollary.claims.sequences.joint_pretraining import JointPretraining, Run
from corollary.claims.sequences.length_generalization import Given as Parities
from corollary.claims.sequences.length_generalization import LengthGeneralization
from corollary.claims.sequences.pretrain_then_finetune import Given as Tuned
from corollary.claims.sequences.pretrain_then_finetune import PretrainThenFinetune
from corollary.core import Verdict, generator


@pytest.mark.parametrize("length", [2, 6])
@pytest.mark.parametrize("layers", [1, 2])
def test_bert_reads_both_sides(length, layers):
    assert BothSides(length=length, layers=layers).check(0).verdict is Verdict.HOLDS


def test_a_causal_mask_leaves_half_of_the_jacobian():
    claim = BothSides(length=6)
    (causal, _) = claim.without(claim.draw(0))
    assert float(causal.measured) == pytest.approx((6 + 1) / (2 * 6))


def test_forgetting_is_the_difference_of_two_losses():
    runs = [Run([4, 1.5], [4, 1.5], [1.5, end]) for end in (3.0, 3.25)]
    claim = JointPretraining(seeds=2)
    assert claim.measure(Trained(runs, False)).values == (1.5, 1.75)
    assert claim.check_given(Trained(runs, True)).verdict is Verdict.INAPPLICABLE


def test_a_short_run_of_both_ways_to_pretrain_works():
    given = JointPretraining(seeds=2, steps=4, pairs=64).given(generator(0, "short"))
    assert all(0 < loss < 10 for run in given.runs for losses in run for loss in losses)
    assert all(run.first_stage[-1] == run.second_stage[0] for run in given.runs)


def test_a_frozen_encoder_forgets_nothing():
    given = JointPretraining(seeds=2, steps=4, pairs=64).counterexample(generator(0, "short"))
    assert given.frozen
    assert all(run.second_stage == pytest.approx([run.first_stage[-1]] * 5) for run in given.runs)


def test_a_gain_is_the_difference_of_accuracies():
    claim = PretrainThenFinetune(seeds=2)
    given = Tuned([0.9, 1.0], [0.5, 0.5], True)
    assert claim.measure(given).values == pytest.approx((0.4, 0.5))
    assert claim.check_given(given._replace(adverbs=False)).verdict is Verdict.INAPPLICABLE


def test_a_short_run_of_pretraining_works():
    claim = PretrainThenFinetune(seeds=2, steps=5, sentences=64, labels=8)
    given = claim.given(generator(0, "short"))
    assert len(given.pretrained) == len(given.scratch) == 2


def test_accuracy_is_split_at_the_training_length():
    claim = LengthGeneralization(n=2, longest=4, seeds=2)
    given = Parities([[1, 1, 0.5, 0.5]] * 2, [[1, 1, 1, 0.5]] * 2, True)
    assert [m.values for m in claim.measure(given)] == [(1, 1), (0.5, 0.5), (0.75, 0.75)]


def test_a_short_run_on_parities_works():
    claim = LengthGeneralization(n=3, longest=6, seeds=2, steps=5)
    given = claim.given(generator(0, "short"))
    assert [len(run) for run in given.attention + given.recurrent] == [6] * 4
    assert claim.figure(given).marks
