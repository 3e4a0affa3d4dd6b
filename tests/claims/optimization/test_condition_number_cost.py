import math

from corollary.claims.optimization.condition_number_cost import ConditionNumberCost
from corollary.core import Verdict, generator


def test_steps_are_those_of_the_formula():
    claim = ConditionNumberCost(kappas=(3, 9, 27, 81))
    found = claim.measure(claim.given(generator(0, "steps")))
    for kappa, steps in zip(found.sizes, found.values, strict=True):
        exact = math.log(1e-3) / (2 * math.log((kappa - 1) / (kappa + 1)))
        assert abs(steps - exact) <= 1


def test_careful_steps_cost_more_than_in_proportion():
    refuted = ConditionNumberCost().refute(0)
    assert refuted.fails and refuted.broken == ("each step is 2/(λmax + λmin)",)


def test_it_holds_for_another_accuracy():
    assert ConditionNumberCost(kappas=(3, 6, 12, 24), eps=1e-4).check(1).verdict is Verdict.HOLDS
