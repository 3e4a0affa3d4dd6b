"""Planted faults are found where they are, and healthy twins are left in peace."""

import pytest
from planted import FAULTS, tried


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f"{f.exam}: {f.name}")
def test_a_planted_fault_is_found_and_its_twin_is_not_blamed(fault):
    outcome = tried(fault)
    assert outcome.found, f"said instead: {outcome.said}"
    assert not outcome.alarms
