"""The words that CONTRIBUTING asks for: what a person reads is plain, modern English."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLACES = ("src", "docs", "examples", "tools", "benchmarks", "README.md", "SECURITY.md")
READ = {".py", ".md", ".jinja", ".js", ".rst"}
UNITS = (
    "axis|batch|block|branch|call|channel|claim|class|column|coordinate|dimension|draw|entry|epoch|"
    "feature|file|graph|group|hyperplane|input|layer|machine|neuron|node|output|pixel|question|row|"
    "run|sample|seed|sequence|side|step|sweep|token|unit"
)
COUNTED = "once|one( [a-z]+)?|two|twice|scores?|numbers?|values?|(?<=two )points"
FORBIDDEN = {
    "but ... came": r"\bbut\b[^.\n]{0,90}\bcame\b",
    "mend": r"\bmend(s|ed|ing)?\b",
    "gravest, commonest": r"\b(gravest|commonest)\b",
    "learnt, rightly": r"\blearnt\b|\b(answered|classified) rightly\b",
    "for want of": r"\bfor want of\b",
    "of ours": r"\b(bug|layer|model|one)s? of ours\b",
    "is no JSON": r"(?<!there )\bis no (JSON|module|tensor|number|file|option)\b",
    "one file a change": rf"(?<!to )\b({COUNTED}) an? ({UNITS})\b(?! (of|that|with|from|has)\b)",
    "optimiser": r"(?i)\boptimisers?\b",
    "n >= 1, but n=": r", but (\w+ ?= ?\{|(it is|its shape is) \{)",
}
MADE = {"katex", "_build", "gallery", "generated"}
EVERYDAY = tuple(
    f"src/corollary/{room}" for room in "cli lab report train examine exams watch".split()
)
EVERYDAY += ("docs/howto", "examples", "README.md")  # where no theorem speaks


def pages(*places):
    for place in places:
        path = ROOT / place
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            if file.suffix in READ and not MADE & set(file.parts):
                yield file


@cache
def lines(file):
    return file.read_text("utf-8").splitlines()


def found(pattern, *places):
    search = re.compile(pattern).search
    for file in pages(*places):
        for number, line in enumerate(lines(file), start=1):
            if search(line):
                yield f"{file.relative_to(ROOT)}:{number}: {line.strip()}"


@pytest.mark.parametrize("words", FORBIDDEN)
def test_words_that_nobody_searches_for_stay_out(words):
    assert not list(found(FORBIDDEN[words], *PLACES))


def test_a_learning_rate_is_called_one():
    assert not list(found(r"(?i)\bstep sizes?\b(?!\"\))", *EVERYDAY))
