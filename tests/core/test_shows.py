"""What happens without a hypothesis is drawn where it can be seen."""

from typing import NamedTuple

import pytest

from corollary.core import Along, Claim, Path, Suppose, at_most, instead
from corollary.core.picture import Level, Points, picture


class Given(NamedTuple):
    C: float
    x: tuple[float, ...]


understated = instead("The constant is too small.", C=0.5)
further = instead("Too far.", x=lambda g: tuple(10 * v for v in g.x))


class Saturates(Claim[Given]):
    """min(x, 1)^2 is at most C x."""

    relation = at_most()
    supposes = (
        Suppose("C is at least 1", lambda g: g.C >= 1, without=understated),
        Suppose("x is at most 2", lambda g: max(g.x) <= 2, without=further),
    )
    symbols = "C x", "min(x, 1)²"
    shows = Along("Squares", x="x", at="x")

    def given(self, rng):
        return Given(1.0, (0.5, 1.0, 2.0))

    def predict(self, given):
        return [given.C * x for x in given.x]

    def measure(self, given):
        return [min(x, 1.0) ** 2 for x in given.x]


class AlongARun(Saturates):
    def predict(self, given):
        return given.C

    def measure(self, given):
        return Path([min(x, 1.0) ** 2 for x in given.x])


def test_another_prediction_of_the_same_measurement_is_drawn_as_a_line():
    line, dots, wrong, *_ = Saturates().check(0).figures[0].marks
    assert (wrong.label, wrong.role, wrong.dashed) == ("The constant is too small", "other", True)
    assert list(wrong.y) == [v / 2 for v in line.y]


def test_other_positions_are_drawn_at_their_own_places_with_their_prediction():
    *_, line, dots = Saturates().check(0).figures[0].marks
    assert list(dots.x) == [5.0, 10.0, 20.0] and dots.label == "Too far"
    assert list(line.y) == [5.0, 10.0, 20.0] and line.label == "C x"


def test_another_level_of_the_same_run_is_drawn_as_a_level():
    level, run, wrong, *_ = AlongARun().check(0).figures[0].marks
    assert (wrong.value, wrong.label) == (0.5, "The constant is too small")


def test_entries_beyond_the_positions_are_not_drawn():
    class WithWidth(Saturates):
        def predict(self, given):
            return [*super().predict(given), 72.0]

        def measure(self, given):
            return [*super().measure(given), 72.0]

    line, dots, *_ = WithWidth().check(0).figures[0].marks
    assert len(line.y) == len(dots.y) == 3


def test_parts_are_blocks_of_entries_over_the_same_positions():
    class Twice(Saturates):
        shows = (Along("Both", x="x", at="x", parts=("once", "twice")),)

        def predict(self, given):
            return [k * v for k in (1, 2) for v in super(Twice, self).predict(given)]

        def measure(self, given):
            return [k * v for k in (1, 2) for v in super(Twice, self).measure(given)]

    result = Twice().check(0)
    labels = [mark.label for mark in result.figures[0].marks]
    assert labels[:2] == ["C x, once", "min(x, 1)², once"]
    assert "Too far, twice" in labels
    assert result.rows[0] == "x = 0.5, once" and result.rows[-1] == "x = 2, twice"


class Pictured(Saturates):
    supposes = Saturates.supposes[1]
    shows = Along("All of them, C = {C:g}", x="x", at="x", log="y")
    wide: bool = True  # whether there is something to see

    @picture("Squares up to {top}", x="x", equal=True, each=1)
    def squares(self, trial):
        if self.wide:
            yield Points(trial.given.x, trial.measured, label=trial.words or "squares")
            for broken in trial.without:
                yield Level(max(broken.given.x), label=broken.words, role=broken.role, axis="x")

    def measure(self, given):
        return super().measure(given)

    @property
    def top(self):
        return 2


def test_one_hypothesis_and_one_picture_need_no_tuple():
    claim = Pictured()
    assert claim.suppositions == (claim.supposes,) and claim.declared == (claim.shows,)
    result = claim.check(0)
    assert len(result.counterexamples) == 1 and result.figures[0].title == "All of them, C = 1"
    assert result.figures[0].log_y and not result.figures[0].log_x


def test_a_method_that_yields_marks_is_a_picture_under_its_title():
    _, own, broken = Pictured().check(0).figures
    assert (own.title, own.x, own.y, own.equal) == ("Squares up to 2", "x", "min(x, 1)²", True)
    assert [m.label for m in own.marks] == ["squares", "Too far."]
    assert own.marks[1].role == "other" and broken.title == "Too far"


def test_a_constant_prediction_is_declared():
    class AtMostOne(Saturates):
        predict = Claim.predict
        predicts = [1.0, 1.0, 1.0]
        supposes = Saturates.supposes[1]

    class Nothing(AtMostOne):
        predicts = None

    assert AtMostOne().check(0).predicted == (1.0, 1.0, 1.0)
    with pytest.raises(NotImplementedError, match="Nothing needs `predict` or `predicts`"):
        Nothing().check(0)


def test_no_marks_no_picture_and_an_heir_has_the_pictures_of_its_parent():
    class Heir(Pictured):
        pass

    assert len(Pictured(wide=False).check(0).figures) == 1
    assert len(Heir().check(0).figures) == 3
