"""The environment of the tools: one folder, limits, and running workers for claims."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corollary.lab.check_pool import CheckPool
from corollary.lab.limits import Limits

AT_A_TIME = 2  # examinations
Progress = Callable[[float, float, str], Coroutine[Any, Any, None]]  # done, of how many, what


@dataclass(frozen=True)
class Answer:
    """The answer of a tool: text for the assistant, and data that fits the output schema."""

    text: str
    data: dict[str, Any]


@dataclass
class Place:
    """The folder with all code that may be run, and the limits of one call."""

    folder: Path
    limits: Limits
    checkers: CheckPool = field(init=False)
    examinations: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self.checkers = CheckPool(self.limits)
        self.examinations = asyncio.Semaphore(AT_A_TIME)

    @asynccontextmanager
    async def life(self) -> AsyncIterator["Place"]:
        """End all processes."""
        try:
            yield self
        finally:
            await self.checkers.close()
