import torch

from corollary.claims.expressivity.three_lines import Given, ThreeLines
from corollary.core import Verdict

AXES = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], dtype=torch.float64)


def test_one_pattern_of_eight_is_missing():
    trial = ThreeLines().trial(Given(AXES, torch.tensor([0.0, 0.0, -0.5]).double(), 1.0))
    assert trial.comparison.verdict is Verdict.HOLDS
    found = {tuple(row) for row in trial.kept.mosaic.patterns().tolist()}
    assert len(found) == 7 and (0, 0, 1) not in found  # x, y < 0 and x + y > 1/2 at once


def test_parallel_lines_make_four_and_concurrent_ones_six():
    parallel, concurrent, near = ThreeLines().check(0).counterexamples
    assert parallel.measured[0].value == 4 and concurrent.measured[0].value == 6
    assert near.broken == ("the square contains all intersections of the lines",)


def test_a_square_that_misses_a_meeting_point_does_not_count():
    given = Given(AXES, torch.tensor([0.0, 0.0, -5.0]).double(), 1.0)
    assert ThreeLines().check_given(given).verdict is Verdict.INAPPLICABLE
