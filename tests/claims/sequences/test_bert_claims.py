import pytest

from corollary.claims.sequences.both_sides import BothSides
from corollary.claims.sequences.joint_pretraining import JointPretraining
from corollary.claims.sequences.length_generalization import LengthGeneralization
from corollary.claims.sequences.pretrain_then_finetune import PretrainThenFinetune, shows_moods
from corollary.core import Verdict, generator


@pytest.mark.parametrize("length", [2, 6])
@pytest.mark.parametrize("layers", [1, 2])
def test_bert_reads_both_sides(length, layers):
    assert BothSides(length=length, layers=layers).check(0).verdict is Verdict.HOLDS


def test_a_causal_mask_leaves_half_of_the_jacobian():
    claim = BothSides(length=6)
    (causal, _) = claim.without(claim.draw(0))
    assert float(causal.measured) == pytest.approx((6 + 1) / (2 * 6))


def test_a_short_run_of_both_ways_to_pretrain_works():
    claim = JointPretraining(seeds=2, steps=4, pairs=64)
    trial = claim.trial(claim.draw(0))
    runs = trial.kept.runs
    assert all(0 < loss < 10 for run in runs for losses in run for loss in losses)
    assert all(run.first_stage[-1] == run.second_stage[0] for run in runs)
    gaps = [run.second_stage[-1] - run.joint[-1] for run in runs]
    assert trial.measured.values == pytest.approx(gaps)


def test_a_frozen_encoder_forgets_nothing():
    claim = JointPretraining(seeds=2, steps=4, pairs=64)
    (frozen,) = claim.without(claim.draw(0))
    runs = frozen.kept.runs
    assert all(run.second_stage == pytest.approx([run.first_stage[-1]] * 5) for run in runs)


def test_a_short_run_of_pretraining_works_and_adverbs_show_moods():
    claim = PretrainThenFinetune(seeds=2, steps=5, sentences=64, labels=8)
    given = claim.draw(0)
    kept = claim.trial(given).kept
    assert len(kept.read) == len(kept.scratch) == 2
    assert shows_moods(given) > 0 == shows_moods(claim.plain(False, generator(0)))


def test_a_short_run_on_parities_works():
    claim = LengthGeneralization(n=3, longest=6, seeds=2, steps=5)
    trial = claim.trial(claim.draw(0))
    near = trial.kept.first[:, :3].mean(dim=1)
    assert trial.measured[0].values == pytest.approx(near.tolist())
    assert trial.kept.first.shape == trial.kept.second.shape == (2, 6)
    assert claim.figures(trial)[0].marks
