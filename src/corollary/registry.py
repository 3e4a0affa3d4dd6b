"""The catalogue, read from docstrings as text; it uses only the standard library.

A file under ``claims/<area>/`` or ``exams/<question>/`` *is* the entry: its docstring's first line
is the title, and fields such as ``:source:`` and ``:cost:`` are its data. Adding a file adds the
entry. Another package adds a folder of its own through the entry point group
``corollary.catalogue``, whose value is the package that holds ``claims/`` or ``exams/``.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from corollary.errors import UnknownNameError

ROOT = Path(__file__).parent
COSTS = ("instant", "seconds", "minutes", "long")
READING = (  # the chapters as one would read them
    "prerequisites",
    "connectionism",
    "networks",
    "architectures",
    "sequences",
    "approximation",
    "expressivity",
    "landscape",
    "optimization",
    "scaling",
    "kernels",
    "generalization",
    "double_descent",
    "regularization",
    "tricks",
    "geometry",
    "robustness",
)
_DOCSTRING = re.compile(r'\A(?:\s|#[^\n]*\n)*[rR]?"""(.*?)"""', re.S)
# A line may also begin with a role such as :math:`x`, which is no field.
_FIELD = re.compile(r"^([ \t]*):([\w-]+):(?!`)[ \t]*(.*(?:\n\1[ \t]+\S.*)*)", re.M)
_ARITHMETIC = (ast.Constant, ast.UnaryOp, ast.BinOp, ast.Tuple, ast.operator, ast.unaryop, ast.Load)


@dataclass(frozen=True)
class Option:
    """A parameter of a claim as declared in its source: name, type, default, meaning, range."""

    name: str
    kind: str
    default: Any
    meaning: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Entry:
    """One entry of the catalogue; everything but :meth:`load` is read as text."""

    name: str  # area/file
    module: str
    path: Path
    docstring: str

    @property
    def area(self) -> str:
        """The folder: an area for claims, a question for exams."""
        return self.name.split("/")[0]

    @property
    def stem(self) -> str:
        """The file's own name."""
        return self.name.split("/")[1]

    @property
    def is_exam(self) -> bool:
        """Whether this examines a module rather than checks a statement."""
        return self.room == "exams"

    @property
    def room(self) -> str:
        """``claims``, ``exams``, ``experiments``, ``proofs`` or ``exercises``."""
        return self.path.parent.parent.name

    @property
    def title(self) -> str:
        """First line of the docstring."""
        return self.docstring.split("\n", 1)[0].rstrip(".")

    @cached_property
    def fields(self) -> dict[str, str]:
        """The head's fields, white space folded."""
        out: dict[str, str] = {}
        for match in _FIELD.finditer(self.docstring):
            name, text = match.group(2), " ".join(match.group(3).split())
            out[name] = f"{out[name]} {text}" if name in out else text  # a repeated field goes on
        return out

    @property
    def statement(self) -> str:
        """The docstring without title and fields, as reStructuredText."""
        return _FIELD.sub("", self.docstring.partition("\n")[2]).strip()

    @property
    def source(self) -> str:
        """Where the statement comes from."""
        return self.fields.get("source", "")

    @property
    def kind(self) -> str:
        """Bound, identity, rate, limit, construction, experiment, algorithm, ..."""
        return self.fields.get("kind", "")

    @property
    def cost(self) -> str:
        """One of :data:`COSTS`; instant unless the head says otherwise."""
        return self.fields.get("cost", COSTS[0])

    @property
    def erratum(self) -> str:
        """What the notes say, what is true, and a number as evidence; empty without a mistake."""
        return self.fields.get("erratum", "")

    @property
    def covers(self) -> tuple[str, ...]:
        """Slugs of the results that this entry shows."""
        return slugs(self.fields.get("covers", ""))

    @property
    def uses(self) -> tuple[str, ...]:
        """Names of the claims that the proof of this claim uses."""
        return slugs(self.fields.get("uses", ""))

    @property
    def beyond(self) -> str:
        """The reason for an entry that is not in the notes; empty if it is in the notes."""
        return self.fields.get("beyond", "")

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """The claim's parameters, read from the source."""
        return tuple(_options(self.path.read_text(encoding="utf-8")))

    @cached_property
    def hypotheses(self) -> tuple[str, ...]:
        """The sentences of the claim's hypotheses, read from the source."""
        return tuple(sentence for sentence, _ in _hypotheses(self._source))

    @cached_property
    def needed(self) -> tuple[str, ...]:
        """The hypotheses that the claim shows to be necessary."""
        return tuple(sentence for sentence, broken in _hypotheses(self._source) if broken)

    @cached_property
    def _source(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def proof(self) -> "Entry | None":
        """The proof of this claim: the file of the same name in the room of proofs."""
        path = self.path.parents[2] / "proofs" / f"{self.name}.py"
        if self.room != "claims" or not path.exists():
            return None
        module = self.module.replace(".claims.", ".proofs.")
        return Entry(self.name, module, path, _docstring(path))

    def load(self) -> Any:
        """Import the module and return its only class; for a proof or exercise, the module."""
        if self.room in ("proofs", "exercises"):
            return import_module(self.module)
        from corollary.core import Claim, Exam, Experiment

        wanted = {"claims": Claim, "exams": Exam, "experiments": Experiment}[self.room]
        module = import_module(self.module)
        found = [
            value
            for value in vars(module).values()
            if isinstance(value, type) and issubclass(value, wanted)
            if value.__module__ == self.module
        ]
        if len(found) != 1:
            raise TypeError(
                f"{self.path} needs exactly one {wanted.__name__} class, but has {len(found)}"
            )
        return found[0]


def slugs(text: str) -> tuple[str, ...]:
    """The comma-separated names in a ``:covers:`` or ``:uses:`` field."""
    return tuple(part for part in re.split(r"[,\s]+", text) if part)


@lru_cache(maxsize=1)
def entries() -> tuple[Entry, ...]:
    """All claims and exams, by area and name. Third-party folders come last."""
    return _of_rooms("claims", "exams")


def proofs() -> tuple[Entry, ...]:
    """The claims that have a proof, by area and name."""
    return tuple(e for e in entries() if e.proof)


@lru_cache(maxsize=1)
def experiments() -> tuple[Entry, ...]:
    """The experiments of ``corollary reproduce``, by family and name."""
    return _of_rooms("experiments")


@lru_cache(maxsize=1)
def exercises() -> tuple[Entry, ...]:
    """The exercises of ``corollary exercise``, by section and problem."""
    return _of_rooms("exercises")


def _of_rooms(*rooms: str) -> tuple[Entry, ...]:
    return tuple(e for package, root in _packages() for e in _entries_of(package, root, rooms))


def areas() -> tuple[str, ...]:
    """The areas and questions that have entries, in alphabetical order."""
    return tuple(sorted({entry.area for entry in entries()}))


def reading_turn(area: str) -> tuple[int, str]:
    """A key that sorts chapters in reading order; other areas follow by name."""
    return (READING.index(area) if area in READING else len(READING), area)


def question(area: str) -> str:
    """The question that a folder of exams asks: the first line of its introduction."""
    return _first_line(ROOT / "exams" / area / "__init__.py") or area


def chapter(area: str) -> str:
    """The title of a folder of claims: the first line of its introduction."""
    return _first_line(ROOT / "claims" / area / "__init__.py") or area


def family(area: str) -> str:
    """What a folder of experiments is about: the first line of its introduction."""
    return _first_line(ROOT / "experiments" / area / "__init__.py") or area


def _first_line(path: Path) -> str:
    match = _DOCSTRING.match(path.read_text(encoding="utf-8")) if path.exists() else None
    return match.group(1).strip().split("\n", 1)[0].rstrip(".") if match else ""


def find(name: str) -> Entry:
    """The entry called ``name``: in full (``area/file``), or by its file if that is unique.

    Raises:
        UnknownNameError: with the nearest names, if there is none or more than one.
    """
    wanted = name.strip().lower().replace("-", "_")
    hits = [e for e in entries() if wanted in (e.name, e.stem)]
    if len(hits) == 1:
        return hits[0]
    if hits:
        names = ", ".join(e.name for e in hits)
        raise UnknownNameError(f"'{name}' could be {names}; give the full name")
    raise UnknownNameError(f"there is no claim called '{name}'{suggestion(wanted)}")


def find_experiment(name: str) -> Entry:
    """The experiment called ``name``: in full (``family/file``), or by its file.

    Raises:
        UnknownNameError: with the nearest names, if there is none.
    """
    wanted = name.strip().lower().replace("-", "_")
    hits = [e for e in experiments() if wanted in (e.name, e.stem)]
    if hits:
        return hits[0]
    stems = [e.stem for e in experiments()]
    near = get_close_matches(wanted, stems, n=2)
    known = f"did you mean {_listed(near, 'or')}?" if near else f"there are {', '.join(stems)}"
    raise UnknownNameError(f"there is no experiment called '{name}'; {known}")


def claim(name: str) -> Any:
    """The claim class called ``name``, to be made with parameters and checked.

    Example:
        >>> claim("novikoff")(gamma=0.2).check(seed=0).verdict.value
        'holds'

    Raises:
        UnknownNameError: if there is no such claim, or if the name is that of an exam.
    """
    entry = find(name)
    if entry.is_exam:
        raise UnknownNameError(
            f"expected the name of a claim, got '{entry.name}', which is an exam; run it with "
            f"corollary.examine(model, data, only='{entry.name}')"
        )
    return entry.load()


def suggestion(name: str) -> str:
    """The end of a sentence: similar names, or else entries that mention the word."""
    stems = [e.stem for e in entries()]
    longer = sorted((s for s in stems if name in s), key=lambda s: (not s.startswith(name), len(s)))
    near = [*get_close_matches(name, stems, n=2, cutoff=0.82), *(longer if name else ())]
    phrase = re.compile(r"\b" + r"[\s_-]+".join(map(re.escape, name.split("_"))), re.I)
    spoken = [e for e in entries() if name and phrase.search(e.docstring)]
    if not near and spoken:
        spoken.sort(key=lambda e: not phrase.search(e.title))
        verb = "mention" if len(spoken) > 1 else "mentions"
        return f"; {_listed([e.stem for e in spoken[:3]], 'and')} {verb} it"
    near = list(dict.fromkeys(near or get_close_matches(name, stems, n=2, cutoff=0.7)))
    if near:
        return f"; did you mean {_listed(near[:3], 'or')}?"
    return "; `corollary list` shows all names"


def _listed(names: list[str], last: str) -> str:
    """Names as in a sentence.

    Example:
        >>> _listed(["a", "b", "c"], "or")
        'a, b or c'
    """
    return f" {last} ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


@dataclass(frozen=True)
class Place:
    """Where a result of the notes lives: the object that covers it, by file and name."""

    slug: str
    module: str
    object: str  # empty for a whole module
    path: Path
    test: str = ""  # the test that runs it, where no claim does


@lru_cache(maxsize=1)
def places() -> tuple[Place, ...]:
    """Every ``:covers:`` of the package, by slug: the map of the notes."""
    found: list[Place] = []
    for path in sorted(ROOT.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if ":covers:" in text:
            module = ".".join(("corollary", *path.relative_to(ROOT).with_suffix("").parts))
            for name, doc in _docstrings(ast.parse(text)):
                fields = {m.group(2): " ".join(m.group(3).split()) for m in _FIELD.finditer(doc)}
                found += (
                    Place(
                        slug, module.removesuffix(".__init__"), name, path, fields.get("test", "")
                    )
                    for slug in slugs(fields.get("covers", ""))
                )
    return tuple(sorted(found, key=lambda p: (p.slug, p.module)))


def _packages() -> Iterator[tuple[str, Path]]:
    from importlib.metadata import entry_points

    yield "corollary", ROOT
    for point in entry_points(group="corollary.catalogue"):
        spec = find_spec(point.value)
        if spec and spec.submodule_search_locations:
            yield point.value, Path(spec.submodule_search_locations[0])


def _entries_of(package: str, root: Path, rooms: tuple[str, ...]) -> Iterator[Entry]:
    for room in rooms:
        for path in sorted((root / room).glob("*/*.py")):
            if path.name.startswith("_"):
                continue
            if docstring := _docstring(path):
                area = path.parent.name
                module = f"{package}.{room}.{area}.{path.stem}"
                yield Entry(f"{area}/{path.stem}", module, path, docstring)


def _docstring(path: Path) -> str:
    match = _DOCSTRING.match(path.read_text(encoding="utf-8"))
    lines = match.group(1).strip().split("\n") if match else []
    return "\n".join(line.rstrip() for line in lines)


def _docstrings(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Names and docstrings of a module, its classes and functions, methods included."""
    if isinstance(tree, ast.Module):
        yield "", ast.get_docstring(tree) or ""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield prefix + node.name, ast.get_docstring(node) or ""
            yield from _docstrings(node, f"{prefix}{node.name}.")


def _claim_class(text: str) -> ast.ClassDef | None:
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef) and any("Claim" in ast.unparse(b) for b in node.bases):
            return node
    return None


def _options(text: str) -> Iterator[Option]:
    node = _claim_class(text)
    if node is None:
        return
    comments = {
        token.start[0]: token.string.lstrip("# ").strip()
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT
    }
    for item in node.body:
        if not isinstance(item, ast.AnnAssign) or not isinstance(item.target, ast.Name):
            continue
        kind = ast.unparse(item.annotation)
        if kind.startswith("ClassVar") or item.value is None:
            continue
        meaning = comments.get(item.end_lineno or item.lineno, "")
        yield Option(item.target.id, kind, *_default(item.value, meaning))


def _default(value: ast.expr, meaning: str) -> tuple[Any, str, float | None, float | None]:
    if isinstance(value, ast.Call):  # option(default, low=..., high=...)
        limits = {k.arg: _literal(k.value) for k in value.keywords}
        return _literal(value.args[0]), meaning, limits.get("low"), limits.get("high")
    return _literal(value), meaning, None, None


def _literal(value: ast.expr) -> Any:
    """A literal, or arithmetic with literals such as ``2**20``; anything else as source text."""
    if all(isinstance(node, _ARITHMETIC) for node in ast.walk(value)):
        return eval(compile(ast.Expression(value), "<option>", "eval"), {"__builtins__": {}})
    return ast.unparse(value)


def _hypotheses(text: str) -> Iterator[tuple[str, bool]]:
    """The sentence of each hypothesis, and whether the claim shows what happens without it."""
    node = _claim_class(text)
    for call in ast.walk(node) if node else ():
        if isinstance(call, ast.Call) and call.args:
            called = ast.unparse(call.func)
            if called in ("Suppose", "Hypothesis"):
                broken = any(k.arg == "without" for k in call.keywords) or len(call.args) > 2
                yield _spoken(call.args[0]), broken and called == "Suppose"


def _spoken(text: ast.expr) -> str:
    """A string literal unchanged; an f-string with its expressions as source text."""
    if isinstance(text, ast.JoinedStr):
        parts = (
            str(part.value) if isinstance(part, ast.Constant) else ast.unparse(part.value)  # type: ignore[attr-defined]
            for part in text.values
        )
        return "".join(parts).replace("self.", "")
    return str(text.value) if isinstance(text, ast.Constant) else ast.unparse(text)
