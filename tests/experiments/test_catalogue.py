from dataclasses import fields

import pytest

from corollary.core import Experiment
from corollary.registry import experiments


@pytest.fixture(scope="module", params=list(experiments()), ids=lambda entry: entry.name)
def kind(request):
    return request.param.load()


def test_rows_have_names_of_their_own_and_settings_that_exist(kind):
    names = [row.name for row in kind.rows]
    assert len(set(names)) == len(names)
    for name in names:
        assert isinstance(kind.of_row(name), Experiment)


def test_a_quick_run_is_smaller(kind):
    known = {field.name for field in fields(kind)}
    assert set(kind.quick) <= known
    for row in kind.rows:
        whole, quick = kind.of_row(row.name), kind.of_row(row.name, quick=True)
        for name, value in kind.quick.items():
            assert value <= getattr(whole, name), row.name
        assert quick.metric == whole.metric


def test_published_figures_name_their_source(kind):
    for row in kind.rows:
        if row.published is not None:
            assert any(letter.isdigit() for letter in row.published.source), row.name
