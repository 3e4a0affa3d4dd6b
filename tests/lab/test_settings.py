"""The playground takes what it can do, and says what it cannot."""

import dataclasses

import pytest

from corollary.errors import OptionError
from corollary.lab.limits import Limits
from corollary.lab.settings import PlaySettings


def test_text_and_json_are_read_alike():
    assert PlaySettings.of({"lr": "0.25", "hidden": "4, 3"}) == PlaySettings.of(
        {"lr": 0.25, "hidden": [4, 3]}
    )
    assert PlaySettings.of({"hidden": "7,"}) == PlaySettings.of({"hidden": 7})  # while one types


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"data": "snail"}, "one of moons"),
        ({"hidden": "8,1.5"}, "whole numbers separated by commas"),
        ({"hidden": [8, 1.5]}, "whole numbers separated by commas"),
        ({"hidden": ""}, "whole numbers separated by commas"),
        ({"hidden": None}, "whole numbers separated by commas"),
        ({"hidden": "8,8,8,8,8,8,8"}, "at most 6 numbers"),
        ({"features": "x1,x3"}, "among x1, x2, .*, got 'x3'"),
        ({"features": ""}, "at least one"),
        ({"features": []}, "at least one"),
        ({"l1": 2}, "between 0 and 1"),
        ({"hidden": "8,65"}, "from 1 to 64"),
        ({"hidden": "8,0"}, "from 1 to 64"),
        ({"n": "20.5"}, "whole number"),
        ({"n": 10**9}, "between 20 and 500"),
        ({"l2": -1}, "between 0 and 1"),
        ({"lr": "nan"}, "between"),
        ({"lr": "1e999"}, "between"),
        ({"lr": None}, "a number"),
        ({"lr": [1]}, "a number"),
        ({"colour": "red"}, "no setting 'colour'"),
    ],
)
def test_what_cannot_be_set_is_one_sentence(given, said):
    with pytest.raises(OptionError, match=said):
        PlaySettings.of(given)


def test_no_hidden_layer_is_typed_as_nought():
    assert PlaySettings.of({"hidden": "0"}) == PlaySettings.of({"hidden": []})
    assert PlaySettings.of({"hidden": "0"}).hidden == ()


def test_inputs_are_kept_once_and_in_their_order():
    found = PlaySettings.of({"features": "sin x2, x1*x2,x1,x1"})
    assert found.features == ("x1", "x1*x2", "sin x2") and not found.straight
    assert PlaySettings.of({"features": ["x2"]}).straight


def test_only_what_differs_goes_into_an_address():
    assert PlaySettings().changed() == {}
    assert PlaySettings.of({"hidden": "3", "n": "200"}).changed() == {"hidden": (3,)}


def test_every_default_is_inside_its_range():
    assert PlaySettings.of(dataclasses.asdict(PlaySettings())) == PlaySettings()


@pytest.mark.parametrize("limits", [{"seconds": 0}, {"seconds": float("inf")}, {"memory": 5}])
def test_limits_that_make_no_sense_are_refused(limits):
    with pytest.raises(OptionError):
        Limits(**limits)
