"""What Hatch does before it builds a wheel or an sdist: fetch what the pages embed.

An sdist holds these files, so a wheel is built from it without network. From a checkout without npm
or network the wheel is built without them, and pages show formulas as readable text.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class FetchedAssets(BuildHookInterface):
    """Runs ``tools/fetch_assets.py`` for the pages."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Fetch what is not there yet; a wrong checksum stops the build."""
        script = Path(self.root) / "tools" / "fetch_assets.py"
        subprocess.run([sys.executable, str(script), "--pages"], check=True, stdout=sys.stderr)
