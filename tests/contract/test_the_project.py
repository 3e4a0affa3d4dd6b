"""What the project's own files say agrees: versions, commands, names."""

import json
import re
import subprocess
import tomllib
from pathlib import Path

import jinja2
import pytest
import yaml

import corollary

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml"))


def commands(workflow: Path) -> str:
    jobs = yaml.safe_load(workflow.read_text("utf-8"))["jobs"].values()
    return "\n".join(step.get("run", "") for job in jobs for step in job["steps"])


def test_the_python_versions_promised_are_those_tested():
    promised = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if ":: 3." in c]
    matrix = yaml.safe_load(WORKFLOWS[0].read_text("utf-8"))["jobs"]["tests"]["strategy"]["matrix"]
    assert matrix["python"] == promised
    assert PROJECT["requires-python"] == f">={promised[0]}"
    assert [extra["python"] for extra in matrix["include"]] == [promised[0], promised[-1]]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_call_commands_that_exist(workflow):
    text = commands(workflow)
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    assert set(re.findall(r"\bmake ([a-z-]+)", text)) <= targets
    assert set(re.findall(r"--extra (\w+)", text)) <= set(PROJECT["optional-dependencies"])
    assert all((ROOT / script).is_file() for script in re.findall(r"python (\S+\.py)", text))


FOR_TESTS = ("docs", "dev", "integrations")
FOR_USERS = {k: v for k, v in PROJECT["optional-dependencies"].items() if k not in FOR_TESTS}


def test_every_dependency_of_users_has_a_lowest_version_and_a_job_installs_them_all():
    asked = [*PROJECT["dependencies"], *(name for extra in FOR_USERS.values() for name in extra)]
    assert all(re.fullmatch(r"[\w-]+>=[\d.]+", name) for name in asked)
    text = commands(WORKFLOWS[0])
    assert "uv pip compile pyproject.toml --resolution lowest-direct" in text
    assert set(re.findall(r"--extra (\w+)", text)) == set(FOR_USERS)
    tests = yaml.safe_load(WORKFLOWS[0].read_text("utf-8"))["jobs"]["tests"]
    assert "oldest" in {extra["versions"] for extra in tests["strategy"]["matrix"]["include"]}
    (install,) = (step for step in tests["steps"] if step.get("name") == "Install")
    assert "oldest.txt" in install["env"]["CONSTRAINTS"]


def test_the_command_line_asks_for_a_typer_that_starts_with_the_click_of_today():
    """From 0.12 to 0.15.1 it does not start, or has no help, with click 8.2 and later."""
    (typer,) = (name for name in PROJECT["dependencies"] if name.startswith("typer"))
    assert tuple(map(int, typer.partition(">=")[2].split("."))) >= (0, 16)


def test_the_nightly_run_is_the_full_one_and_has_the_real_packages():
    nightly = next(path for path in WORKFLOWS if path.stem == "nightly")
    assert "make check-full" in commands(nightly)
    (installed,) = re.findall(r"'\.\[(dev,[a-z,]+)\]'", commands(nightly))
    in_dev = {"fast", "text", "data", "lab", "plot", "proofs", "mcp", "widget", "onnx"}
    assert set(installed.split(",")) == {"dev", "integrations", *FOR_USERS} - in_dev


def test_the_nightly_run_trains_every_family_of_experiments():
    nightly = next(path for path in WORKFLOWS if path.stem == "nightly")
    named = set(commands(nightly).partition("corollary reproduce")[2].split())
    folders = ROOT / "src" / "corollary" / "experiments"
    for folder in (path.parent for path in folders.glob("*/__init__.py")):
        files = {path.stem for path in folder.glob("[a-z]*.py")}
        assert {folder.name, *files} & named, folder.name


PAGES = [ROOT / "README.md", *(ROOT / "docs").glob("howto/**/*.md"), *(ROOT / "examples").glob("*")]
PAGES += (ROOT / "src").rglob("*.py")


