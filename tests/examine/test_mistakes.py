"""Typing mistakes are told at once, and nothing that could be right is refused."""

import os
import subprocess
import sys

import pytest

from corollary.errors import CorollaryError
from corollary.examine.mistakes import check_words

NET = """
import torch as t
from torch import nn
if True:
    def conditional(): ...
try:
    import fast as backend
except ImportError:
    backend = None
with open(__file__) as file:
    pass
for name in ("a", "b"):
    pass
CONSTANT = first, (second, *rest) = 1, (2, 3)
annotated: int = 3
class Net(nn.Module):
    def build(self): ...
    @classmethod
    def small(cls): ...
def build(): ...
def _private(): ...
"""
HERE = """conditional backend file name CONSTANT first second rest annotated Net Net.small build
_private t nn""".split()
OPEN = ["from .other import *", "def __getattr__(name): ...", "globals()['x'] = 1", "def ("]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.py").write_text(NET)
    for k, text in enumerate(OPEN):
        (tmp_path / f"open{k}.py").write_text(text)
    (tmp_path / "d.npz").write_bytes(b"")
    return tmp_path


@pytest.mark.parametrize("name", HERE)
def test_a_name_that_is_there_is_let_pass(folder, name):
    check_words(f"net.py:{name}", f"net.py:{name}", loss=f"net.py:{name}")


@pytest.mark.parametrize("k", range(len(OPEN)))
def test_what_only_running_can_tell_is_let_pass(folder, k):
    check_words(f"open{k}.py:anything")


def test_what_needs_no_file_is_let_pass(folder):
    check_words("package.module:object", "digits", "d.npz", loss="mse")
    check_words("", "")


WRONG = {
    "net.py:buidl": "'net.py' has no 'buidl'; did you mean build?",
    "net.py:zzz": "'net.py' has no 'zzz'; it has ",
    "net.py": "got 'net.py'; net.py has conditional, Net, build",
    "net.py:": "got 'net.py:'; net.py has ",
    "nte.py:build": "there is no file nte.py; did you mean net.py?",
    "build": "expected file.py:name or package.module:name, such as net.py:build, got 'build'",
    "away/net.py:build": "there is no file away/net.py",
    "w.safetensors": "there is no file w.safetensors",
}


@pytest.mark.parametrize("target", WRONG)
def test_a_mistake_in_the_target_is_one_sentence(folder, target):
    with pytest.raises(CorollaryError) as told:
        check_words(target)
    assert WRONG[target] in str(told.value)


@pytest.mark.parametrize("data", ["digit", "x.npz", "net.py:loader", "three words"])
def test_a_mistake_in_the_data_is_one_sentence(folder, data):
    with pytest.raises(CorollaryError, match=data.split(":")[-1]):
        check_words("net.py:build", data)


@pytest.mark.parametrize("words", [("examine", "net.py:buidl"), ("train", "net.py:buidl"),
                                   ("examine", "net.py:build", "--only", "beauty")])  # fmt: skip
def test_a_mistake_is_told_before_torch_is_imported(folder, words):
    (folder / "torch.py").write_text("raise SystemExit('torch was imported')")
    env = os.environ | {"PYTHONPATH": f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    code = "from corollary.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *words], env=env, capture_output=True, text=True
    )
    assert done.returncode == 2 and "torch" not in done.stderr and done.stderr.count("\n") == 1
