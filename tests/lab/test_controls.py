"""Every option of every claim becomes a field that can hold its default."""

import pytest

from corollary.lab.controls import controls
from corollary.registry import entries, find

CLAIMS = [e for e in entries() if not e.is_exam]


def test_every_slider_holds_its_default_and_stays_in_range():
    for entry in CLAIMS:
        for c in controls(entry):
            if c.form == "slider":
                assert c.start <= float(c.default) <= c.end, (entry.name, c)
                assert c.low is None or c.start >= c.low
                assert c.high is None or c.end <= c.high
                assert not c.log or c.start > 0


def test_every_choice_offers_its_default():
    found = [(e.name, c) for e in CLAIMS for c in controls(e) if c.form == "choice"]
    assert len(found) > 20
    for name, c in found:
        assert c.default in c.choices, (name, c)


def test_there_is_a_field_for_every_option():
    for entry in CLAIMS:
        assert [c.name for c in controls(entry)] == [o.name for o in entry.options]


def test_a_range_over_powers_of_ten_is_walked_in_powers():
    (gamma,) = (c for c in controls(find("novikoff")) if c.name == "gamma")
    assert gamma.log and not gamma.whole


@pytest.mark.parametrize(("given", "shown"), [({}, "0.1"), ({"gamma": "0.5"}, "0.5")])
def test_values_come_from_the_address(given, shown):
    (gamma,) = (c for c in controls(find("novikoff"), given) if c.name == "gamma")
    assert (gamma.value, gamma.default) == (shown, "0.1")
