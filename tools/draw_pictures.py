"""Draw the stored pictures of the lab: cards and first figures of stories, and slow claims.

``python tools/draw_pictures.py`` draws the stories, ``python tools/draw_pictures.py NAME ...`` the
claims of these names, and ``--slow`` all claims that take longer than a second (about half an
hour). A stored picture is a run at seed 0; the lab shows it until a run of its own is there.
"""

import sys
from pathlib import Path

from corollary.lab.pictures import CLAIMS, STORIES
from corollary.lab.stories.catalogue import stories
from corollary.lab.stories.story import Story
from corollary.registry import COSTS, Entry, entries, find
from corollary.report.svg import figure_svg, sketch_svg
from corollary.run.check import run


def figures(claim: str, options: dict[str, str]) -> tuple:
    """The figures of one run."""
    (result,) = run([find(claim)], seed=0, options=options).results
    return result.figures


def draw_story(name: str, story: Story) -> None:
    """Its card and its live figure."""
    card, live = story.picture, {k: str(v) for k, v in story.options.items()}
    drawn = figures(card.claim, {k: str(v) for k, v in card.options.items()})[card.figure]
    write(STORIES / f"{name}.card.svg", sketch_svg(drawn))
    write(STORIES / f"{name}.svg", figure_svg(figures(story.claim, live)[story.figure]))


def draw_claim(entry: Entry) -> None:
    """Its first figure."""
    write(CLAIMS / f"{entry.name}.svg", figure_svg(figures(entry.name, {})[0]))


def write(path: Path, svg: str) -> None:
    """One file per picture, one line each."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(svg + "\n", "utf-8")
    print(path.name, len(svg), flush=True)


def main(words: list[str]) -> None:
    """Draw what is asked for."""
    if not words:
        for name, story in stories().items():
            draw_story(name, story)
    chosen = [find(word) for word in words if word != "--slow"]
    if "--slow" in words:
        chosen += sorted(
            (e for e in entries() if not e.is_exam and e.cost != "instant"),
            key=lambda e: COSTS.index(e.cost),
        )
    for entry in chosen:
        draw_claim(entry)


if __name__ == "__main__":
    main(sys.argv[1:])
