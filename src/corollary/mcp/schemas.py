"""Tools as JSON Schema: input from a tool's fields, output from the files of the package."""

import inspect
import json
import math
import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from enum import StrEnum
from importlib.resources import files
from typing import Any, Union, get_args, get_origin, get_type_hints

from corollary.errors import OptionError, one_line
from corollary.report.comments import comments

Schema = dict[str, Any]
TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object"}
LONGEST = 500  # characters of a word


def input_schema(tool: type) -> Schema:
    """The fields of a tool as JSON Schema; comments beside them are their descriptions."""
    hints, said = get_type_hints(tool), comments(tool)
    properties = {
        f.name: _of(hints[f.name]) | {"description": said[f.name]} | _default(f) | dict(f.metadata)
        for f in fields(tool)
    }
    required = [f.name for f in fields(tool) if not _default(f)]
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def output_schema(name: str) -> Schema:
    """A schema file of the package."""
    path = files("corollary.report").joinpath(f"schemas/{name}.schema.json")
    schema: Schema = json.loads(path.read_text("utf-8"))
    return schema


def made(tool: type, given: Mapping[str, Any]) -> Any:
    """The tool with these arguments.

    Raises:
        OptionError: if the arguments do not fit the schema; the message names the first one that
            does not fit.
    """
    from jsonschema import Draft202012Validator

    errors = Draft202012Validator(input_schema(tool)).iter_errors(given)
    for error in sorted(errors, key=lambda e: list(map(str, e.absolute_path))):
        where = ".".join(map(str, error.absolute_path))
        named = f"'{where}': " if where else ""
        raise OptionError(one_line(f"{named}{error.message}"))
    for name, value in given.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise OptionError(f"'{name}': expected a finite number, got {value}")
    return tool(**given)


def description(tool: type) -> str:
    """The docstring, written for the assistant."""
    return inspect.cleandoc(tool.__doc__ or "")


def _of(kind: Any) -> Schema:
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):  # always with None
        inner = _of(args[0])
        return inner | {"type": [inner["type"], "null"]}
    if origin is list:
        return {"type": "array", "items": _of(args[0])}
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return {"enum": [member.value for member in kind]}
    if kind is str:
        return {"type": "string", "maxLength": LONGEST}
    return {"type": TYPES[origin or kind]}


def _default(field: "Field[Any]") -> Schema:
    if field.default is not MISSING:
        return {"default": field.default}
    return {"default": field.default_factory()} if field.default_factory is not MISSING else {}
