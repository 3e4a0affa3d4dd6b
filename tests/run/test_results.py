"""Results files, also those of somebody else: a page or a sentence, never a traceback."""

import copy
import json

import pytest

from corollary.errors import ResultsFileError
from corollary.report.html import run_html
from corollary.report.text import run_text
from corollary.run.check import check
from corollary.run.results import Run, read_results, write_results


@pytest.fixture(scope="module")
def data():
    """A results file with one of everything, and three entries of what is longer."""

    def thinned(value):
        if isinstance(value, list):
            return [thinned(v) for v in value[:3]]
        return {k: thinned(v) for k, v in value.items()} if isinstance(value, dict) else value

    whole = check("novikoff").to_json()
    figures = whole["results"][0].pop("figures")
    return thinned(whole | {"results": [whole["results"][0] | {"figures": figures[:1]}]})


def test_a_results_file_comes_back_as_it_was(tmp_path):
    done = check("novikoff", seed=1)
    write_results(done, tmp_path / "r.json")
    assert read_results(tmp_path / "r.json").to_json() == done.to_json()


NESTED: list = []
for _ in range(300):
    NESTED = [NESTED]
WRONG = [None, "a", 10**400, -1, [], {}, True, NESTED, [None], {"a": 1}, "\x1b[2J"]
MISSING = object()


def places(value, at=()):
    """Every key, and the first entry of every list."""
    for key in list(value) if isinstance(value, dict) else range(bool(value)):
        yield (*at, key)
        if isinstance(value[key], dict | list):
            yield from places(value[key], (*at, key))


def spoilt(data, at, wrong):
    data = copy.deepcopy(data)
    inner = data
    for key in at[:-1]:
        inner = inner[key]
    if wrong is MISSING:
        del inner[at[-1]]
    else:
        inner[at[-1]] = wrong
    return data


def test_whatever_is_wrong_in_a_file_it_is_a_report_or_a_sentence(data):
    read = refused = 0
    for at in places(data):
        for wrong in (*WRONG, MISSING):
            try:
                run = Run.from_json(spoilt(data, at, wrong))
            except ResultsFileError:
                refused += 1
                continue
            assert "\x1b" not in run_text(run), at
            json.dumps(run.to_json(), allow_nan=False)
            if read % 10 == 0:
                run_html(run)
            read += 1
    assert refused > 500 and read > 20


SEED = "1" * 10_000
BROKEN = {
    "empty": "",
    "cut": "{",
    "a list": "[]",
    "another schema": '{"schema": 99}',
    "no results": '{"schema": 1}',
    "bytes": "\x00\x01",
    "a number of ten thousand digits": f'{{"schema": 1, "seed": {SEED}}}',
    "ten thousand levels": "[" * 10_000 + "]" * 10_000,
    "text": '"schema"',
    "null": "null",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_a_corrupt_results_file_gets_one_sentence(tmp_path, text):
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(ResultsFileError, match="bad.json") as told:
        read_results(path)
    assert "\n" not in str(told.value)


def test_the_entry_that_decides_is_one_of_those_compared(data):
    for worst in (3, 99, -1):
        with pytest.raises(ResultsFileError, match="to be the index of a comparison"):
            Run.from_json(spoilt(data, ("results", 0, "worst"), worst))