def test_every_extra_that_is_named_exists():
    named = {
        extra
        for page in PAGES
        if page.is_file()
        for words in re.findall(r"(?:corollary|'\.)\[([a-z,]+)\]", page.read_text("utf-8"))
        for extra in words.split(",")
    }
    assert {"lab", "data", "plot"} <= named <= set(PROJECT["optional-dependencies"])


def test_the_wheel_and_the_sdist_are_built_and_tried_on_the_oldest_and_newest_python():
    package = yaml.safe_load(WORKFLOWS[0].read_text("utf-8"))["jobs"]["package"]
    promised = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if ":: 3." in c]
    assert package["strategy"]["matrix"]["python"] == [promised[0], promised[-1]]
    steps = "\n".join(step.get("run", "") for step in package["steps"])
    assert "python -m build" in steps and steps.count("python tools/smoke.py") == 2


def recipe() -> dict:
    text = (ROOT / "recipe" / "meta.yaml").read_text("utf-8")
    found = re.search(r'__version__ = "(.*)"', (ROOT / "src/corollary/__init__.py").read_text())
    names = {"load_file_regex": lambda **_: found, "PYTHON": "python"}
    return yaml.safe_load(jinja2.Template(text).render(names))


def test_the_conda_recipe_asks_for_what_the_package_asks():
    asked = recipe()["requirements"]["run"]
    ours = [name.replace(">=", " >=") for name in PROJECT["dependencies"]]
    ours = [f"py{name}" if name.startswith("torch ") else name for name in ours]
    assert sorted(asked) == sorted([*ours, f"python {PROJECT['requires-python']}"])
    assert str(recipe()["package"]["version"]) == corollary.__version__
    (script,) = recipe()["build"]["entry_points"]
    assert script == f"corollary = {PROJECT['scripts']['corollary']}"
    assert all((ROOT / file).is_file() for file in recipe()["test"]["source_files"])


def test_the_dockerfile_copies_and_installs_what_exists():
    text = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    stages = re.findall(r"^FROM \S+ AS (\w+)$", text, re.M)
    used = re.findall(r"^COPY --from=(\w+)", text, re.M)
    assert set(used) == set(stages)
    copied = re.findall(r"^COPY (?!--)(\S+)", text, re.M)
    assert all((ROOT / name).exists() for name in copied)
    (extras,) = re.findall(r"whl\)\[([a-z,]+)\]", text)
    assert set(extras.split(",")) <= set(FOR_USERS)
    assert re.search(r"^USER 1000$", text, re.M), "it does not run as root"
    assert json.loads(re.search(r"^ENTRYPOINT (.+)$", text, re.M)[1]) == [*PROJECT["scripts"]]


def test_commits_are_formatted_by_the_tested_ruff():
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    hooks = [hook for repo in config["repos"] for hook in repo["hooks"] if "ruff" in hook["id"]]
    pinned = re.search(r"^ruff==.+$", (ROOT / "constraints.txt").read_text("utf-8"), re.M)
    assert [hook["additional_dependencies"] for hook in hooks] == [[pinned[0]]] * 2


@pytest.mark.parametrize("form", FORMS, ids=lambda path: path.stem)
def test_issue_forms_ask_questions(form):
    asked = yaml.safe_load(form.read_text("utf-8"))
    assert {"name", "description", "body"} <= set(asked)
    names = [item["id"] for item in asked["body"]]
    assert len(names) == len(set(names))
    assert all(item["attributes"]["label"] for item in asked["body"])


def test_the_citation_is_of_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == corollary.__version__
    assert citation["license"] == PROJECT["license"]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs the repository")
def test_no_link_is_tracked():
    """Git replaces an ignored folder, such as an environment, by a tracked link of its name."""
    listed = subprocess.run(["git", "ls-files", "-s"], cwd=ROOT, capture_output=True, text=True)
    assert listed.returncode == 0 and listed.stdout
    assert not [line for line in listed.stdout.splitlines() if line.startswith("120000")]
