from corollary.core import Reading, Verdict
from corollary.report.text import result_text, run_text, summary_text
from corollary.report.view import ROWS, command, rows


def test_the_summary_counts_and_gives_reasons(run):
    text = summary_text(run)
    assert text.startswith("2 of 7 statements hold.")
    assert "✗ area/case_fails: measured 25 (predicted: at most 100)" in text
    assert "! area/case_crashed: ValueError: no" in text
    assert "– area/case_inapplicable: the margin is positive: no (margin 0.1)" in text


def test_the_whole_run_is_text_of_a_fixed_width(run):
    text = run_text(run)
    assert max(map(len, text.splitlines())) <= 100
    assert "Seed 3; corollary 0.1.0, torch 2.13.0, threads 2, dtype float64." in text


def test_a_result_says_how_to_see_it_again(make_result):
    text = result_text(make_result(Verdict.HOLDS))
    assert "[x] the margin is positive (margin 0.1)" in text
    assert "predicted 100, measured 25 [20, 30], ratio 0.25" in text
    assert "corollary check area/made_up --seed 3 --n 20 --sizes 4,8" in text


def test_a_command_quotes_what_a_shell_would_read(make_result):
    odd = make_result(Verdict.HOLDS, parameters={"mode": "a; rm -rf b"})
    assert command(odd, None).endswith("--mode 'a; rm -rf b'")


def test_of_many_entries_the_deciding_one_is_shown(make_result):
    many = make_result(
        Verdict.FAILS,
        predicted=(1.0,) * 50,
        measured=tuple(Reading(k, k, k) for k in range(50)),
        worst=49,
        ratio=49.0,
    )
    shown, left = rows(many)
    assert len(shown) == ROWS + 1 and left == 50 - len(shown)
    assert shown[-1].decides and shown[-1].measured == "49"
    assert "measured 49 (predicted: at most 1) in the worst of 50 comparisons" in result_text(many)
