"""``corollary map`` on the command line."""

import json

from typer.testing import CliRunner

from corollary.cli import app
from corollary.courses.dependencies import Graph, graph

LEAF: dict[str, tuple[str, ...]] = {"connectionism/perceptron_norm": ()}


def call(*words):
    return CliRunner().invoke(app, list(words))


def test_without_a_name_the_graph_is_summarised():
    done = call("map")
    assert done.exit_code == 0 and f"({graph().edges} links in total)" in " ".join(
        done.output.split()
    )
    data = json.loads(call("map", "--json").output)
    assert data["claims"] == len(data["uses"]) == len(graph().uses)


def test_a_claim_is_shown_with_what_it_rests_on_and_what_rests_on_it():
    done = call("map", "novikoff")
    for name in ("perceptron_alignment", "perceptron_norm", "perceptron_termination"):
        assert name in done.output
    data = json.loads(call("map", "novikoff", "--json").output)
    assert data["used by"] == ["connectionism/perceptron_termination"]
    assert set(data["rests on"]) >= set(data["uses"])


def test_what_breaks_is_all_that_rests_on_it():
    data = json.loads(call("map", "--breaks", "descent_lemma", "--json").output)
    assert "optimization/gd_pl" in data["breaks"]
    assert "gd_pl" in call("map", "--breaks", "descent_lemma").output
    assert "No other claim breaks" in call("map", "--breaks", "leshno").output


def test_the_path_between_two_results_is_found_from_either_side():
    down = json.loads(call("map", "telgarsky", "pieces_calculus", "--json").output)["path"]
    assert down == json.loads(call("map", "pieces_calculus", "telgarsky", "--json").output)["path"]
    assert down[0] == "expressivity/telgarsky" and down[-1] == "expressivity/pieces_calculus"
    done = call("map", "gd_pl", "gd_convex").output
    assert "Neither" in done and "descent_lemma" in done


def test_exams_and_unknown_names_are_refused():
    assert "did you mean novikoff" in str(call("map", "novikof").exception)
    assert "which is an exam" in str(call("map", "soundness/finite").exception)


def test_the_page_is_one_file(tmp_path, monkeypatch):
    few = Graph({"connectionism/novikoff": ("connectionism/perceptron_norm",)} | LEAF)
    monkeypatch.setattr("corollary.courses.dependencies.graph", lambda: few)
    path = tmp_path / "map.html"
    assert "has 2 claims" in call("map", "--out", str(path)).output
    page = path.read_text("utf-8")
    assert page.count("data-k=") == 2 and page.count("data-u=") == few.edges == 1
    assert "mistakes, whatever the order" in page and "src=" not in page
