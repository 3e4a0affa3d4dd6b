import json
import runpy
import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).parents[2] / "tools" / "speed_page.py"
OURS = {
    "name": "ours",
    "seconds": 0.002,
    "typical": 0.003,
    "ratio": 2.5,
    "to_floor": 1.25,
    "note": "",
}
THEIRS = {
    "name": "theirs",
    "seconds": 0.005,
    "typical": 0.005,
    "ratio": 1.0,
    "to_floor": 3.125,
    "note": "a|b",
}
RACE = {
    "title": "Sum",
    "reference": "theirs",
    "rounds": 3,
    "facts": {"n": 7},
    "laps": [THEIRS, OURS],
}
WHERE = {"python": "3.12", "machine": "x86_64", "processor": "abacus", "packages": {"torch": "2"}}


def written(folder, page):
    command = [sys.executable, TOOL, folder, page]
    return subprocess.run(command, capture_output=True, text=True)


def test_races_become_tables_with_the_fastest_first(tmp_path):
    record = {"environment": WHERE, "races": [RACE]}
    (tmp_path / "sums.json").write_text(json.dumps(record))
    (tmp_path / "faults.json").write_text(
        json.dumps([{"found": True, "alarms": []}, {"found": False, "alarms": ["x"]}])
    )
    assert written(tmp_path, tmp_path / "p.md").returncode == 0
    text = (tmp_path / "p.md").read_text()
    assert "Measured on abacus with Python 3.12, torch 2." in text
    assert text.index("| ours | 2 | 2.50 | 1.25 |") < text.index(r"| theirs (a\|b) | 5 | 1.00 |")
    assert "Of 2 networks with a planted fault, `corollary examine` names 1 at the right" in text


def test_an_empty_folder_gets_one_sentence(tmp_path):
    done = written(tmp_path, tmp_path / "p.md")
    assert done.returncode == 1 and "run `make bench` first" in done.stderr
    assert done.stderr.count("\n") == 1 and not (tmp_path / "p.md").exists()


def test_a_row_that_fell_behind_is_named_with_both_ratios():
    fallen = runpy.run_path(str(TOOL))["fallen"]
    stored = {"Sum: corollary": 2.0, "Product: corollary": 2.0}
    said = fallen({"Sum: corollary": 1.6, "Product: corollary": 1.8}, stored)
    assert "- Sum: corollary: 1.60, stored 2.00" in said and "Product" not in said
    assert fallen({"Sum: corollary": 1.8}, stored).startswith("No row is more than 15 % behind")


def test_cost_over_size_becomes_a_figure_and_a_sentence():
    drawn = runpy.run_path(str(TOOL))["drawn"]
    laps = [OURS | {"name": f"{n} rows", "seconds": 1e-3 * n} for n in (1, 2, 4)]
    facts = {"over": "rows", "sizes": [1, 2, 4], "exponent": 1.6, "stated": 1, "as stated": False}
    text = drawn({"title": "Sum", "laps": laps, "facts": facts})
    assert "<svg" in text and "exponent 1.6 (stated 1): **steeper than stated**" in text
