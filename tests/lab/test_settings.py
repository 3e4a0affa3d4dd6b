"""The playground takes what it can do, and says what it cannot."""

import dataclasses

import pytest

from corollary.errors import OptionError
from corollary.lab.limits import Limits
from corollary.lab.settings import PlaySettings


def test_text_and_json_are_read_alike():
    assert PlaySettings.of({"lr": "0.25", "width": "4"}) == PlaySettings.of(
        {"lr": 0.25, "width": 4}
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"data": "spiral"}, "one of moons"),
        ({"width": "1.5"}, "whole number"),
        ({"width": 10**9}, "between 1 and 64"),
        ({"lr": "nan"}, "between"),
        ({"lr": "1e999"}, "between"),
        ({"lr": None}, "a number"),
        ({"lr": [1]}, "a number"),
        ({"colour": "red"}, "no 'colour'"),
    ],
)
def test_what_cannot_be_set_is_one_sentence(given, said):
    with pytest.raises(OptionError, match=said):
        PlaySettings.of(given)


def test_only_what_differs_goes_into_an_address():
    assert PlaySettings().changed() == {}
    assert PlaySettings.of({"depth": "3"}).changed() == {"depth": 3}


def test_every_default_is_inside_its_range():
    assert PlaySettings.of(dataclasses.asdict(PlaySettings())) == PlaySettings()


@pytest.mark.parametrize("limits", [{"seconds": 0}, {"seconds": float("inf")}, {"memory": 5}])
def test_limits_that_make_no_sense_are_refused(limits):
    with pytest.raises(OptionError):
        Limits(**limits)
