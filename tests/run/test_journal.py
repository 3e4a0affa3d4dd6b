"""The journal survives cuts, and does without a disk."""

import pytest

from corollary.core import Result
from corollary.registry import find
from corollary.run.check import check, run
from corollary.run.journal import Journal, last_outcomes, remember


@pytest.fixture(scope="module")
def done():
    return check(["novikoff", "xor"])


def test_a_line_that_was_cut_costs_itself_and_not_the_next(tmp_path, done):
    journal = Journal(tmp_path / "run.jsonl")
    first, second = done.results
    for _ in range(2):  # killed twice in the middle of a line
        journal.append(first)
        journal.path.write_bytes(journal.path.read_bytes()[:-20])
    journal.append(first)
    journal.append(second)
    assert set(journal.read(Result)) == {first.name, second.name}
    assert journal.path.read_bytes().count(b"\n") == 4


@pytest.mark.parametrize("rest", [b"\xff\xfe", b'{"name": "cut sho', b"[]\n", b"null\n", b"3\n"])
def test_what_is_not_a_result_is_as_if_it_had_not_been_written(tmp_path, done, rest):
    journal = Journal(tmp_path / "run.jsonl")
    journal.append(done.results[0])
    with journal.path.open("ab") as file:
        file.write(rest)
    assert list(journal.read(Result)) == [done.results[0].name]


UNWRITABLE = "/proc/corollary"


def test_a_cache_that_cannot_be_written_costs_one_warning(monkeypatch):
    monkeypatch.setenv("COROLLARY_CACHE", UNWRITABLE)
    told = []
    journal = Journal.of(names=["novikoff", "xor"], warn=told.append)
    journal.clear()
    done = run([find("novikoff"), find("xor")], journal=journal)
    assert [r.verdict.value for r in done.results] == ["holds", "holds"]
    assert len(told) == 1 and "cannot be resumed" in told[0] and UNWRITABLE in told[0]
    remember(done)
    assert last_outcomes() == {}


@pytest.mark.parametrize("text", ["[]", '{"a": 3}', '{"a": {"sentence": 1}}', "{", "\x00"])
def test_damaged_last_verdicts_are_as_if_there_were_none(text):
    from corollary.data.disk import cache_folder, write_bytes_atomically

    write_bytes_atomically(cache_folder() / "last.json", text.encode())
    assert last_outcomes() == {}
