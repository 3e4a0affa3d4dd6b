import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "_ext"))  # the docs' own Sphinx extension


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT
