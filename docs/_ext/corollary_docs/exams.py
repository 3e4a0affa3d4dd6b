"""Pages of the exams: one per question, with each of its exams as a section."""

from collections.abc import Iterator, Sequence

from corollary.errors import UnknownNameError
from corollary.examine.questions import QUESTIONS
from corollary.registry import Entry, find
from corollary_docs import rst
from corollary_docs.claims import chapter_docstring


def exam_pages(exams: Sequence[Entry]) -> Iterator[tuple[str, str]]:
    """Names (below ``exams/``) and texts of the pages of all questions."""
    areas = sorted({e.area for e in exams}, key=lambda a: (_turn(a), a))
    rows = []
    for area in areas:
        group = [e for e in exams if e.area == area]
        title, _, intro = chapter_docstring(group[0]).partition("\n")
        rows.append([f":doc:`{rst.escaped(title)} </generated/exams/{area}>`", intro.strip()])
        yield area, question_page(group)
    intro = (
        "``corollary examine`` asks these questions about a network. Each question has several\n"
        "exams, and these pages are generated from the docstrings of the exams.\n"
        ":doc:`/howto/examine` explains the command and its report.\n"
        ":doc:`/generated/exams/faults` shows how well it finds planted faults.\n"
    )
    names = [*(f"/generated/exams/{area}" for area in areas), "/generated/exams/faults"]
    parts = [rst.table(["question", "what is looked at"], rows, "28 72")]
    yield (
        "index",
        "\n".join([rst.heading("Questions"), intro, *parts, rst.toctree(names, hidden=True)]),
    )


def _turn(area: str) -> int:
    return QUESTIONS.index(area) if area in QUESTIONS else len(QUESTIONS)


def question_page(exams: Sequence[Entry]) -> str:
    """The question, why it is asked, and its exams."""
    title, _, intro = chapter_docstring(exams[0]).partition("\n")
    command = f"$ corollary examine net.py:build --data digits --only {exams[0].area}"
    parts = [rst.heading(rst.escaped(title)), intro.strip() + "\n", rst.code("console", command)]
    return "\n".join([*parts, *(section for exam in exams for section in _exam(exam))])


def _exam(exam: Entry) -> Iterator[str]:
    yield f".. _exam-{exam.area}-{exam.stem.replace('_', '-')}:\n"
    yield rst.heading(rst.escaped(exam.title), "-")
    yield exam.statement + "\n"
    yield f"``--only {exam.name}`` runs this exam alone.\n"
    claims = [c.strip() for c in exam.fields.get("claims", "").split(",") if c.strip()]
    if claims:
        yield "Theory: " + ", ".join(map(_claim, claims)) + ".\n"
    if exam.source:
        yield f"Source: {rst.prose(exam.source)}\n"


def _claim(name: str) -> str:
    try:
        entry = find(name)
    except UnknownNameError:
        return f"``{name}``"
    return f":doc:`{rst.escaped(entry.title)} </generated/claims/{entry.name}>`"
