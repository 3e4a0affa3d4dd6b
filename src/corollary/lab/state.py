"""What the server holds while it runs: limits, workers, files. Nothing here imports torch."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from starlette.applications import Starlette

from corollary.lab.assets import assets
from corollary.lab.check_pool import CheckPool
from corollary.lab.entrance import Entrance
from corollary.lab.limits import Limits
from corollary.lab.sessions import Sessions

SWEEP = 5.0  # seconds between looks at what is abandoned


class Lab:
    """The lab of one server; ``folder`` is where targets of examinations are looked for."""

    def __init__(self, limits: Limits, folder: Path, *, warm: bool = True) -> None:
        self.limits, self.folder, self.warm = limits, folder, warm
        self.checkers, self.sessions = CheckPool(limits), Sessions(limits)
        self.assets, self.entrance = assets(), Entrance()
        self.closing = asyncio.Event()

    @contextlib.asynccontextmanager
    async def life(self, _: Starlette) -> AsyncIterator[None]:
        """Workers while the server runs, and none after."""
        tasks = [asyncio.ensure_future(self._sweep())]
        if self.warm:
            tasks.append(asyncio.ensure_future(self.checkers.warm()))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self.checkers.close()
            await self.sessions.close()

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP)
            with contextlib.suppress(Exception):  # one that cannot be ended must not end the rest
                await self.sessions.sweep()

    def kill(self) -> None:
        """End all workers at once."""
        self.checkers.kill()
        self.sessions.kill()
