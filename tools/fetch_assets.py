"""Fetch what the pages embed, KaTeX for formulas and the typeface of their text, and a schema.

The files are taken from the npm registry with ``npm pack``, compared with the pinned checksum and
unpacked into ``src/corollary/report/assets/``, which goes into the wheel without being under
version control; the schema of SARIF files goes to the tests, which compare with it. Without npm or
network the pages use readable text for formulas and a typeface of the system, and that test is
skipped, so this ends with exit code 0 and one sentence per package. A wrong checksum is an error.
With ``--pages``, as when the package is built, the schema is left out.
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

ROOT = Path(__file__).parents[1]
ASSETS = "src/corollary/report/assets"


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
        f"{ASSETS}/katex",
        r"package/(LICENSE|dist/(katex\.min\.(js|css)|fonts/.*\.woff2))",
    ),
    Package(
        "@fontsource/source-serif-4",
        "5.3.1",
        "cWcTCXjYYrgF9A67fThVir1VSc0lPEYmwQ6jA4pPt01s2MSCi/maINUcZoCzaqnU8fyUReDO97eGcBUkHgOeug==",
        f"{ASSETS}/fonts",
        r"package/(LICENSE|files/source-serif-4-latin-(400-normal|400-italic|600-normal)\.woff2)",
    ),
    Package(
        "schemastore",
        "0.2.2",
        "cpmpWDZnc58zpa39FYCDnsFZSUuVWLi+dUsQWzMvBbJ9oq7HDItEA+4voF7qGFgcfEjY4I7qWh6+BKc5JeE70A==",
        "tests/schemas",
        r"package/schemas/json/sarif-2\.1\.0\.json",
    ),
)


def main(words: list[str]) -> int:
    """Fetch what is not there yet; the exit code is 1 if a checksum is wrong."""
    of_pages = [package for package in PACKAGES if package.folder.startswith(ASSETS)]
    return max(fetched(package) for package in (of_pages if "--pages" in words else PACKAGES))


def fetched(package: Package) -> int:
    """Fetch one package, unless this version is already there."""
    name, target = f"{package.name} {package.version}", ROOT / package.folder
    stamp = target / "VERSION"
    if stamp.is_file() and stamp.read_text().strip() == package.version:
        print(f"{name} is already there.")
        return 0
    npm = shutil.which("npm")
    with tempfile.TemporaryDirectory() as folder:
        tarball = packed(npm, package, Path(folder)) if npm else None
        if tarball is None:
            print(f"{name} could not be fetched with npm; pages and tests work without it.")
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
    sys.exit(main(sys.argv[1:]))
