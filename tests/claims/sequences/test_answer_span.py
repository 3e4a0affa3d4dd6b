import torch

from corollary.claims.sequences.answer_span import AnswerSpan, Given
from corollary.core import Verdict
from corollary.theory.sequences.spans import best_span


def test_by_hand_the_two_maxima_cross():
    start, end = torch.tensor([[0.0, 0.0, 1.0, 5.0]]), torch.tensor([[9.0, 0.0, 4.0, 0.0]])
    passage = torch.tensor([[False, True, True, True]])
    given = Given(start.double(), end.double(), passage, torch.zeros(4, 4).double(), best_span)
    result = AnswerSpan().check_given(given)
    assert result.verdict is Verdict.HOLDS
    assert result.predicted == (5.0,)  # s = e = 2 or 3; s = 3 with e = 0 is no answer
