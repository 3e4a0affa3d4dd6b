import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import pytest

from corollary.registry import find

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(p for p in (ROOT / "docs").rglob("*.md") if "_build" not in p.parts),
]


def blocks(path: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", path.read_text("utf-8"), re.S | re.M)


def commands(path: Path) -> list[str]:
    lines = [line for block in blocks(path, "console") for line in block.splitlines()]
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


OPTIONAL = "lightning transformers skorch tensorboard mlflow wandb".split()
OPTIONAL += "mcp anywidget onnxruntime distributed ray".split()


def marks(code: str) -> list[pytest.MarkDecorator]:
    """Blocks with packages of others, or processes of their own, import much; some are missing."""
    needed = [name for name in OPTIONAL if re.search(rf"^(?:from|import) {name}\b", code, re.M)]
    missing = [name for name in needed if find_spec(name) is None]
    found = [pytest.mark.slow] if needed or "Parallel(" in code else []
    if needed:
        found.append(pytest.mark.filterwarnings("ignore"))  # of the other packages
    if missing:
        found.append(pytest.mark.skip(reason=f"needs {', '.join(missing)}, not installed"))
    return found


CODE = [
    pytest.param(p, i, marks=marks(code))
    for p in PAGES
    for i, code in enumerate(blocks(p, "python"))
]
COMMANDS = [(p, c) for p in PAGES for c in commands(p) if c.startswith("corollary ")]


def spot(value):
    return value.relative_to(ROOT).as_posix() if isinstance(value, Path) else str(value)


@pytest.mark.parametrize(("path", "number"), CODE, ids=spot)
def test_python_blocks_run_and_print_what_the_page_says(path, number, capfd, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # some write a file
    source = blocks(path, "python")[number]
    exec(compile(source, f"{path.name}[{number}]", "exec"), {"__name__": "example"})
    out = capfd.readouterr().out
    assert out
    shown = re.match(r"\s*```text\n(.*?)```", after(path, source), re.S)
    if shown:  # words to the letter, numbers roughly: other processors round otherwise
        assert words(out) == words(shown[1])
        assert numbers(out) == pytest.approx(numbers(shown[1]), rel=0.2, abs=0.05)


def after(path: Path, block: str) -> str:
    """What follows a block of code on its page."""
    return path.read_text("utf-8").partition(f"```python\n{block}```")[2]


NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


def words(text: str) -> list[str]:
    return NUMBER.sub("#", text).split()


def numbers(text: str) -> list[float]:
    return [float(number) for number in NUMBER.findall(text)]


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=spot)
def test_commands_are_understood_by_the_command_line(path, command):
    import typer

    from corollary.cli import app
    from corollary.cli.options import split_words

    _, name, *rest = shlex.split(command)
    group = typer.main.get_command(app)
    assert name in group.commands
    context = group.commands[name].make_context(name, rest, allow_interspersed_args=True)
    if name == "check":
        names, options = split_words([*(context.params["words"] or []), *context.args])
        known = {option.name for entry in map(find, names) for option in entry.options}
        assert set(options) <= known
    elif name == "show":
        assert find(context.params["name"])


@pytest.mark.parametrize("path", PAGES, ids=spot)
def test_make_targets_that_are_named_exist(path):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    named = re.findall(r"`make ([a-z-]+)`|^\$ make ([a-z-]+)", path.read_text("utf-8"), re.M)
    assert {a or b for a, b in named} <= targets


def test_links_of_the_readme_lead_to_files():
    text = (ROOT / "README.md").read_text("utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / target).exists(), target


def test_the_pictures_of_the_readme_are_small():
    text = (ROOT / "README.md").read_text("utf-8")
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", text)
    assert len(pictures) >= 2
    assert all((ROOT / picture).stat().st_size < 200_000 for picture in pictures)


def test_the_results_file_page_names_every_key():
    import dataclasses

    from corollary.core import Figure, Result
    from corollary.core.figure import MARKS
    from corollary.core.result import Refutation
    from corollary.run.check import check

    page = (ROOT / "docs" / "howto" / "results_file.md").read_text("utf-8")
    data = check("novikoff").to_json()
    keys = {*data, *data["environment"], *MARKS}
    for kind in (Result, Refutation, Figure):
        keys |= {field.name for field in dataclasses.fields(kind)}
    assert {key for key in keys if f"`{key}`" not in page} == set()


def test_the_page_on_examinations_names_every_key():
    import dataclasses

    import torch

    from corollary.core import Finding
    from corollary.examine.examiner import examine

    page = (ROOT / "docs" / "howto" / "examine.md").read_text("utf-8")
    data = examine(torch.nn.Linear(2, 1), torch.ones(4, 2), only="soundness/finite").to_json()
    keys = {*data, *data["environment"], *data["subject"]}
    keys |= {field.name for field in dataclasses.fields(Finding)}
    assert {key for key in keys if f"`{key}`" not in page} == set()


def test_the_page_on_examinations_names_every_question():
    from corollary.registry import entries

    page = (ROOT / "docs" / "howto" / "examine.md").read_text("utf-8")
    for area in {entry.area for entry in entries() if entry.is_exam}:
        assert f"/generated/exams/{area}" in page
