"""A repository of a user: a network with a softmax too many, and a healthy one."""

import shutil
import sys
from pathlib import Path

import pytest

collect_ignore = ["sample"]  # it imports its neighbours as a user's files do
SAMPLE = Path(__file__).with_name("sample")


@pytest.fixture
def sample(tmp_path, monkeypatch):
    for file in SAMPLE.glob("*.py"):
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in ("net", "layers"):
        sys.modules.pop(name, None)
