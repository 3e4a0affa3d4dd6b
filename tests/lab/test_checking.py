"""Claims run in workers: the same results as on the command line, within limits."""

import asyncio
import json
import os
import random
import signal

import pytest

from corollary.lab import check_pool
from corollary.lab.check_pool import LONG, CheckPool, Lane
from corollary.lab.limits import GIB, Busy, Limits
from corollary.lab.process import WorkerEnded, _cause
from corollary.lab.work.checking import answered, unstyled
from corollary.run.journal import last_outcomes

NOVIKOFF = {"do": "check", "name": "connectionism/novikoff", "options": {}, "seed": 0}
HUGE = NOVIKOFF | {"options": {"n": "1000000", "d": "10000"}}  # 80 GB of points
SLOW = NOVIKOFF | {
    "name": "networks/weight_decay_fixed_points",
    "options": {"steps": "100000000"},
}  # hours, in little memory


HALF = "\ud800"  # half of a surrogate pair


def order(**changes):
    return NOVIKOFF | {"id": 1, "seconds": 60.0} | changes


def test_a_proof_is_carried_out_with_the_options_of_the_page():
    answer = answered(order(do="proof", options={"gamma": "0.2"}))
    assert "25 = 25" in answer["html"] and "<table" in answer["html"]
    assert "no proof" in answered(order(do="proof", name="connectionism/xor"))["error"]


def test_a_run_is_a_results_file_and_what_the_page_shows():
    from corollary.run.check import check
    from corollary.run.results import Run

    answer = answered(order(options={"gamma": "0.2"}, seed=3))
    assert answer["results"] == check("novikoff", gamma=0.2, seed=3).to_json()
    assert Run.from_json(answer["results"]).exit_code == 0
    view = answer["view"]
    assert (view["verdict"], view["sign"]) == ("holds", "✓")
    assert view["rows"][0]["predicted"] == "25" and view["hypotheses"]
    assert view["figures"][0]["svg"].startswith("<svg") and answer["seconds"] > 0
    del answer["done"]  # the rest is for the page
    json.dumps(answer, allow_nan=False)


def test_a_live_order_gives_one_figure_of_the_run_and_its_numbers():
    whole = answered(order(options={"gamma": "0.2"}))["view"]
    live = answered(order(do="live", figure=1, options={"gamma": "0.2"}))
    assert live["live"] and live["view"]["figures"] == whole["figures"][1:2]
    assert live["view"]["rows"] == whole["rows"] and "done" not in live


def test_figures_carry_no_style_that_the_policy_would_refuse():
    answer = answered(order())
    for figure in answer["view"]["figures"]:
        assert " style=" not in figure["svg"] and "data-style=" in figure["svg"]
    assert unstyled("<p>a style=&quot;b</p>") == "<p>a style=&quot;b</p>"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"options": {"gamma": "-1"}}, "gamma must"),
        ({"options": {"gamma": "wide"}}, "needs a number"),
        ({"options": {"n": "0"}}, "n must be at least 1"),
        ({"options": {"m": "1"}}, "no option|none of the chosen"),
        ({"name": "trainability/largest_step"}, "is an exam"),
        ({"name": "no/where"}, "no claim"),
    ],
)
def test_a_wrong_order_is_one_sentence(changes, said):
    import re

    for do in ("check", "counterexample"):
        if "m" in changes.get("options", {}) and do == "counterexample":
            continue  # the server has refused it before
        answer = answered(order(do=do, **changes))
        assert answer["status"] == 400 and re.search(said, answer["error"])


def test_the_counterexample_is_run_and_drawn():
    answer = answered(order(do="counterexample", options={"gamma": "0.5"}))
    (broken,) = answer["broken"]
    assert broken["verdict"] == "fails" and broken["words"].startswith("One point")
    assert [h["holds"] for h in broken["hypotheses"]] == [True, False]


def test_where_there_is_no_counterexample_the_reason_is_given(monkeypatch):
    from corollary.claims.connectionism.novikoff import Novikoff

    monkeypatch.setattr(Novikoff, "supposes", Novikoff().suppositions[:1])
    assert answered(order(do="counterexample"))["none"] == "there is no counterexample"


def test_the_api_checks_a_claim(client):
    answer = client.post("/api/check", json={"name": "novikoff", "options": {"n": "40"}})
    assert answer.status_code == 200
    assert answer.json()["results"]["results"][0]["parameters"]["n"] == 40
    wrong = client.post("/api/check", json={"name": "novikoff", "options": {"n": "-4"}})
    assert wrong.status_code == 400 and "n must be" in wrong.json()["error"]


