import re

import pytest
from corollary_docs import pages
from corollary_docs.api import api_pages
from corollary_docs.claims import chapter_page, claim_page
from corollary_docs.notes import SECTIONS, errata_page, map_page, told_once
from corollary_docs.outcomes import Outcome
from corollary_docs.rst import escaped, prose
from corollary_docs.scan import Erratum, errata

from corollary.registry import Entry, Place, areas, entries, places
from corollary.report.typed_math import with_formulas

CLAIMS = [e for e in entries() if not e.is_exam]


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return dict(pages.pages())


@pytest.fixture
def entry(tmp_path) -> Entry:
    docstring = "\n".join(
        [
            "Signs_and *sums*.",
            "",
            "For every n, the sum",
            r":math:`S_n` is small.",
            "",
            ":source: Someone (1950), Title.",
            ":kind: bound",
            ":covers: sum-of-signs",
            ":erratum: [typo] A sign. [loose] A factor 2.",
        ]
    )
    path = tmp_path / "claims" / "sums" / "signs.py"
    path.parent.mkdir(parents=True)
    path.write_text(
        f'r"""{docstring}\n"""\n\n\nclass Signs(Claim):\n'
        "    n_max: int = 7  # how |many|\n"
        "    t: float = option(0.5, low=0, high=1)  # where\n"
        "    sizes: tuple[int, ...] = (8, 16)  # sizes\n"
        '    mode: Literal["a", "b"] = "a"  # which\n\n'
        "    def hypotheses(self, given):\n"
        '        yield Hypothesis("x_i is a sign", True)\n'
    )
    return Entry("sums/signs", "corollary.claims.sums.signs", path, docstring)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda e: e.name)
def test_every_claim_has_a_page_with_its_statement_source_and_commands(claim, made):
    page = made[f"claims/{claim.name}"]
    assert prose(claim.source) in page and claim.statement in page
    assert f"corollary check {claim.stem}" in page
    for option in claim.options:
        assert f"``{option.name}``" in page


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda e: e.name)
def test_every_formula_of_the_docstring_reaches_the_page(claim, made):
    formulas = re.findall(r":math:`[^`]+`|\.\. math::.*", claim.docstring)
    folded = " ".join(made[f"claims/{claim.name}"].split())
    assert all(" ".join(formula.split()) in folded for formula in formulas)


def test_every_chapter_has_a_page_that_lists_its_claims(made):
    for area in {e.area for e in CLAIMS}:
        assert area in areas()
        listed = made[f"chapters/{area}"]
        assert all(f"/generated/claims/{e.name}" in listed for e in CLAIMS if e.area == area)


def test_the_map_names_every_covered_result_once(made):
    for slug in {place.slug for place in places()}:
        assert made["map"].count(f".. _result-{slug}:") == 1


def test_every_erratum_of_the_package_is_on_the_errata_page(made):
    found = list(errata())
    assert found
    told = told_once(found, {e.module: e for e in CLAIMS})
    assert sum(map(len, told)) == len(found)
    assert all(prose(with_formulas(places[0].text)) in made["errata"] for places in told)
    assert {e.tag for e in found} <= set(SECTIONS)


def test_every_public_module_of_models_theory_data_and_train_has_a_reference_page(made):
    listed = "".join(text for name, text in made.items() if name.startswith("api/"))
    for name, _ in api_pages():
        assert name == "index" or f"automodule:: {name}" in listed
    assert "automodule:: corollary.data.separable" in listed


def test_the_page_of_a_claim_shows_all_that_the_entry_has(entry):
    page = claim_page(entry)
    assert page.startswith(r"Signs\_and \*sums\*")
    assert r":math:`S_n` is small." in page
    assert ":math:`x_{i}` is a sign" in page and r"how \|many\|" in page
    assert "8,16" in page and "0 to 1" in page and "a, b" in page and "≥ 1" in page
    assert "--n-max 7" in page and "n_max=7" in page
    assert "Erratum: typo" in page and "Erratum: loose" in page
    assert ":ref:`sum-of-signs <result-sum-of-signs>`" in page
    assert "takes too long for the build" in page


def test_an_outcome_is_shown_with_its_verdict_and_escaped(entry):
    outcome = Outcome("fails", "measured 3 < x", "If not", ("✓ h",), ("<svg/>",), "≤", "none")
    page = claim_page(entry, outcome)
    assert 'class="verdict verdict-fails"' in page and "measured 3 &lt; x" in page
    assert "<svg/>" in page and "✓ :math:`h`" in page and not outcome.good
    assert ":verdict-fails:`fails`" in chapter_page("sums", [entry], {"sums/signs": outcome})


