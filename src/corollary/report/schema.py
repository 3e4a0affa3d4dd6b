"""What ``check``, ``examine`` and others give as JSON, as JSON Schema made from the dataclasses.

Python's types become JSON's, comments beside fields become descriptions. A field that is added to
:class:`~corollary.core.Result` or :class:`~corollary.core.Finding` is in the schema after
``python tools/write_schemas.py``. All keys are required; readers should allow for more, since a
later version may add some.
"""

import dataclasses
import inspect
import types
from collections.abc import Sequence
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from corollary.core.figure import MARKS, Mark
from corollary.core.numbers import WRITTEN
from corollary.examine.examination import SCHEMA as EXAMINATION
from corollary.examine.examination import Examination
from corollary.report.catalogue_facts import Explained, Listing
from corollary.report.comments import comments
from corollary.report.watch_report import WatchReport
from corollary.run.results import SCHEMA as RESULTS
from corollary.run.results import Run

Schema = dict[str, Any]
DIALECT = "https://json-schema.org/draft/2020-12/schema"
PLAIN = {str: "string", bool: "boolean", int: "integer", type(None): "null", dict: "object"}
NUMBER = {  # JSON has no infinities
    "description": "A number. JSON has no NaN and no infinities, so they are strings.",
    "anyOf": [{"type": "number"}, {"enum": ["Infinity", "-Infinity", "NaN"]}],
}


def results_schema() -> Schema:
    """The file of ``corollary check --json``."""
    return _file(Run, "Results of corollary check", {"schema": {"const": RESULTS}})


def examination_schema() -> Schema:
    """The file of ``corollary examine --json``."""
    head = {"schema": {"const": EXAMINATION}, "kind": {"const": "examination"}}
    return _file(Examination, "An examination by corollary examine", head)


def listing_schema() -> Schema:
    """What the tool ``list`` of ``corollary mcp`` gives."""
    return _file(Listing, "Entries of corollary's catalogue", {})


def entry_schema() -> Schema:
    """What ``corollary show --json`` gives."""
    return _file(Explained, "An entry of corollary's catalogue", {})


def watch_schema() -> Schema:
    """What the tool ``watch`` of ``corollary mcp`` gives."""
    return _file(WatchReport, "A training run watched by corollary", {})


def _file(root: type, title: str, head: Schema) -> Schema:
    defs: Schema = {"number": NUMBER}
    record = _record(root, defs, head)
    return {"$schema": DIALECT, "title": title, **record, "$defs": dict(sorted(defs.items()))}


def _record(kind: type, defs: Schema, head: Schema) -> Schema:
    """A dataclass as an object: the keys in ``head``, then its fields."""
    hints, said = get_type_hints(kind), comments(kind)
    fields = {
        f.name: _of(hints[f.name], defs) | ({"description": said[f.name]} if f.name in said else {})
        for f in dataclasses.fields(kind)
    }
    return {
        "description": (inspect.getdoc(kind) or "").partition("\n")[0].replace("``", "`"),
        "type": "object",
        "properties": head | fields,
        "required": [*head, *fields],
    }


def _of(kind: Any, defs: Schema) -> Schema:
    """The schema of one type; dataclasses go into ``defs``, once each."""
    kind = WRITTEN.get(kind, kind)
    origin, args = get_origin(kind), get_args(kind)
    if kind is Any:
        return {}
    if kind is float:
        return {"$ref": "#/$defs/number"}
    if origin is Literal:
        return {"enum": list(args)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_of(arg, defs) for arg in args]}
    if origin is tuple and args[-1] is not Ellipsis:
        items = [_of(arg, defs) for arg in args]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "items": False}
    if origin in (tuple, Sequence):
        return {"type": "array", "items": _of(args[0], defs)}
    if origin is dict and args[1] is not Any:
        return {"type": "object", "additionalProperties": _of(args[1], defs)}
    if (origin or kind) in PLAIN:
        return {"type": PLAIN[origin or kind]}
    return _reference(kind, defs)


def _reference(kind: type, defs: Schema) -> Schema:
    name = kind.__name__
    if kind is Mark:
        return {"anyOf": [_reference(mark, defs) for mark in MARKS.values()]}
    if name not in defs:
        defs[name] = {}  # so that a class that holds its own kind ends
        if issubclass(kind, Enum):
            defs[name] = {"enum": [member.value for member in kind]}
        else:
            head = {"kind": {"const": name}} if issubclass(kind, Mark) else {}
            defs[name] = _record(kind, defs, head)
    return {"$ref": f"#/$defs/{name}"}