def test_malformed_requests_are_answered_with_a_sentence(client):
    draw = random.Random(0)
    values = [None, [], {}, "", "x" * 600, -1, 1e308, True, "\x00", {"a": {}}, "novikoff", "NaN"]
    keys = ["name", "options", "seed", "settings", "do", "target", "data", "lr", "budget", "only"]
    for path in ("/api/check", "/api/play", "/api/examine", "/api/sessions/x"):
        for raw in (b"", b"{", b"[1]", b'"x"', b"\xff", b"[" * 100_000, b"NaN"):
            assert 400 <= client.post(path, content=raw).status_code < 500
        for _ in range(60):
            asked = {draw.choice(keys): draw.choice(values) for _ in range(draw.randint(1, 4))}
            asked["name"] = draw.choice(values[:-2])  # never a whole claim, so that nothing runs
            asked["target"] = draw.choice(["os:system", 3, None, "../x.py:f"])
            asked["settings"] = draw.choice(values[4:9])
            answer = client.post(path, json=asked) if 1e308 not in asked.values() else None
            assert answer is None or 400 <= answer.status_code < 500, (path, asked, answer.text)
    assert client.lab.sessions.all == {}
    assert client.lab.checkers.short.all == client.lab.checkers.long.all == set()


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/api/check", {"name": HALF}),
        ("/api/check", {"name": "novikoff", "options": {"gamma": HALF}}),
        ("/api/check", {"name": "novikoff", "options": {HALF: "1"}}),
        ("/api/examine", {"target": HALF}),
        ("/api/examine", {"target": f"{HALF}.py:build"}),
        ("/api/play", {"settings": {"data": HALF}}),
    ],
)
def test_half_of_a_surrogate_pair_is_refused_with_a_sentence(client, path, asked):
    answer = client.post(path, content=json.dumps(asked))
    assert answer.status_code == 400
    assert answer.json() == {"error": "the request has text that is not valid Unicode"}


@pytest.mark.parametrize("path", ["/claim/%ed%a0%80", "/%ed%a0%80", "/claim/novikoff?%ed%a0%80=1"])
def test_an_address_that_is_not_unicode_is_no_fault_of_the_lab(client, path):
    assert client.get(path).status_code in (303, 404)


def with_lane(limits, work):
    return _closed_after(lambda: Lane(limits, most=LONG), work)


def with_pool(limits, work):
    return _closed_after(lambda: CheckPool(limits), work)


def _closed_after(make, work):
    async def live():
        made = make()
        try:
            return await work(made)
        finally:
            await made.close()

    return asyncio.run(live())


@pytest.mark.slow
def test_a_killed_worker_is_told_and_another_takes_its_place():
    async def work(lane):
        await lane.run(NOVIKOFF)
        (worker,) = lane.all
        os.kill(worker.process.pid, signal.SIGSTOP)  # so that it is killed in the middle of a run
        run = asyncio.ensure_future(lane.run(NOVIKOFF))
        await asyncio.sleep(0.2)
        os.kill(worker.process.pid, signal.SIGKILL)
        with pytest.raises(WorkerEnded, match="the process ended: out of memory"):
            await run
        again = await lane.run(NOVIKOFF)
        assert again["view"]["verdict"] == "holds" and worker not in lane.all

    with_lane(Limits(60.0), work)


@pytest.mark.slow
def test_a_worker_that_needs_too_much_memory_is_told_and_replaced():
    async def work(lane):
        with pytest.raises(WorkerEnded, match=r"the process ended: out of memory \(limit 2 GiB"):
            await lane.run(HUGE)
        assert (await lane.run(NOVIKOFF))["view"]["verdict"] == "holds"

    with_lane(Limits(60.0, 2 * GIB), work)


def test_a_run_past_its_time_is_inconclusive_and_the_worker_lives(monkeypatch):
    monkeypatch.setattr("corollary.lab.check_pool.GRACE", 300.0)  # the machine may be busy

    async def work(lane):
        answer = await lane.run(SLOW)
        assert answer["view"]["verdict"] == "inconclusive"
        assert "time limit" in answer["view"]["note"]
        assert len(lane.free) == 1

    with_lane(Limits(1.0), work)


