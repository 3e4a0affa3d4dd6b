import pytest
import torch

from corollary.claims.sequences.answer_span import AnswerSpan, Given
from corollary.core import Verdict


def test_by_hand_the_two_maxima_cross():
    start, end = torch.tensor([[0.0, 0.0, 1.0, 5.0]]), torch.tensor([[9.0, 0.0, 4.0, 0.0]])
    passage = torch.tensor([[False, True, True, True]])
    given = Given(start.double(), end.double(), passage, torch.zeros(4, 4).double())
    result = AnswerSpan().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert result.predicted == (5.0,)  # s = e = 2 or 3; s = 3 with e = 0 is no answer


def test_a_value_of_start_and_end_together_is_not_seen():
    assert AnswerSpan().refute(2).fails


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("longest", [1, 5, 100])
def test_it_holds_for_drawn_scores(seed, longest):
    assert AnswerSpan(longest=longest).check(seed).verdict is Verdict.HOLDS
