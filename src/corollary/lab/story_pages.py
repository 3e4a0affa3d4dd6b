"""The home page and the stories as HTML."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from corollary.exercises.catalogue import find_exercise
from corollary.lab.controls import Control, controls
from corollary.lab.pictures import story_card, story_figure
from corollary.lab.presets import PRESETS
from corollary.lab.render import page
from corollary.lab.stories.catalogue import find_story, next_story, stories
from corollary.lab.stories.story import Story
from corollary.registry import entries, find
from corollary.report.latex import scripts
from corollary.report.statement import statement_html


def home_page() -> str:
    """Twelve cards, the search field, and the ways to everything else."""
    claims = [e for e in entries() if not e.is_exam]
    return page(
        "home",
        stories=[(name, story, story_card(name)) for name, story in stories().items()],
        areas=list(Counter(e.area for e in claims).items()),
        total=len(claims),
        presets=PRESETS,
    )


def story_page(name: str, query: Mapping[str, str], *, runs: bool) -> str:
    """One story, its sliders where the query puts them."""
    story, following = find_story(name), next_story(name)
    fields = story_controls(story, query)
    return page(
        "story",
        name=name,
        story=story,
        number=1 + list(stories()).index(name),
        total=len(stories()),
        parts=[_part(part) for part in story.parts],
        claim_title=scripts(find(story.claim).title),
        claims=[(c, scripts(find(c).title), why) for c, why in story.claims.items()],
        preset=(story.preset, PRESETS[story.preset]) if story.preset else None,
        exercise=find_exercise(story.exercise)[0] if story.exercise else None,
        next=(following, stories()[following]),
        stored=story_figure(name),
        controls=fields,
        start=json.dumps({c.name: c.default for c in fields}),
        runs=runs,
    )


def story_controls(story: Story, query: Mapping[str, str]) -> list[Control]:
    """The sliders of a story: those of its claim, under its own names and between its own ends."""
    start = {name: str(value) for name, value in story.options.items()}
    found = {c.name: c for c in controls(find(story.claim), start | dict(query))}
    return [_moved(found[name], story, label, start) for name, label in story.moves.items()]


def _moved(control: Control, story: Story, label: str, start: Mapping[str, str]) -> Control:
    low, high = story.ends.get(control.name, (control.start, control.end))
    default = start.get(control.name, control.default)
    log = low > 0 and high / low >= 100
    return replace(control, label=label, default=default, start=low, end=high, log=log)


def _part(part: Any) -> dict[str, Any]:
    return {
        "html": Markup(statement_html(part.words)),
        "tries": [(t.label, json.dumps(dict(t.options))) for t in part.tries],
        "says": part.says is not None,
    }
