import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from corollary.testing import changed

ROOT = Path(__file__).parents[2]


@pytest.fixture
def examined(sample, monkeypatch):
    """Call the hook; gives its exit code and the examinations it starts."""
    (sample / "pack").mkdir()
    (sample / "pack" / "__init__.py").write_text("")
    (sample / "pack" / "model.py").write_text("from . import parts\n\ndef make(): ...\n")
    (sample / "pack" / "parts.py").write_text("from ..layers import Body\nimport torch\n")
    (sample / "other.py").write_text("def build(): ...\n")
    (sample / "broken.py").write_text("def (")
    commands = []

    def run(command):
        commands.append(command[command.index("examine") + 1 :])
        return subprocess.CompletedProcess(command, len(commands))

    def call(*words):
        commands.clear()
        return changed.main(words), list(commands)

    monkeypatch.setattr(changed.subprocess, "run", run)
    return call


def test_a_target_is_examined_if_its_file_or_an_import_of_it_changed(examined):
    words = ("--target=net.py:build", "--target=other.py:build", "--data=digits")
    assert examined(*words, "other.py") == (1, [["other.py:build", "--data=digits"]])
    assert examined(*words, "layers.py") == (1, [["net.py:build", "--data=digits"]])
    assert examined(*words, "net.py", "other.py")[0] == 2  # the largest exit code
    assert examined(*words, "broken.py", "README.md") == (0, [])


def test_relative_imports_and_packages_are_followed(examined):
    assert examined("--target=pack.model:make", "pack/parts.py")[1] == [["pack.model:make"]]
    assert examined("--target=pack.model:make", "layers.py")[1] == [["pack.model:make"]]
    assert examined("--target=pack.model:make", "net.py")[1] == []


def test_without_targets_changed_files_that_build_are_examined(examined):
    files = ("layers.py", "net.py", "broken.py", "gone.py", "other.py")
    assert [words[0] for words in examined(*files)[1]] == ["net.py:build", "other.py:build"]


def test_the_hook_calls_a_command_with_options_that_exist():
    from typer.main import get_command

    from corollary.cli import app

    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    python, _, _, module, *options = hook["entry"].split()
    assert (python, module) == ("python", changed.__name__)
    given = {word.split("=")[0] for word in [*options, *hook["args"]]}
    known = {name for p in get_command(app).commands["examine"].params for name in p.opts}
    assert given <= known
    assert {"id", "name", "entry", "language", "types"} <= set(hook)


@pytest.mark.slow
def test_a_commit_of_a_network_with_a_fault_fails(sample):
    words = [sys.executable, "-P", "-m", "corollary.testing.changed", "--fail-on=high"]
    words += ["--only=soundness/double_softmax", "--target=net.py:build", "layers.py"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 1 and "Softmax is applied twice" in done.stdout


@pytest.mark.slow
def test_pre_commit_itself_runs_the_hook(sample, tmp_path_factory, monkeypatch):
    """The program fetches the hook from a repository, and runs it on the files of a commit."""
    pytest.importorskip("pre_commit", reason="pre-commit is not installed")
    hooks = tmp_path_factory.mktemp("hooks")
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", hooks)
    for folder in (hooks, sample):
        git = ["git", "-C", str(folder), "-c", "user.name=n", "-c", "user.email=e@e"]
        for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "all"]):
            subprocess.run([*git, *words], check=True)
    args = ["--target=net.py:build", "--only=soundness/double_softmax"]
    hook = {"id": "corollary-examine", "args": args}
    rev = subprocess.run(
        ["git", "-C", str(hooks), "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    repo = {"repo": str(hooks), "rev": rev, "hooks": [hook]}
    (sample / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [repo]}))
    subprocess.run(["git", "-C", str(sample), "add", "."], check=True)
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path_factory.mktemp("home")))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    monkeypatch.setenv("PATH", path)
    words = [sys.executable, "-m", "pre_commit", "run", "--files", "layers.py"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=sample)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "examine changed networks" in done.stdout
    assert "Softmax is applied twice" in done.stdout
    again = subprocess.run([*words[:-1], ".pre-commit-config.yaml"], cwd=sample)
    assert again.returncode == 0  # no network has changed
