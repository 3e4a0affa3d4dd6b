import json
import math

import pytest
import torch
from torch import nn

import corollary
from corollary.core import Figure, Finding, Level, Result, Verdict
from corollary.core.figure import MARKS
from corollary.report.schema import examination_schema, results_schema
from corollary.run.results import Run


def errors(schema, data) -> list[str]:
    jsonschema = pytest.importorskip("jsonschema")
    strict = json.loads(json.dumps(data, allow_nan=False))  # what a file holds
    kind = jsonschema.Draft202012Validator
    kind.check_schema(schema)
    return [f"{list(e.absolute_path)}: {e.message}" for e in kind(schema).iter_errors(strict)]


# Together their figures have every kind of mark.
CLAIMS = [
    "three_lines",
    "robbins_monro",
    "patch_order",
    "random_feature_initial",
    "two_layer_variance",
]
CLAIMS += ["parallel_distributed_processing", "descent_lemma", "novikoff", "preconditioning"]
CLAIMS += ["gru_convexity", "maurey_lemma"]


@pytest.fixture(scope="module")
def run() -> dict:
    return corollary.check(CLAIMS).to_json()


@pytest.fixture(scope="module")
def examination() -> dict:
    x = torch.linspace(-1, 1, 64).reshape(32, 2)
    model = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))
    found = corollary.examine(model, (x, (x[:, 0] > 0).long()), only=["soundness", "function"])
    return found.to_json()


def test_results_of_real_claims_are_valid(run):
    assert errors(results_schema(), run) == []
    marks = {m["kind"] for r in run["results"] for f in r["figures"] for m in f["marks"]}
    assert marks == set(MARKS)


def test_an_examination_of_a_real_network_is_valid(examination):
    assert errors(examination_schema(), examination) == []
    assert any(finding["figures"] for finding in examination["findings"])
    assert len({finding["status"] for finding in examination["findings"]}) > 1


@pytest.mark.parametrize("verdict", Verdict)
def test_a_result_without_numbers_is_valid_and_so_is_one_with_infinities(verdict):
    figure = Figure("t", "x", "y", (Level(math.inf),))
    results = Result("a/b", "t", verdict), Result("a/c", "t", verdict, figures=(figure,))
    assert errors(results_schema(), Run({}, 0, results).to_json()) == []


@pytest.mark.parametrize(
    ("key", "value"),
    [("verdict", "true"), ("predicted", 3), ("seed", 0.5), ("figures", [{"title": "t"}])],
)
def test_a_wrong_value_is_named(run, key, value):
    broken = run | {"results": [run["results"][0] | {key: value}]}
    found = errors(results_schema(), broken)
    assert found and all(error.startswith(f"['results', 0, '{key}'") for error in found)


@pytest.mark.parametrize("key", ["schema", "kind", "findings"])
def test_a_missing_key_is_named(examination, key):
    broken = {k: v for k, v in examination.items() if k != key}
    assert errors(examination_schema(), broken) == [f"[]: '{key}' is a required property"]


def test_a_results_file_is_no_examination(run, examination):
    assert errors(examination_schema(), run)
    assert errors(results_schema(), examination)


@pytest.mark.parametrize(
    ("kind", "schema"), [(Result, results_schema()), (Finding, examination_schema())]
)
def test_the_schema_names_the_keys_that_are_written(kind, schema, run, examination):
    written = {Result: run["results"], Finding: examination["findings"]}[kind]
    assert all(list(item) == schema["$defs"][kind.__name__]["required"] for item in written)


def test_the_files_that_are_shipped_are_up_to_date():
    from write_schemas import files

    for path, content in files().items():
        assert path.read_text("utf-8") == content, "run: python tools/write_schemas.py"