def test_a_worker_that_hangs_is_ended(monkeypatch):
    monkeypatch.setattr("corollary.lab.check_pool.GRACE", 0.5)  # a stopped worker never ends

    async def work(lane):
        await lane.warm()
        (worker,) = lane.all
        await worker.wait_until_ready()
        os.kill(worker.process.pid, signal.SIGSTOP)
        with pytest.raises(WorkerEnded, match=r"the process ended: time limit of 1 s"):
            await lane.run(NOVIKOFF)
        assert worker.process.returncode == -signal.SIGKILL

    with_lane(Limits(1.0), work)


def test_a_run_that_nobody_waits_for_is_dropped_and_its_worker_kept(monkeypatch):
    monkeypatch.setattr("corollary.lab.check_pool.LETTING_GO", 300.0)  # the machine may be busy

    async def work(lane):
        await lane.run(NOVIKOFF)
        (worker,) = lane.all
        run = asyncio.ensure_future(lane.run(SLOW))
        await asyncio.sleep(0.5)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        assert (await lane.run(NOVIKOFF))["view"]["verdict"] == "holds"
        while lane.tasks:
            await asyncio.sleep(0.05)
        assert worker.alive and worker in lane.free
        (known,) = last_outcomes().values()  # a run that was dropped has no outcome
        assert (known["verdict"], known["seed"]) == ("holds", "0")

    with_lane(Limits(120.0), work)


def test_runs_beyond_the_places_wait_for_their_turn():
    async def work(lane):
        orders = [NOVIKOFF | {"seed": seed} for seed in range(5)]
        answers = await asyncio.gather(*(lane.run(o) for o in orders))
        assert [a["results"]["seed"] for a in answers] == list(range(5))
        assert len(lane.all) <= 2

    with_lane(Limits(60.0), work)


def test_runs_beyond_those_that_may_wait_are_refused_with_a_reason(monkeypatch):
    monkeypatch.setattr("corollary.lab.check_pool.WAITING", 3)

    async def work(lane):
        await lane.places.acquire()
        await lane.places.acquire()  # as if two runs were under way
        waiting = [asyncio.ensure_future(lane.run(NOVIKOFF)) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(Busy, match="3 runs are waiting already"):
            await lane.run(NOVIKOFF)
        for run in waiting:
            run.cancel()  # the pages are closed
        await asyncio.gather(*waiting, return_exceptions=True)
        assert lane.waiting == 0 and lane.all == set()

    with_lane(Limits(60.0), work)


def test_two_long_claims_do_not_keep_a_short_one_waiting():
    async def work(pool):
        await pool.run(short=True, **NOVIKOFF)  # both lanes have a worker from now on
        long = [asyncio.ensure_future(pool.run(short=False, **SLOW)) for _ in range(LONG)]
        while pool.long.waiting or not pool.long.full or pool.long.free:
            await asyncio.sleep(0.05)
        start = asyncio.get_running_loop().time()
        answer = await pool.run(short=True, **NOVIKOFF)
        seconds = asyncio.get_running_loop().time() - start
        assert answer["view"]["verdict"] == "holds" and not any(run.done() for run in long)
        assert seconds < 20  # not those of the long ones; a busy machine may take a while
        for run in long:
            run.cancel()

    with_pool(Limits(40.0), work)


def test_a_claim_that_is_not_short_after_all_starts_again_among_the_long(monkeypatch):
    monkeypatch.setattr(check_pool, "SHORT", 1e-4)
    monkeypatch.setattr(check_pool, "LETTING_GO", 300.0)  # the machine may be busy

    async def work(pool):
        answer = await pool.run(short=True, **NOVIKOFF)
        assert answer["view"]["verdict"] == "holds"
        assert (pool.short.count, pool.long.count) == (1, 1)
        while pool.short.tasks:
            await asyncio.sleep(0.05)
        assert not pool.short.full and len(pool.short.free) == 1  # its worker was kept

    with_pool(Limits(60.0), work)


def test_a_short_claim_takes_a_free_place_among_the_long():
    async def work(pool):
        await pool.short.places.acquire()  # as if a short one were under way
        assert (await pool.run(short=True, **NOVIKOFF))["view"]["verdict"] == "holds"
        assert len(pool.long.all) >= 1 and pool.short.all == set()

    with_pool(Limits(60.0), work)


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        (-9, "out of memory"),
        (-6, "out of memory"),
        (-24, "time limit"),
        (-11, "signal 11"),
        (3, "exit code 3"),
    ],
)
def test_an_exit_code_is_read_in_words(code, cause):
    assert _cause(code) == cause
