"""Tests that share something costly run in one process."""

import importlib.util
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location("shared", Path(__file__).parents[2] / "conftest.py")
shared = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(shared)


@pytest.mark.parametrize(
    ("test", "unit"),
    [
        ("tests/contract/test_every_claim.py::test_it_keeps[area/name-holds]", "area/name"),
        ("tests/contract/test_every_claim.py::test_the_head_is_complete[area/name]", "area/name"),
        ("tests/lab/test_server.py::test_it_ends", "tests/lab/"),
        ("tests/core/test_claim.py::test_it_is_frozen[a/b]", "tests/core/test_claim.py"),
        ("src/corollary/errors.py::corollary.errors.near", "src/corollary/errors.py"),
    ],
)
def test_a_claim_a_folder_of_servers_or_a_file_is_a_unit(test, unit):
    assert shared.unit(test) == unit
