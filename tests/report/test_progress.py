import sys
from types import SimpleNamespace

from corollary.core import Finding
from corollary.report import progress


def test_nobody_is_shown_a_bar_who_cannot_see_it(monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)
    with progress.progress_bar(3) as advance:
        assert advance is None


def test_on_a_terminal_the_bar_counts_exams(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress.progress_bar(2) as advance:
        advance([Finding("soundness/finite", "Finite")])
        advance([])


def test_in_a_notebook_the_bar_moves_and_goes(monkeypatch):
    shown = []
    handle = SimpleNamespace(update=shown.append)
    page = SimpleNamespace(HTML=str, display=lambda what, display_id: shown.append(what) or handle)
    monkeypatch.setattr(progress, "_notebook", lambda: page)
    with progress.progress_bar(2) as advance:
        advance([Finding("soundness/finite", "Finite")])
    assert [s.count("<progress") for s in shown] == [1, 1, 0] and "1/2 Finite" in shown[1]
