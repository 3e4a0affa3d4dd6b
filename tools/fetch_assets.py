"""Fetch what the pages embed: KaTeX for formulas, and the typeface of their text.

The files are taken from the npm registry with ``npm pack``, compared with the pinned checksum and
unpacked into ``src/corollary/report/assets/``, which goes into the wheel without being under
version control. Without npm or network the pages use readable text for formulas and a typeface of
the system, so this ends with exit code 0 and one sentence per package. A wrong checksum is an
error.
"""

import base64
import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

ASSETS = Path(__file__).parents[1] / "src/corollary/report/assets"


@dataclass(frozen=True)
class Package:
    """A package of the registry, and which of its files are kept in which folder."""

    name: str
    version: str
    sha512: str
    folder: str
    kept: str  # a pattern of paths


PACKAGES = (
    Package(
        "katex",
        "0.19.1",
        "jG8uKntjSEcm2EpQOh0XturpPuuC9r3Sq5HLHdsFdWZT27E672SF19QEi+of0/YeOy15lDgRhKvr5614uRrEfA==",
        "katex",
        r"package/(LICENSE|dist/(katex\.min\.(js|css)|fonts/.*\.woff2))",
    ),
    Package(
        "@fontsource/source-serif-4",
        "5.3.1",
        "cWcTCXjYYrgF9A67fThVir1VSc0lPEYmwQ6jA4pPt01s2MSCi/maINUcZoCzaqnU8fyUReDO97eGcBUkHgOeug==",
        "fonts",
        r"package/(LICENSE|files/source-serif-4-latin-(400-normal|400-italic|600-normal)\.woff2)",
    ),
)


def main() -> int:
    """Fetch what is not there yet; the exit code is 1 if a checksum is wrong."""
    return max(fetched(package) for package in PACKAGES)


def fetched(package: Package) -> int:
    """Fetch one package, unless this version is already there."""
    name, target = f"{package.name} {package.version}", ASSETS / package.folder
    stamp = target / "VERSION"
    if stamp.is_file() and stamp.read_text().strip() == package.version:
        print(f"{name} is already there.")
        return 0
    npm = shutil.which("npm")
    with tempfile.TemporaryDirectory() as folder:
        tarball = packed(npm, package, Path(folder)) if npm else None
        if tarball is None:
            print(f"{name} could not be fetched with npm; the pages work without it.")
            return 0
        digest = base64.b64encode(hashlib.sha512(tarball.read_bytes()).digest()).decode()
        if digest != package.sha512:
            print(f"{name}: expected sha512 {package.sha512}, got {digest}; nothing was kept.")
            return 1
        unpack(tarball, package, target)
    print(f"{name} is in {target}.")
    return 0


def packed(npm: str, package: Package, folder: Path) -> Path | None:
    """The package's tarball, or None if npm cannot get it."""
    what = f"{package.name}@{package.version}"
    command = [npm, "pack", what, "--silent", "--pack-destination", str(folder)]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=120, cwd=folder)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired, OSError):
        return None
    return next(iter(folder.glob("*.tgz")), None)


def unpack(tarball: Path, package: Package, target: Path) -> None:
    """Keep the files that match, without their folders."""
    target.mkdir(parents=True, exist_ok=True)
    with tarfile.open(tarball) as archive:
        for member in archive.getmembers():
            if member.isfile() and re.fullmatch(package.kept, member.name):
                stream = archive.extractfile(member)
                assert stream is not None
                (target / Path(member.name).name).write_bytes(stream.read())
    (target / "VERSION").write_text(f"{package.version}\n")


if __name__ == "__main__":
    sys.exit(main())
