"""How a browser gets in: a token that works once, then a cookie and a key that belong together.

Browsers send the cookies of 127.0.0.1 to every port of it, so any local server may see ours: with
the cookie alone one can open pages, which show the catalogue. Requests to the API also carry the
key. A page keeps it in its local storage, which belongs to scheme, host and port.
"""

import hmac
import secrets
import time
from collections.abc import Iterable

MINUTES = 10  # in which a token can be used
KEY_HEADER = "x-corollary-key"


class Entrance:
    """The token that is valid now, and the browsers that were let in."""

    def __init__(self) -> None:
        self.token, self.expires = "", 0.0
        self.keys: dict[str, str] = {}  # cookie -> key

    def new_token(self) -> str:
        """A new token; the one before becomes invalid."""
        self.token, self.expires = secrets.token_urlsafe(24), time.monotonic() + 60 * MINUTES
        return self.token

    def admit(self, token: str) -> tuple[str, str] | None:
        """Use up the token: a new cookie and its key, or None if the token is not valid.

        Example:
            >>> entrance = Entrance()
            >>> token = entrance.new_token()
            >>> cookie, key = entrance.admit(token)
            >>> entrance.knows([cookie]), entrance.knows([cookie], key), entrance.admit(token)
            (True, True, None)
        """
        valid = self.token and time.monotonic() < self.expires
        if not (valid and _same(token, self.token)):
            return None
        self.token = ""
        cookie, key = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        self.keys[cookie] = key
        return cookie, key

    def knows(self, cookies: Iterable[str], key: str | None = None) -> bool:
        """Whether one of the cookies is ours, and ``key``, if it is asked for, belongs to it."""
        return any(
            _same(given, cookie) and (key is None or _same(key, its_key))
            for given in cookies
            for cookie, its_key in self.keys.items()
        )


def _same(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())
