"""Fetch KaTeX, which renders the formulas of the report and of the docs.

The files are taken from the npm registry with ``npm pack``, compared with the pinned checksum and
unpacked into ``src/corollary/report/assets/katex/``, which is not under version control but goes
into the wheel. Without npm or network the report shows formulas as readable text, so this ends
with exit code 0 and one sentence. A wrong checksum is an error.
"""

import base64
import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

VERSION = "0.19.1"
SHA512 = "jG8uKntjSEcm2EpQOh0XturpPuuC9r3Sq5HLHdsFdWZT27E672SF19QEi+of0/YeOy15lDgRhKvr5614uRrEfA=="
TARGET = Path(__file__).parents[1] / "src/corollary/report/assets/katex"


def main() -> int:
    """Fetch unless this version is already there; say in one sentence what happened."""
    if (TARGET / "VERSION").is_file() and (TARGET / "VERSION").read_text().strip() == VERSION:
        print(f"KaTeX {VERSION} is already in {TARGET}.")
        return 0
    npm = shutil.which("npm")
    if npm is None:
        print("npm is not installed, so formulas stay readable text; the report works without it.")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        tarball = packed(npm, Path(folder))
        if tarball is None:
            print(f"npm could not fetch katex@{VERSION}, so formulas stay readable text.")
            return 0
        digest = base64.b64encode(hashlib.sha512(tarball.read_bytes()).digest()).decode()
        if digest != SHA512:
            print(f"katex@{VERSION} has the sha512 {digest}, not the pinned one; nothing was kept.")
            return 1
        unpack(tarball)
    print(f"KaTeX {VERSION} is in {TARGET}.")
    return 0


def packed(npm: str, folder: Path) -> Path | None:
    """The package's tarball, or None if npm cannot get it."""
    command = [npm, "pack", f"katex@{VERSION}", "--silent", "--pack-destination", str(folder)]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=120, cwd=folder)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired, OSError):
        return None
    return next(iter(folder.glob("*.tgz")), None)


def unpack(tarball: Path) -> None:
    """Keep the script, the style sheet, the fonts and the licence."""
    TARGET.mkdir(parents=True, exist_ok=True)
    with tarfile.open(tarball) as archive:
        for member in archive.getmembers():
            path = Path(member.name)
            wanted = path.name in ("katex.min.js", "katex.min.css", "LICENSE")
            if member.isfile() and (wanted or path.suffix == ".woff2"):
                if path.parts[1] == "dist" or path.name == "LICENSE":
                    stream = archive.extractfile(member)
                    assert stream is not None
                    (TARGET / path.name).write_bytes(stream.read())
    (TARGET / "VERSION").write_text(f"{VERSION}\n")


if __name__ == "__main__":
    sys.exit(main())
