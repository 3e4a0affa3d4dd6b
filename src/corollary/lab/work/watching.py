"""The record of a watched run, read again whenever it has grown."""

import time
from pathlib import Path
from typing import Any

from corollary.errors import CorollaryError, one_line
from corollary.lab.work.channel import Channel
from corollary.lab.work.checking import unstyled
from corollary.report.watch_page import headline, watch_fragment
from corollary.watch.record import Run, read_run

LOOK = 1.0  # seconds between two looks at the files


def serve(channel: Channel) -> None:
    """Follow one record until its run has ended."""
    order = channel.next()
    assert order is not None
    path, seen = Path(order["file"]), 0
    try:
        while True:
            size = _size(path)
            if size != seen:
                run, seen = read_run(path), size
                channel.say(page=page(run))
                if run.ended:
                    break
            time.sleep(LOOK)
    except (CorollaryError, OSError) as error:
        channel.say(over={"error": one_line(str(error))})
        return
    channel.say(over={"done": True})


def page(run: Run) -> dict[str, Any]:
    """What the page shows of a run."""
    return {
        "headline": headline(run),
        "html": unstyled(watch_fragment(run)),
        "step": run.steps,
        "ended": run.ended,
    }


def _size(path: Path) -> int:
    """Bytes of the record and of those that other processes write beside it."""
    others = path.parent.glob(f"{path.stem}.rank*{path.suffix}")
    return sum(p.stat().st_size for p in (path, *others))
