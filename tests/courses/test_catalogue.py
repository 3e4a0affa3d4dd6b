import pytest

from corollary.courses import notes as sets
from corollary.courses.catalogue import (
    OWN,
    all_courses,
    all_lectures,
    claims_of,
    find_course,
)
from corollary.courses.dependencies import graph
from corollary.courses.places import Place, places
from corollary.errors import UnknownNameError
from corollary.exercises.catalogue import all_exercises
from corollary.registry import Entry, entries

CLAIMS = [e for e in entries() if not e.is_exam]


def at(source, notes=sets.LUCCHI, tmp="x.py"):
    return places(Entry("a/b", "m", tmp, f"Title.\n\n:source: {source}"), notes)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("Lucchi (2025), F, Section 3.4, Theorem 19.", [Place((3, 4), 19)]),
        ("Lucchi (2025), F, Theorem 30 and Figure 4.4; Other (1950).", [Place((4, 2, 1), 30)]),
        ("Lucchi (2025), F, Sections 1.2 and 5.8, Problem 1.", [Place((1, 2), exercise="1.7.1")]),
        ("Lucchi (2025), F, Chapter 7, Exercise 2b.", [Place((7, 4), exercise="7.4.2")]),
        ("Lucchi (2025), F, Equation 12.14.", [Place((12,))]),
        ("Lucchi (2025), F, Table 1; Roy (2017), Table 1.", [Place((9, 2))]),
        ("Perez Jensen (2025), D, Section 3.4, Theorem 3.1.", []),
    ],
)
def test_the_source_of_a_claim_says_where_it_stands(source, found):
    assert list(at(source))[: len(found) or None] == found


def test_every_claim_that_cites_notes_has_a_place_in_them():
    for notes in sets.ALL:
        for entry in CLAIMS:
            assert (notes.cited in entry.source) == bool(places(entry, notes)), entry.name
            for place in places(entry, notes):
                assert place.chapter in notes.chapters
                assert not notes.sections or place.section[:2] in {
                    *notes.sections,
                    place.section[:1],
                }


def test_every_claim_that_cites_a_chapter_is_in_its_lecture():
    for notes in sets.ALL:
        for entry in CLAIMS:
            for place in places(entry, notes):
                lecture = find_course(f"{notes.name}/{place.chapter}")
                assert entry in lecture.claims, (entry.name, lecture.name)


def test_every_exercise_is_asked_in_its_chapter_and_has_claims():
    asked = [
        e for c in all_courses() if c.name == "lucchi-2025" for x in c.lectures for e in x.exercises
    ]
    assert asked == list(all_exercises())
    assert all(claims_of(exercise) for exercise in asked)


@pytest.mark.parametrize("lecture", all_lectures(), ids=lambda x: x.name)
def test_a_lecture_can_be_walked_in_order(lecture):
    assert lecture.sections and lecture.minutes > 0
    names = [step.name for step in lecture.steps]
    assert len(set(names)) == len(names)
    rows = [[s.name for s in lecture.steps]] if lecture.course == OWN else []
    for row in rows or [[s.name for s in section.steps] for section in lecture.sections]:
        for k, name in enumerate(row):
            if not name.startswith("exercise"):
                assert not set(graph().below(name)) & set(row[k:]), name
    assert not {e.name for e in lecture.prerequisites} & set(names)


def test_an_unknown_name_is_answered_with_near_ones():
    with pytest.raises(UnknownNameError, match="why-does-it-train"):
        find_course("why-train")
    assert find_course("Why does it train?").title == "Why does it train?"
