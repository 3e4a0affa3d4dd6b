"""``corollary prove`` on the command line."""

import json

from typer.testing import CliRunner

from corollary.cli import app
from corollary.registry import proofs


def call(*words):
    return CliRunner().invoke(app, list(words))


def test_without_a_name_all_proofs_are_listed():
    done = call("prove")
    assert done.exit_code == 0 and f"{len(proofs())} proofs: " in done.output
    assert len(json.loads(call("prove", "--json").output)) == len(proofs()) >= 75


def test_a_proof_is_carried_out_at_a_seed():
    done = call("prove", "cauchy-schwarz", "--seed", "3")
    assert done.exit_code == 0 and "discriminant" in done.output
    data = json.loads(call("prove", "cauchy_schwarz", "--seed", "3", "--json").output)
    assert data["seed"] == 3 and data["holds"]


def test_show_names_the_proof():
    assert "corollary prove novikoff" in call("show", "novikoff").output
    assert json.loads(call("show", "novikoff", "--json").output)["proof"].startswith("The weights")
    assert json.loads(call("show", "xor", "--json").output)["proof"] == ""
