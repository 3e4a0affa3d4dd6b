from corollary.claims.regularization.no_overfitting import Given, NoOverfitting
from corollary.core import Verdict
from corollary.train.width_sweep import Width


def sweep(*rows: tuple[int, float, float]) -> Given:
    return Given(
        [Width(width, (train,) * 2, (test,) * 2, (10,) * 2) for width, train, test in rows]
    )


def test_a_falling_test_error_holds_and_a_growing_one_fails():
    falling = sweep((2, 0.5, 0.6), (8, 0.0, 0.2), (64, 0.0, 0.1))
    growing = sweep((2, 0.5, 0.6), (8, 0.0, 0.2), (64, 0.0, 0.3))
    assert NoOverfitting().check_given(falling).verdict is Verdict.HOLDS
    assert NoOverfitting().check_given(growing).verdict is Verdict.FAILS


def test_without_a_perfect_fit_it_does_not_apply():
    result = NoOverfitting().check_given(sweep((2, 0.5, 0.6), (8, 0.1, 0.2)))
    assert result.verdict is Verdict.INAPPLICABLE


def test_it_holds_when_runs_stop_at_zero_training_error():
    claim = NoOverfitting(n=60, widths=(4, 16, 64), stop="zero_train", steps=60, seeds=6, slack=0.6)
    assert claim.check(0).verdict is Verdict.HOLDS


def test_the_training_sets_are_compared_one_by_one():
    fits, widest = Width(8, (0, 0), (0.1, 0.2), (9, 9)), Width(64, (0, 0), (0.2, 0.1), (9, 9))
    assert NoOverfitting().measure(Given([fits, widest])).values == (2.0, 0.5)
