"""One connection of a browser, dropped if a request does not arrive in time."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

SECONDS = 10.0  # for the head of a request; its body has a limit of its own


class Connection(H11Protocol):
    """uvicorn's connection, which by itself waits for the rest of a request without end."""

    clock: asyncio.TimerHandle | None = None

    # uvicorn asks for a Transport where asyncio promises a BaseTransport.
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """The clock starts when the connection is made."""
        super().connection_made(transport)
        self._expect_a_request()

    def on_response_complete(self) -> None:
        """It starts again when a request is answered."""
        super().on_response_complete()
        self._expect_a_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is expected any more."""
        super().connection_lost(exc)
        if self.clock is not None:
            self.clock.cancel()

    def _expect_a_request(self) -> None:
        if self.clock is not None:
            self.clock.cancel()
        self.clock = self.loop.call_later(SECONDS, self._drop_if_silent, self.cycle)

    def _drop_if_silent(self, before: RequestResponseCycle | None) -> None:
        """Close, unless a request has come since or one is being answered."""
        answering = self.cycle is not None and not self.cycle.response_complete
        if self.cycle is before and not answering:
            self.transport.close()
