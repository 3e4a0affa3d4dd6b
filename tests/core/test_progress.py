import sys
from types import SimpleNamespace

from corollary.core import progress


def test_nobody_is_shown_a_bar_who_cannot_see_it(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)
    with progress.progress_bar(3) as show:
        show("first", 1)
    assert capsys.readouterr() == ("", "")


def test_on_a_terminal_the_bar_counts_and_texts_are_no_markup(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress.progress_bar(2000) as show:
        show("[/red] of [0, 1]", 1500)
    err = capsys.readouterr().err
    assert "1,500/2,000" in err and "[/red] of [0, 1]" in err


def test_a_bar_is_drawn_a_few_times_a_second_whatever_the_speed():
    drawn = []
    show = progress._seldom(lambda text, done: drawn.append(done))
    for k in range(10_000):
        show("", k)
    assert 1 <= len(drawn) < 100


def test_in_a_notebook_the_bar_moves_and_goes(monkeypatch):
    shown = []
    handle = SimpleNamespace(update=shown.append)
    page = SimpleNamespace(HTML=str, display=lambda what, display_id: shown.append(what) or handle)
    monkeypatch.setattr(progress, "_notebook", lambda: page)
    with progress.progress_bar(2) as show:
        show("Finite", 1)
    assert [s.count("<progress") for s in shown] == [1, 1, 0] and "1/2 Finite" in shown[1]
