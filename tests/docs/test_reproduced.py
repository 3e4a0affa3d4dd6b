import dataclasses
import re

import pytest
from corollary_docs import reproduced

from corollary.registry import find_experiment
from corollary.run.reproduction import read_reproduction


@pytest.fixture(scope="module")
def done():
    return read_reproduction(reproduced.RUNS)


def test_stored_runs_have_the_settings_of_the_catalogue(done):
    for job in done.jobs:
        kind = find_experiment(job.experiment).load()
        assert not job.error, job.name
        assert job.settings == dataclasses.asdict(kind.of_row(job.row)), job.name


def test_every_row_is_in_a_table_or_in_the_list_of_missing_runs(done):
    page = reproduced.reproduced_page()
    for line in done.lines():
        assert line.number in page
    missing = {(j.experiment, j.row) for j in done.jobs}
    assert ("have no run" in page) or missing
    assert re.search(r"\d+ published results were obtained in the same setting", page)


def test_each_family_has_a_page_with_its_own_runs(done):
    parts = dict(reproduced.families(done))
    assert sum(len(part.jobs) for part in parts.values()) == len(done.jobs)
    assert all(j.experiment.startswith(name + "/") for name, p in parts.items() for j in p.jobs)