def test_possible_scanning_faults_stand_in_a_section_of_their_own_at_the_end(entry):
    found = [
        Erratum("possible OCR artefact", "A bar is lost.", entry.module, "Signs"),
        Erratum("wrong", "It grows.", "corollary.theory.x", "f"),
    ]
    page = errata_page(found, [entry])
    assert page.index("It grows.") < page.index("Places to compare with the original page")
    assert page.index("Places to compare with the original page") < page.index("A bar is lost.")
    assert "a student's notes that invite" in page


def test_an_erratum_in_a_claim_and_in_the_code_behind_it_is_told_once_by_the_claim(entry):
    found = [
        Erratum("typo", "Long form.", "corollary.theory.x", "f", ("sum-of-signs",)),
        Erratum("typo", "Short form.", entry.module, "", ("sum-of-signs",)),
        Erratum("typo", "Another result.", "corollary.theory.y", "g", ("other",)),
    ]
    page = errata_page(found, [entry])
    assert "Short form." in page and "Another result." in page and "Long form." not in page
    assert "<corollary.theory.x.f>" in page


def test_the_map_leads_from_a_result_to_its_object_its_claim_and_its_test(entry, tmp_path):
    tests = tmp_path / "tests"
    (tests / "theory").mkdir(parents=True)
    (tests / "theory" / "test_sums.py").write_text("")
    found = [
        Place("sum-of-signs", "corollary.theory.sums", "total", tmp_path / "sums.py"),
        Place("sum-of-signs", entry.module, "", entry.path),
    ]
    page = map_page(found, [entry], tests)
    assert "<corollary.theory.sums.total>" in page
    assert "</generated/claims/sums/signs>" in page
    assert ":path:`tests/theory/test_sums.py`" in page


def test_the_map_goes_chapter_by_chapter_in_the_order_of_reading(made):
    titles = ["Prerequisites", "Connectionism", "Networks", "Kernels", "Robustness"]
    at = [made["map"].index(f"\n{title}\n---") for title in titles]
    assert at == sorted(at)
    listed = [made["chapters/index"].index(f"`{title} <") for title in titles]
    assert listed == sorted(listed)


def test_an_erratum_says_where_in_the_notes_it_is(entry):
    place = "Lucchi (2025), Section 8.3"
    found = [Erratum("wrong", "It grows.", entry.module, "Signs", where=place)]
    assert f":place:`{place}`" in errata_page(found, [entry])
    assert all(erratum.where for erratum in errata())


def test_questions_stand_in_the_order_in_which_they_are_asked(made):
    from corollary.examine.questions import QUESTIONS

    at = [made["exams/index"].index(f"</generated/exams/{name}>`") for name in QUESTIONS]
    assert at == sorted(at)


@pytest.mark.slow
def test_pages_are_written_once_and_old_ones_are_removed(tmp_path):
    written = pages.write(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in written}
    (tmp_path / "claims" / "gone.rst").write_text("Gone\n====\n")
    assert set(pages.write(tmp_path)) == set(written)
    assert {path: path.stat().st_mtime_ns for path in written} == before
    assert not (tmp_path / "claims" / "gone.rst").exists()


@pytest.mark.parametrize("exam", [e for e in entries() if e.is_exam], ids=lambda e: e.name)
def test_every_exam_is_on_the_page_of_its_question(exam, made):
    page = made[f"exams/{exam.area}"]
    assert exam.statement in page and f"--only {exam.name}" in page
    assert prose(exam.source) in page


def test_every_planted_fault_is_on_the_page_of_faults(made):
    from planted import FAULTS

    for fault in FAULTS:
        assert escaped(fault.name) in made["exams/faults"]
        section = f"exam-{fault.exam}".replace("/", "-").replace("_", "-")
        assert f"<{section}>" in made["exams/faults"]


def test_the_page_of_a_claim_has_its_proof_and_one_page_lists_all(made):
    from corollary_docs.proofs import proofs

    (novikoff,) = [e for e in CLAIMS if e.name == "connectionism/novikoff"]
    page = claim_page(novikoff, proofs=proofs([novikoff]))
    assert "$ corollary prove novikoff" in page
    assert r'<span class="tex notranslate nohighlight">M\gamma \le \langle u' in page
    assert "<table" not in made["claims/connectionism/xor"]
    assert "/generated/claims/connectionism/novikoff" in made["proofs"]
    assert "leave the proof of Lemma 3.2 open" in made["proofs"]
