from typing import ClassVar, Literal

import pytest
import torch

from corollary.core import Along, Claim, Parity, Suppose, Verdict, at_most, option
from corollary.core.picture import Points, picture
from corollary.errors import OptionError


def infinite(given):
    """One number is infinite: so is the mean, and the maximum is not looked at."""
    return torch.tensor([1.0, float("inf")], dtype=torch.float64)


class MeanIsBelowMax(Claim[torch.Tensor]):
    """A toy: the mean of finite numbers is at most their maximum."""

    n: int = 5  # numbers
    spread: float = option(1.0, low=0.0, high=10.0)  # their scale
    flavour: Literal["normal", "uniform"] = "normal"  # their law
    relation = at_most(ulps=4)  # a sum of n terms
    factor: ClassVar[float] = 1.0
    supposes = Suppose("the numbers are finite", lambda g: g.isfinite().all(), without=infinite)
    symbols = "largest number", "mean"
    shows = Along("Numbers", x="i")

    def given(self, rng):
        return self.spread * torch.rand(self.n, generator=rng, dtype=torch.float64)

    def predict(self, given):
        return self.factor * float(given[given.isfinite()].max())

    def measure(self, given):
        return float(given.mean())


class Drawn(MeanIsBelowMax):
    """The same with three figures, of which only the first shows the counterexample."""

    shows = Along("Numbers", x="i"), Parity("Mean and maximum", without=False)

    @picture("Its numbers", x="i", y="value")
    def marks(self, trial):
        yield Points(range(self.n), trial.given, label="numbers")


def test_a_true_claim_holds_with_its_numbers():
    result = MeanIsBelowMax().check(seed=3)
    assert result.verdict is Verdict.HOLDS
    assert result.measured[0].value <= result.predicted[0]
    assert result.parameters == {"n": 5, "spread": 1.0, "flavour": "normal"}


def test_without_a_hypothesis_the_breaker_says_what_happens():
    refuted = MeanIsBelowMax().check(0).counterexample
    assert refuted.fails and refuted.broken == ("the numbers are finite",)
    assert (
        refuted.words == "One number is infinite: so is the mean, and the maximum is not looked at."
    )


def test_a_live_check_has_the_same_numbers_and_one_of_the_figures():
    whole = Drawn(n=4).check(3)
    for k, figure in enumerate(whole.figures):
        live = Drawn(n=4).check_live(3, k)
        assert live.figures == (figure,)
        assert (live.predicted, live.measured) == (whole.predicted, whole.measured)
        assert live.verdict is whole.verdict
    assert len(whole.figures) == 3
    assert Drawn().check_live(3, 5).figures == ()


def test_a_live_check_breaks_no_hypothesis_that_its_figure_does_not_show():
    broken = []

    def counted(given):
        """One number is infinite."""
        broken.append(given)
        return infinite(given)

    class Counted(Drawn):
        supposes = Suppose("the numbers are finite", lambda g: g.isfinite().all(), without=counted)

    assert [len(broken) for k in (1, 2, 0) if Counted().check_live(0, k)] == [0, 0, 1]


def test_a_live_check_tells_a_broken_hypothesis():
    class Infinite(Drawn):
        def given(self, rng):
            return infinite(None)

    live = Infinite().check_live(0)
    assert live.verdict is Verdict.INAPPLICABLE and live.figures == ()


def test_a_wrong_prediction_fails():
    class Wrong(MeanIsBelowMax):
        factor: ClassVar[float] = 1e-3

    assert Wrong().check(0).verdict is Verdict.FAILS


def test_a_broken_hypothesis_makes_it_inapplicable_and_is_named():
    result = MeanIsBelowMax().check_given(torch.tensor([float("nan")], dtype=torch.float64))
    assert result.verdict is Verdict.INAPPLICABLE
    assert "the numbers are finite" in result.sentence


def test_the_trivial_value_makes_it_vacuous():
    class Vacuous(MeanIsBelowMax):
        trivial = 0.01

    assert Vacuous().check(0).verdict is Verdict.VACUOUS


def test_seeds_change_the_draw_and_names_separate_streams():
    first, again, other = (MeanIsBelowMax().check(s) for s in (0, 0, 1))
    assert first == again and first.measured != other.measured


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 0}, "n must be at least 1, got 0"),
        ({"n": 2.5}, "n needs a whole number, got 2.5"),
        ({"n": True}, "n needs a whole number"),
        ({"spread": 11.0}, "spread must lie between 0 and 10, got 11"),
        ({"spread": float("nan")}, "spread must lie between 0 and 10"),
        ({"flavour": "cauchy"}, "flavour needs one of normal, uniform, got 'cauchy'"),
    ],
)
def test_a_wrong_option_gets_one_sentence(options, message):
    with pytest.raises(OptionError, match=message.replace("(", r"\(")):
        MeanIsBelowMax(**options)
