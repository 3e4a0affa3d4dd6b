"""``corollary mcp`` says in one sentence why it does not start."""

import importlib.util

import pytest

from corollary.cli.mcp import mcp
from corollary.errors import InputError, MissingExtraError


def test_a_missing_package_is_one_sentence(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'corollary\[mcp\]'$"):
        mcp()


def test_a_folder_that_is_not_there_is_one_sentence(tmp_path):
    pytest.importorskip("mcp_types")
    with pytest.raises(InputError, match="does not exist"):
        mcp(tmp_path / "gone")
