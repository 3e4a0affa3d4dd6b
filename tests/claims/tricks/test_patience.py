import pytest

from corollary.claims.tricks.patience import Patience
from corollary.core import Verdict


@pytest.mark.parametrize("p", [1, 3, 10])
def test_the_run_ends_p_epochs_after_the_best(p):
    result = Patience(p=p).check(1)
    stop, best, _ = (r.value for r in result.measured)
    assert result.verdict is Verdict.HOLDS and stop - best == p


def test_the_last_parameters_are_worse():
    refuted = Patience().refute(0)
    assert refuted.fails and refuted.broken == ("the best parameters are returned",)
