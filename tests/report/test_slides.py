from corollary.courses.catalogue import find_course
from corollary.report.markdown import markdown
from corollary.report.slides import Shown, shown, slides, slides_html
from corollary.run.lecture import CarriedOut


def test_every_step_of_a_lecture_has_its_slides():
    lecture = find_course("lucchi-2025/11")
    made = list(slides(lecture, {}))
    titles = [s["title"] for s in made]
    assert all(claim.title in titles for claim in lecture.claims)
    assert sum(s["kind"] == "exercise" for s in made) == len(lecture.exercises)
    assert sum(s["kind"] == "erratum" for s in made) == sum(bool(c.erratum) for c in lecture.claims)
    assert sum(s["kind"] == "proof" for s in made) == sum(bool(c.proof) for c in lecture.claims)


def test_what_was_found_is_on_the_slide():
    lecture = find_course("mathematical-foundations/3")
    name = lecture.claims[0].name
    page = slides_html(lecture, {name: Shown("measured < 3", "holds", ("<svg></svg>",))})
    assert "<svg></svg>" in page and "measured &lt; 3" in page
    assert shown(CarriedOut({}, {})) == {}


def test_markdown_has_lists_and_escapes_what_is_not_markup():
    text = "A_b costs $3:\n\n* :math:`x_i`\n* ``code``\n\n.. math:: a &= b"
    made = markdown(text)
    assert r"A\_b costs \$3:" in made and "- $x_i$\n- `code`" in made
    assert "$$\n\\begin{aligned}a &= b\\end{aligned}\n$$" in made
