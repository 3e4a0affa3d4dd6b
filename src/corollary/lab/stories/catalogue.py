"""All stories, in the order in which they follow each other."""

from functools import lru_cache
from importlib import import_module
from pathlib import Path

from corollary.errors import UnknownNameError
from corollary.lab.stories.story import Story

HERE = Path(__file__).parent
ROOM = ("__init__", "catalogue", "story")  # files that are not stories


@lru_cache(maxsize=1)
def stories() -> dict[str, Story]:
    """Name and story; each follows another, and the first follows none."""
    names = [path.stem for path in sorted(HERE.glob("*.py")) if path.stem not in ROOM]
    found: dict[str, Story] = {
        name: import_module(f"corollary.lab.stories.{name}").STORY for name in names
    }
    after = {story.follows: name for name, story in found.items()}
    ordered: dict[str, Story] = {}
    name = after.get("", "")
    while name and name not in ordered:
        ordered[name] = found[name]
        name = after.get(name, "")
    return ordered


def find_story(name: str) -> Story:
    """The story of that name.

    Raises:
        UnknownNameError: if there is none.
    """
    try:
        return stories()[name]
    except KeyError:
        raise UnknownNameError(
            f"there is no story called '{name[:40]}'; the stories are {', '.join(stories())}"
        ) from None


def next_story(name: str) -> str:
    """The name of the one that follows; the last is followed by the first."""
    names = list(stories())
    return names[(names.index(name) + 1) % len(names)]
