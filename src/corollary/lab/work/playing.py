"""The playground's loop: steps, frames, and at times the theory, until the server stops."""

import time
from dataclasses import replace
from typing import Any

from corollary.errors import CorollaryError
from corollary.lab.settings import PlaySettings
from corollary.lab.work.channel import Channel, Order
from corollary.lab.work.training import Playground

FRAME = 1 / 12  # seconds
SHARE = 0.35  # of the time that theory may take while training goes on
LAST = 200_000  # steps; then it rests


def serve(channel: Channel) -> None:
    """Play by the orders that come."""
    order = channel.next()
    assert order is not None
    table = Table(channel, PlaySettings.of(order["settings"]))
    while True:
        order = channel.next(wait=not (table.running or table.due))
        if order is not None:
            try:
                table.take(order)
            except CorollaryError as error:
                channel.say(told=str(error))
        elif table.running:
            table.advance()
        else:
            table.show(theory=True)  # a hand has left a weight


class Table:
    """The current run, and whether it trains by itself."""

    def __init__(self, channel: Channel, settings: PlaySettings) -> None:
        self.channel, self.running, self.pace = channel, False, 10
        self.lay(settings)

    def lay(self, settings: PlaySettings) -> None:
        """Start a new run."""
        self.play = Playground(settings)
        self.rested = 0.0  # when theory may speak again
        self.due = False  # whether it has yet to speak of what was set by hand
        self.channel.say(anew=True, points=self.play.points(), settings=vars(settings))
        self.show(theory=True)

    def take(self, order: Order) -> None:
        """Do what the page asks."""
        do = order.get("do")
        if do == "reset":
            self.running = False
            self.lay(PlaySettings.of(order["settings"]))
        elif do == "step":
            self.running = False
            self.train(self.pace)
            self.show(theory=True)
        elif do in ("run", "pause"):
            self.running = do == "run" and self.play.finite
            self.show(theory=do == "pause")
        elif do == "lr":
            self.play.set_lr(replace(self.play.settings, lr=order["lr"]))
            self.show(theory=True)
        elif do == "weight":
            self.play.set_weight(order["layer"], order["unit"], order["source"], order["value"])
            self.show(theory=False)
            self.due = True  # not at once: a slider may be on its way
        elif do == "pace":
            self.pace = order["pace"]

    def advance(self) -> None:
        """One frame of a run."""
        start = time.monotonic()
        self.train(self.pace)
        if not self.play.finite or self.play.steps >= LAST:
            self.running = False
        self.show(theory=start >= self.rested or not self.running or self.due)
        time.sleep(max(0.0, FRAME - (time.monotonic() - start)))

    def train(self, steps: int) -> None:
        """A number of steps, or fewer if the weights stop being finite."""
        for _ in range(steps):
            if not self.play.finite:
                return
            self.play.step()

    def show(self, *, theory: bool) -> None:
        """Send the state of the run."""
        row, news = self.play.row(), {}
        if theory:
            start = time.monotonic()
            news["theory"] = found = self.play.theory()
            took, self.due = time.monotonic() - start, False
            self.rested = start + took / SHARE
            for key in ("sharpness", "limit", "edge", "turn", "regions"):
                row[key] = found.get(key)
        state: dict[str, Any] = {"running": self.running, "finite": self.play.finite}
        self.channel.say(
            rows=[row], frame=self.play.frame(), state=state, hand=self.play.by_hand(), **news
        )
