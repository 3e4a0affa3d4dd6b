"""Files of public data sets: found on disk, or fetched once, and never used unverified.

A file is looked for in the folder named by the environment variable ``COROLLARY_DATA``, then in
the cache (``COROLLARY_CACHE``, else ``~/.cache/corollary``); if it is in neither it is fetched from
the data set's public home into the cache. Its sha256 is compared each time. With
``COROLLARY_OFFLINE`` set, nothing is fetched.
"""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from corollary.data.disk import cache_folder, write_bytes_atomically
from corollary.errors import DataUnavailableError

TIMEOUT = 20.0  # seconds without an answer before the next address is tried


@dataclass(frozen=True)
class DataFile:
    """One file of a data set."""

    path: str  # below the data folder, such as "mnist/train-labels-idx1-ubyte.gz"
    sha256: str
    homes: tuple[str, ...]  # addresses of the folders that have it

    def content(self) -> bytes:
        """The verified content, or :class:`DataUnavailableError` with what to put where."""
        for folder in data_folders():
            place = folder / self.path
            if place.is_file():
                return self._verified(place)
        return self._fetched(cache_folder() / "data" / self.path)

    def _verified(self, place: Path) -> bytes:
        try:
            content = place.read_bytes()
        except OSError as error:
            raise DataUnavailableError(f"{place} cannot be read ({error.strerror})") from None
        found = hashlib.sha256(content).hexdigest()
        if found != self.sha256:
            raise DataUnavailableError(
                f"{place} is damaged or not the expected file: its sha256 is {found[:12]}... "
                f"instead of {self.sha256[:12]}...; remove or replace this file"
            )
        return content

    def _fetched(self, place: Path) -> bytes:
        reasons = []
        for home in () if os.environ.get("COROLLARY_OFFLINE") else self.homes:
            address = home + self.path.rpartition("/")[2]
            try:
                content = _download(address)
            except OSError as error:  # urllib's errors are OSErrors
                reasons.append(f"{address}: {getattr(error, 'reason', None) or error}")
                continue
            if hashlib.sha256(content).hexdigest() == self.sha256:
                write_bytes_atomically(place, content)
                return content
            reasons.append(f"{address}: not the expected content")
        raise DataUnavailableError(self._what_to_do(reasons))

    def _what_to_do(self, reasons: list[str]) -> str:
        name = self.path.rpartition("/")[2]
        tried = "; ".join(reasons) or "nothing was fetched, because COROLLARY_OFFLINE is set"
        return (
            f"the data file {self.path} is not on this machine ({tried}); put {name} from "
            f"{self.homes[0]} into {self.path.rpartition('/')[0]}/ below a folder of your choice "
            "and set COROLLARY_DATA to that folder"
        )


def data_folders() -> list[Path]:
    """The folders searched for data, in order."""
    named = os.environ.get("COROLLARY_DATA")
    return ([Path(named).expanduser()] if named else []) + [cache_folder() / "data"]


def _download(address: str) -> bytes:
    from http.client import HTTPException
    from urllib.request import urlopen

    try:
        with urlopen(address, timeout=TIMEOUT) as answer:
            content: bytes = answer.read()
            return content
    except HTTPException as error:  # a connection cut short, say
        raise OSError(str(error) or type(error).__name__) from None
