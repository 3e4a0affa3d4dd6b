"""The page that follows a run: its record is read again as it grows."""

import json

import pytest

LINES = [
    {"kind": "run", "schema": 1, "model": "Net", "parameters": 10, "trained": 10}
    | {"environment": {}, "optimizers": [{"name": "SGD", "lr": 0.1}], "step": 0, "rank": 0},
    {"kind": "step", "step": 0, "loss": 2.0, "low": 2.0, "high": 2.0, "lr": 0.1},
    {"kind": "step", "step": 1, "loss": 1.0, "low": 1.0, "high": 1.0, "lr": 0.1},
]
END = {"kind": "end", "step": 2, "seconds": 0.5, "problems": [], "events": 0}


def write(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_a_record_outside_the_folder_or_of_another_kind_is_refused(client, tmp_path):
    write(tmp_path / "run.jsonl", LINES)
    for name, why in [
        ("../run.jsonl", "folder"),
        ("run.txt", "watch.jsonl"),
        ("no.jsonl", "no.js"),
    ]:
        answer = client.post("/api/watch", json={"file": name})
        assert answer.status_code == 400
        assert why in answer.json()["error"]
    assert client.get("/api/folder").json()["records"] == ["run.jsonl"]


def test_the_page_names_the_record_of_its_address(client):
    text = client.get("/watch?file=other.jsonl").text
    assert 'value="other.jsonl"' in text
    assert 'aria-current="page">Watch' in text


@pytest.mark.slow  # a process that imports torch
def test_a_run_is_followed_until_it_ends(start, tmp_path):
    write(tmp_path / "run.jsonl", LINES)
    lab = start(folder=tmp_path)
    _, opened = lab.ask("POST", "/api/watch", {"file": "run.jsonl"}, timeout=180)
    told = lab.events(opened["session"], timeout=180)
    first = next(news for news in told if "page" in news)["page"]
    assert (first["step"], first["ended"]) == (2, False)
    assert "has not ended" in first["html"] and "<svg" in first["html"]
    write(tmp_path / "run.jsonl", [*LINES, END])
    last = next(news for news in told if news.get("page", {}).get("ended"))
    assert last["page"]["headline"] == "Net, 2 steps: nothing wrong found"
