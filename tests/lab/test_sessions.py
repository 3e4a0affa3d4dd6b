"""A page sees a session as it is, whenever it comes and however slowly it reads."""

import asyncio

import pytest

from corollary.lab import sessions
from corollary.lab.limits import Busy, Limits
from corollary.lab.process import WorkerEnded
from corollary.lab.sessions import ROWS, Session, Sessions


class Silent:
    """A worker that says nothing of itself."""

    def __init__(self):
        self.orders, self.gone = [], asyncio.Event()

    async def hear(self):
        await self.gone.wait()
        raise WorkerEnded("the process ended: out of memory")

    async def send(self, **order):
        self.orders.append(order)

    async def end(self, why=""):
        self.gone.set()


def run(work):
    async def live():
        session = Session(Silent(), "play")
        try:
            await work(session)
        finally:
            await session.end("")

    asyncio.run(live())


def test_a_page_that_comes_late_sees_all_rows_and_the_newest_frame():
    async def work(session):
        for k in range(5):
            session.take({"rows": [{"step": k}], "frame": {"step": k}})
        news = await anext(session.updates())
        assert [row["step"] for row in news["rows"]] == [0, 1, 2, 3, 4]
        assert news["frame"] == {"step": 4} and news["anew"]

    run(work)


def test_a_slow_page_misses_frames_but_no_rows():
    async def work(session):
        session.take({"rows": [{"step": 0}], "frame": {"step": 0}})
        pages = session.updates()
        await anext(pages)
        for k in range(1, 8):
            session.take({"rows": [{"step": k}], "frame": {"step": k}})
        news = await anext(pages)
        assert [row["step"] for row in news["rows"]] == list(range(1, 8))
        assert news["frame"] == {"step": 7} and "anew" not in news

    run(work)


def test_what_has_not_changed_is_not_sent_again():
    async def work(session):
        session.take({"points": [1], "frame": {"step": 0}})
        pages = session.updates()
        await anext(pages)
        session.take({"frame": {"step": 1}})
        assert await anext(pages) == {"frame": {"step": 1}}

    run(work)


def test_many_rows_are_thinned_and_the_page_is_told_to_begin_anew():
    async def work(session):
        pages = session.updates()
        for k in range(ROWS + 1):
            session.take({"rows": [{"step": k}]})
        news = await anext(pages)
        steps = [row["step"] for row in news["rows"]]
        assert len(steps) <= ROWS and steps[0] == 0 and steps[-1] == ROWS and news["anew"]

    run(work)


def test_a_new_run_forgets_the_rows_of_the_old_one():
    async def work(session):
        session.take({"rows": [{"step": 5}], "frame": {"step": 5}})
        pages = session.updates()
        await anext(pages)
        session.take({"anew": True, "points": []})
        session.take({"rows": [{"step": 0}]})
        news = await anext(pages)
        assert news["anew"] and news["rows"] == [{"step": 0}] and "frame" not in news

    run(work)


def test_the_death_of_the_worker_is_the_last_thing_said():
    async def work(session):
        session.take({"frame": {"step": 1}})
        pages = session.updates()
        await anext(pages)
        session.worker.gone.set()
        assert (await anext(pages))["over"] == {"error": "the process ended: out of memory"}
        with pytest.raises(StopAsyncIteration):
            await anext(pages)

    run(work)


def test_a_quiet_session_shows_that_it_is_alive(monkeypatch):
    monkeypatch.setattr(sessions, "HEARTBEAT", 0.02)

    async def work(session):
        session.take({"frame": {}})
        pages = session.updates()
        await anext(pages)
        assert await anext(pages) is None

    run(work)


def test_sessions_that_nobody_looks_at_rest_and_then_end(monkeypatch):
    async def live():
        many = Sessions(Limits())
        session = Session(Silent(), "play")
        many.all[session.name] = session
        await many.sweep()
        assert session.worker.orders == [] and many.find(session.name) is session
        session.left -= 10
        await many.sweep()
        await many.sweep()  # it is told once, until a page has looked again
        assert session.worker.orders == [{"do": "pause"}]
        with session.watched():
            await many.sweep()
        session.left -= 10
        await many.sweep()
        assert session.worker.orders == [{"do": "pause"}] * 2
        session.left -= 100
        await many.sweep()
        assert many.find(session.name) is None and session.task.done()

    asyncio.run(live())


def test_too_many_sessions_are_refused_with_a_reason(monkeypatch):
    async def live():
        many = Sessions(Limits())
        for _ in range(sessions.MOST):
            session = Session(Silent(), "play")
            session.watchers = 1
            many.all[session.name] = session
        with pytest.raises(Busy, match="close the page"):
            await many.open("play", settings={})
        await many.close()

    asyncio.run(live())


def test_sessions_that_start_at_the_same_time_are_counted(monkeypatch):
    async def slowly(kind, limits):
        await asyncio.sleep(0.01)
        return Silent()

    monkeypatch.setattr(sessions.Worker, "start", slowly)

    async def live():
        many = Sessions(Limits())
        opened = await asyncio.gather(
            *(many.open("play", settings={}) for _ in range(20)), return_exceptions=True
        )
        assert sum(isinstance(one, Session) for one in opened) == sessions.MOST == len(many.all)
        assert sum(isinstance(one, Busy) for one in opened) == 20 - sessions.MOST
        await many.close()

    asyncio.run(live())


def test_what_is_over_is_kept_to_be_saved_but_not_without_end(monkeypatch):
    monkeypatch.setattr(sessions, "KEPT", 2)

    async def live():
        many = Sessions(Limits())
        for age in (4000, 300, 200, 100):
            session = Session(Silent(), "examine")
            session.take({"file": {"html": str(age)}, "over": {"done": True}})
            session.left -= age
            many.all[session.name] = session
        await many.sweep()
        kept = sorted(s.latest["file"][1]["html"] for s in many.all.values())
        assert kept == ["100", "200"]
        await many.close()

    asyncio.run(live())
