import pytest

from corollary.claims.regularization.no_overfitting import NoOverfitting, compared
from corollary.core import Verdict
from corollary.train.width_sweep import Width


def sweep(*rows: tuple[int, float, float]) -> list[Width]:
    return [Width(width, (train,) * 2, (test,) * 2, (10,) * 2) for width, train, test in rows]


@pytest.mark.parametrize(
    ("last", "verdict"),
    [
        ((64, 0.0, 0.1), Verdict.HOLDS),
        ((64, 0.0, 0.3), Verdict.FAILS),  # worse on new data
        ((64, 0.1, 0.1), Verdict.FAILS),  # does not fit
    ],
)
def test_the_widest_network_has_to_fit_and_not_to_be_worse(last, verdict):
    found = compared(sweep((2, 0.5, 0.6), (8, 0.0, 0.2), last))
    assert NoOverfitting.relation.compare([0.0, 1.15], found).verdict is verdict


def test_it_holds_when_runs_stop_at_zero_training_error():
    claim = NoOverfitting(n=60, widths=(4, 16, 64), stop="zero_train", steps=60, seeds=6, slack=0.6)
    assert claim.check(0).verdict is Verdict.HOLDS


def test_the_training_sets_are_compared_one_by_one():
    fits, widest = Width(8, (0, 0), (0.1, 0.2), (9, 9)), Width(64, (0, 0), (0.2, 0.1), (9, 9))
    assert compared([fits, widest])[1].values == (2.0, 0.5)
