"""Stories: each is complete, its sliders exist, and its sentences follow the numbers."""

from xml.etree import ElementTree

import pytest

from corollary.errors import UnknownNameError
from corollary.exercises.catalogue import find_exercise
from corollary.lab.pictures import CLAIMS, STORIES
from corollary.lab.presets import PRESETS
from corollary.lab.stories.catalogue import find_story, next_story, stories
from corollary.lab.story_pages import story_controls, story_page
from corollary.lab.synonyms import SYNONYMS, by_claim
from corollary.registry import find
from corollary.run.check import run

NAMES = list(stories())


def said(name, **moved):
    """What a story says with some of its sliders moved."""
    story = find_story(name)
    options = {k: str(v) for k, v in {**story.options, **moved}.items()}
    return story.says(run([find(story.claim)], options=options).to_json())


def test_there_are_twelve_and_each_leads_to_another():
    assert len(NAMES) == 12
    assert sorted(map(next_story, NAMES)) == sorted(NAMES)
    with pytest.raises(UnknownNameError, match="there is no story called 'nothing'"):
        find_story("nothing")


@pytest.mark.parametrize("name", NAMES)
def test_a_story_names_what_there_is(name):
    story = find_story(name)
    options = {option.name for option in find(story.claim).options}
    assert set(story.moves) | set(story.options) <= options and set(story.ends) <= set(story.moves)
    assert 2 <= len(story.claims) <= 4 and all(find(c).name == c for c in story.claims)
    assert not story.exercise or find_exercise(story.exercise)
    assert not story.preset or story.preset in PRESETS
    for part in story.parts:
        assert all(set(one.options) <= set(story.moves) for one in part.tries)
    assert any(part.says for part in story.parts)


@pytest.mark.parametrize("name", NAMES)
def test_the_buttons_of_a_story_stay_inside_its_sliders(name):
    story = find_story(name)
    fields = {c.name: c for c in story_controls(story, {})}
    for part in story.parts:
        for one in part.tries:
            for option, value in one.options.items():
                assert fields[option].start <= float(value) <= fields[option].end, option


@pytest.mark.parametrize("name", NAMES)
def test_the_sentences_of_a_story_are_there_at_the_start(name):
    parts = find_story(name).parts
    assert [bool(text) for text in said(name)] == [part.says is not None for part in parts]


def test_sentences_follow_the_sliders():
    assert "1.05 times the limit" in said("edge_of_stability", share=2.1)[1]
    assert "theory predicts that 50 % of all networks are dead" in said("dead_relu", n=1, L=1)[1]
    assert "4 units: 11 regions" in said("depth_against_width", l=1, n=4)[1]
    assert "so your patterns are lost" in said("hopfield_recall", s=80)[2]


def test_a_run_without_numbers_says_nothing():
    crashed = {"parameters": {}, "predicted": [], "measured": [], "verdict": "crashed"}
    assert set(find_story("scaling").says({"results": [crashed]})) == {""}


@pytest.mark.parametrize("name", NAMES)
def test_the_pictures_of_a_story_are_drawn_and_can_be_read_aloud(name):
    for path in (STORIES / f"{name}.svg", STORIES / f"{name}.card.svg"):
        drawing = ElementTree.fromstring(path.read_text("utf-8"))
        kinds = [child.tag.rpartition("}")[2] for child in drawing]
        assert kinds[:2] == ["title", "desc"] and drawing.get("role") == "img"


def test_stored_pictures_are_of_claims_that_are_not_drawn_at_once():
    drawn = {f"{path.parent.name}/{path.stem}" for path in CLAIMS.glob("*/*.svg")}
    assert drawn and not [name for name in drawn if find(name).cost == "instant"]


def test_a_slow_claim_shows_its_stored_picture_first(client):
    text = client.get("/claim/optimization/edge_of_stability").text
    assert "The figure is from an earlier run" in text and "The sharpness grows to 2/η" in text


def test_the_page_has_prose_sliders_claims_and_what_comes_next():
    text = story_page("lazy_and_rich", {"distance": "5"}, runs=False)
    for part in ('value="5"', "how far the weights move", "/claim/kernels/ntk_constancy"):
        assert part in text
    assert "corollary exercise 6.4.2" in text and "/story/double_descent" in text


def test_the_answer_to_a_story_has_its_sentences(client):
    asked = {"story": "scaling", "name": "approximation/grid_rate", "options": {"d": "3"}}
    answer = client.post("/api/check", json=asked | {"figure": 0}).json()
    assert "In 3 dimensions" in answer["says"][1] and len(answer["view"]["figures"]) == 1
    refused = client.post("/api/check", json=asked | {"figure": -1})
    assert refused.status_code == 400 and "from 0 to 99, got '-1'" in refused.json()["error"]
    assert client.post("/api/check", json={"story": "no"}).status_code == 404


def test_words_of_practice_lead_to_claims():
    found = by_claim()
    assert all(" ".join(find(name).name for name in names.split()) for names in SYNONYMS.values())
    assert any("grokking" in words for words in found["regularization/no_overfitting"])
    assert len(SYNONYMS) > 50
