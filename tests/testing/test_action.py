"""The Action: its file says what it runs, and its steps run as a runner would run them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS = ACTION["runs"]["steps"]
EXAMINE = next(step for step in STEPS if step.get("id") == "examine")
INPUT = re.compile(r"\$\{\{ inputs\.([\w-]+) (?:\|\| github\.action_path )?\}\}")


def test_it_is_a_composite_action_whose_inputs_and_outputs_are_described():
    assert ACTION["runs"]["using"] == "composite"
    described = [*ACTION["inputs"].values(), *ACTION["outputs"].values()]
    assert all(value["description"] for value in described)
    assert all("default" in v or v["required"] for v in ACTION["inputs"].values())
    assert all(("run" in step) == ("shell" in step) != ("uses" in step) for step in STEPS)


def test_every_input_is_used_and_none_is_pasted_into_a_script():
    text = json.dumps(STEPS)
    used = set(re.findall(r"\binputs\.([\w-]+)", text))
    assert used == set(ACTION["inputs"])
    assert not any("${{" in step.get("run", "") for step in STEPS)


def test_its_options_are_those_of_the_command():
    from typer.main import get_command

    from corollary.cli import app

    known = {name for p in get_command(app).commands["examine"].params for name in p.opts}
    assert set(re.findall(r"(?<!\S|\()\(?(--[a-z-]+)", EXAMINE["run"])) <= known


def steps_run(sample, **inputs):
    """Run the scripts as a runner does, without installing; gives exit codes and outputs."""
    given = {name: value.get("default", "") for name, value in ACTION["inputs"].items()} | inputs
    files = {name: sample / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    base = os.environ | {name: str(file) for name, file in files.items()}
    base |= {"PATH": path, "RUNNER_TEMP": str(sample)}
    codes = []
    for step in (EXAMINE, STEPS[-1]):
        outputs = dict(
            line.split("=", 1) for line in _text(files["GITHUB_OUTPUT"]).splitlines() if line
        )
        own = {name: _filled(value, given, outputs) for name, value in step["env"].items()}
        words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        codes.append(subprocess.run(words, env=base | own, cwd=sample).returncode)
    return codes, outputs, _text(files["GITHUB_STEP_SUMMARY"])


def _text(file):
    return file.read_text("utf-8") if file.exists() else ""


def _filled(value, inputs, outputs):
    value = INPUT.sub(lambda m: inputs[m[1]], value)
    return re.sub(r"\$\{\{ steps\.examine\.outputs\.(\w+) \}\}", lambda m: outputs[m[1]], value)


def test_the_words_of_the_command_are_those_of_the_inputs(sample, monkeypatch):
    stub = sample / "bin" / "corollary"
    stub.parent.mkdir()
    stub.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > words.txt\necho said\nexit 1\n')
    stub.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(stub.with_name("python")))
    inputs = {"target": "my net.py:build", "only": "soundness finite", "data": "$(touch x);"}
    codes, outputs, summary = steps_run(sample, **inputs, options="--samples 64")
    words = (sample / "words.txt").read_text().splitlines()
    assert words[:2] == ["examine", "my net.py:build"] and words.count("--only") == 2
    assert words[words.index("--data") + 1] == "$(touch x);" and not (sample / "x").exists()
    assert words[words.index("--samples") + 1] == "64"
    assert words[words.index("--fail-on") + 1] == "high"
    assert codes == [0, 1] and outputs == {"folder": "corollary-out", "code": "1"}
    assert "said" in summary and "my net.py:build" in summary


@pytest.mark.slow
def test_a_network_with_a_fault_fails_the_job_and_leaves_its_files(sample):
    codes, outputs, summary = steps_run(
        sample, target="net.py:build", only="soundness/double_softmax"
    )
    assert codes == [0, 1] and "Softmax is applied twice" in summary
    folder = sample / outputs["folder"]
    log = json.loads((folder / "examination.sarif").read_text())
    assert log["runs"][0]["results"][0]["ruleId"] == "soundness/double_softmax"
    assert {file.suffix for file in folder.iterdir()} == {".sarif", ".xml", ".json", ".html"}
    codes, outputs, _ = steps_run(sample, target="net.py:healthy", only="soundness/finite")
    assert codes == [0, 0]
