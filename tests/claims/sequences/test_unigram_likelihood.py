import math
from collections import Counter

import pytest

from corollary.claims.sequences.unigram_likelihood import Given, UnigramLikelihood
from corollary.core import Verdict


def test_a_step_by_hand():
    """For the word aa, p(a) = p(aa) = 1/2 gives 3/4; the step gives (1/2, 1/2) again."""
    half = {"a": math.log(0.5), "aa": math.log(0.5)}
    result = UnigramLikelihood().check_given(Given(Counter({"aa": 2}), [half, half]))
    assert result.verdict is Verdict.HOLDS
    assert result.predicted[0] == pytest.approx(2 * math.log(0.75))
