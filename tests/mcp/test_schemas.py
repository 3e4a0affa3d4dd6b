"""Arguments are held to the schema that a client is shown."""

import pytest

from corollary.errors import OptionError
from corollary.mcp.schemas import input_schema, made
from corollary.mcp.tools import TOOLS, Check, Examine


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_input_schemas_are_schemas_and_take_their_own_defaults(tool):
    jsonschema = pytest.importorskip("jsonschema")
    schema = input_schema(tool)
    jsonschema.Draft202012Validator.check_schema(schema)
    given = {k: v["default"] for k, v in schema["properties"].items() if "default" in v}
    made(tool, given | dict.fromkeys(schema["required"], "word"))


@pytest.mark.parametrize(
    ("tool", "given", "sentence"),
    [
        (Check, {}, "'name' is a required property"),
        (Check, {"name": "a", "seed": 1.5}, "'seed': 1.5 is not of type 'integer'"),
        (Examine, {"target": "demo", "lr": float("inf")}, "expected a finite number"),
        (Examine, {"target": "demo", "only": "soundness"}, "'only': 'soundness' is not of type"),
        (Examine, {"target": "demo", "only": [3]}, "'only.0': 3 is not of type 'string'"),
    ],
)
def test_what_does_not_fit_is_named(tool, given, sentence):
    pytest.importorskip("jsonschema")
    with pytest.raises(OptionError, match=sentence):
        made(tool, given)
