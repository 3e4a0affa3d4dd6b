"""Pages are made from the catalogue's text, without torch."""

import re
import subprocess
import sys

import pytest

from corollary.registry import entries
from corollary.run.journal import last_outcomes

PAGES = ("/", "/claims", "/story/dead_relu", "/claim/connectionism/novikoff", "/play", "/examine")


def test_the_list_has_every_claim_and_no_exam(client):
    text = client.get("/claims").text
    for entry in entries():
        assert (f'href="/claim/{entry.name}"' in text) is not entry.is_exam


def test_the_catalogue_is_also_json(client):
    rows = client.get("/api/entries").json()
    assert len(rows) == len(entries())
    assert {"name", "title", "kind", "cost", "source", "erratum", "covers"} <= set(rows[0])


def test_a_claim_shows_statement_options_and_source(client):
    text = client.get("/claim/connectionism/novikoff").text
    for part in ('data-tex="M', "margin to plant", "Novikoff (1962)", 'id="o-seed"', "Erratum"):
        assert part in text


def test_a_claim_is_found_by_its_short_name(client):
    answer = client.get("/claim/novikoff")
    assert (answer.status_code, answer.headers["location"]) == (
        303,
        "/claim/connectionism/novikoff",
    )
    assert client.get("/claim/nowhere").status_code == 404


def test_the_address_fills_in_the_form(client):
    text = client.get("/claim/connectionism/novikoff?gamma=0.037&seed=5").text
    assert re.search(r'name="gamma"[^>]*value="0.037"', text)
    assert re.search(r'name="seed"[^>]*value="5"', text)


def test_what_is_no_option_is_said_and_escaped(client):
    text = client.get("/claim/connectionism/novikoff", params={"<script>": "1"}).text
    assert "<script>" not in text.replace("<script src", "").replace("<script type", "")
    assert "&lt;script&gt;" in text


@pytest.mark.parametrize("path", ["/claim/no/where", "/claim/trainability/largest_step", "/x"])
def test_a_page_that_is_not_there_is_one_sentence(client, path):
    answer = client.get(path)
    assert answer.status_code == 404
    assert "All results" in answer.text


def test_errors_of_the_api_have_one_envelope(client):
    for path in ("/api/nothing", "/api/sessions/none/events"):
        answer = client.get(path)
        assert answer.status_code == 404 and set(answer.json()) == {"error"}
    assert client.get("/api/check").status_code == 405


def test_files_of_the_pages_are_asked_for_once(client):
    first = client.get("/static/lab.css")
    again = client.get("/static/lab.css", headers={"if-none-match": first.headers["etag"]})
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")


def test_every_file_that_a_page_names_is_there(client):
    for page in PAGES:
        for name in re.findall(r'(?:src|href)="(/static/[^"]+)"', client.get(page).text):
            assert client.get(name).status_code == 200, name


def test_no_page_has_a_script_or_a_style_inside(client):
    for page in PAGES:
        text = client.get(page).text
        assert not re.search(r"<script>|<style|\son\w+=|\sstyle=", text)


def test_every_field_has_a_label(client):
    for page in PAGES:
        text = client.get(page).text
        for field in re.findall(r"<(?:input(?! type=\"hidden\")|select|textarea)[^>]*>", text):
            name = re.search(r'id="([^"]+)"', field)
            labelled = "aria-label=" in field or (name and f'for="{name.group(1)}"' in text)
            assert labelled or re.search(f"<label>[^<]*{re.escape(field)}", text), field


def test_links_of_the_playground_lead_to_claims(client):
    text = client.get("/play").text
    links = re.findall(r'href="(/claim/[^"]+)"', text)
    assert len(links) >= 3
    for link in links:
        assert client.get(link).status_code == 200


def test_the_last_verdicts_are_for_who_has_the_key(client, monkeypatch):
    assert client.get("/api/verdicts").json() == last_outcomes() == {}
    known = {"connectionism/novikoff": {"verdict": "holds", "sentence": ""}, "spoilt": 3}
    monkeypatch.setattr("corollary.lab.api.last_outcomes", lambda: known)
    assert client.get("/api/verdicts").json() == {"connectionism/novikoff": ["holds", "✓"]}


@pytest.mark.parametrize("page", ["/claim/connectionism/novikoff?gamma=0.2", "/play?data=xor"])
def test_only_an_address_opened_inside_the_lab_runs_by_itself(client, page):
    for site in (None, "none", "same-site", "cross-site", "same-origin"):
        headers = {} if site is None else {"sec-fetch-site": site}
        found = " data-runs" in client.get(page, headers=headers).text
        assert found is (site == "same-origin"), site


def test_the_server_imports_no_torch():
    code = (
        "import sys, corollary.lab.server\n"
        "from corollary.lab import pages as p, story_pages as s\n"
        "from corollary.registry import find\n"
        "s.home_page(); s.story_page('scaling', {}, runs=True)\n"
        "p.claims_page(); p.claim_page(find('novikoff'), {}, runs=True)\n"
        "p.play_page({}, runs=True); p.examine_page({}); p.enter_page()\n"
        "print([m for m in ('torch', 'numpy', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_full_lab_says_when_to_come_again(client, monkeypatch):
    monkeypatch.setattr("corollary.lab.sessions.MOST", 0)
    answer = client.post("/api/play", json={"settings": {}})
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert "running in this lab already" in answer.json()["error"]
