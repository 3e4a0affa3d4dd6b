import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize(
    "name", ["api", "claims", "docstrings", "katex", "kept", "navigation", "notes", "rst", "scan"]
)
def test_examples_of_the_extension_are_true(name):
    assert doctest.testmod(import_module(f"corollary_docs.{name}")).failed == 0
