"""``corollary exercise`` on the command line."""

import json
import subprocess
import sys
from pathlib import Path

from typer.testing import CliRunner

from corollary.cli import app
from corollary.exercises.catalogue import all_exercises

ANSWER = Path(__file__).parents[1] / "exercises" / "answers" / "section_5_8" / "problem_2.py"


def call(*words):
    return CliRunner().invoke(app, ["exercise", *words])


def test_without_a_number_all_exercises_are_listed():
    done = call()
    assert done.exit_code == 0 and f"{len(all_exercises())} problems: " in done.output
    rows = json.loads(call("--json").output)
    assert {"number": "5.8.2", "graded": "abcde"}.items() <= rows[_place(rows)].items()


def _place(rows):
    return [row["number"] for row in rows].index("5.8.2")


def test_listing_imports_neither_torch_nor_numpy():
    code = (
        "import sys; from corollary.exercises.catalogue import all_exercises; "
        "all_exercises()[0].parts; print('torch' in sys.modules or 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_part_is_shown_with_its_signature_and_without_the_others():
    done = call("5.8.2c")
    assert "distance_bound(X, w_star, w_1, eta, t)" in done.output
    assert "contraction" not in done.output
    (part,) = json.loads(call("5.8.2c", "--json").output)["parts"]
    assert part["letter"] == "c" and "hints" not in part


def test_hints_come_one_after_the_other():
    assert call("5.8.2d", "--hint", "1").output.count("\n") == 1
    assert call("5.8.2d", "--hint", "3").output.startswith(call("5.8.2d", "--hint", "2").output)


def test_a_stub_is_written_and_never_over_a_file(tmp_path):
    path = tmp_path / "answer.py"
    assert call("5.8.2", "--stub", str(path)).exit_code == 0
    text = path.read_text("utf-8")
    compile(text, "answer.py", "exec")
    assert "def contraction(X, eta):" in text and "import eq, ge, le, let" in text
    assert "exists already" in str(call("5.8.2", "--stub", str(path)).exception)


def test_an_answer_is_graded_and_the_exit_code_says_whether_it_is_right(tmp_path):
    done = call("5.8.2", "--check", str(ANSWER), "--seed", "1")
    assert done.exit_code == 0 and "5 of 5 points, seed 1" in done.output
    wrong = tmp_path / "answer.py"
    wrong.write_text("def contraction(X, eta):\n    return 1 - eta\n", "utf-8")
    done = call("5.8.2", "--check", str(wrong), "--json")
    results = json.loads(done.output)
    assert done.exit_code == 1 and results["score"] == 0.0
    assert {test["status"] for test in results["tests"]} == {"failed"}
    assert results["tests"][0]["output"] == "there is no function next_iterate"


def test_results_are_also_written_as_otter_reads_them(tmp_path):
    """The keys are those that ``GradingResults.from_ottr_json`` of Otter-Grader 7.0 asks for."""
    wrong = tmp_path / "answer.py"
    wrong.write_text("def contraction(X, eta):\n    return 1 - eta\n", "utf-8")
    for path, right in ((ANSWER, True), (wrong, False)):
        done = call("5.8.2", "--check", str(path), "--seed", "1", "--otter")
        files = json.loads(done.output)["test_file_results"]
        assert done.exit_code == int(not right)
        assert [file["filename"] for file in files] == [f"5.8.2{part}.py" for part in "abcde"]
        for file in files:
            (result,) = file["test_case_results"]
            case = result["test_case"]
            assert (file["points"], case["points"], case["hidden"]) == (1.0, 1.0, False)
            assert result["passed"] is right and bool(result["error"]) is not right
            assert {"name", "code", "success_message", "failure_message"} <= set(case)


def test_what_does_not_exist_is_said():
    assert "such as" in str(call("5.8.9").exception)
    assert "its parts are a, b, c, d, e" in str(call("5.8.2z").exception)
    assert "expected a Python file" in str(call("5.8.2", "--check", "nowhere.py").exception)
