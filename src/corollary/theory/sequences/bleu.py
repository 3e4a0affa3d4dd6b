r"""BLEU: how much of a translation occurs in its reference.

With clipped counts of the n-grams of all sentences together, :math:`p_n` is the share of the
translations' n-grams that the references have, :math:`c` and :math:`r` are the lengths of all
translations and of all references, and

.. math:: \mathrm{BLEU} = 100\,\min\bigl(1, e^{1 - r/c}\bigr)\Bigl(\prod_{n=1}^4 p_n\Bigr)^{1/4}.

Words are cut as in the evaluation script mteval-v13a, so that values can be compared with those of
``sacrebleu`` at its defaults, smoothing included: an n-gram order without a match counts as half a
match, then a quarter, and so on.

:source: Papineni, Roukos, Ward and Zhu (2002), "BLEU: a method for automatic evaluation of machine
    translation"; Post (2018), "A call for clarity in reporting BLEU scores".
"""

import math
import re
from collections import Counter
from collections.abc import Sequence

from corollary.errors import InputError

ORDERS = 4
_RULES = (
    (re.compile(r"([\{-\~\[-\` -\&\(-\+\:-\@\/])"), r" \1 "),  # punctuation apart from . , - '
    (re.compile(r"([^0-9])([\.,])"), r"\1 \2 "),  # . and , unless behind a digit
    (re.compile(r"([\.,])([^0-9])"), r" \1 \2"),  # or unless before one
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),  # a dash behind a digit
)


def cut_13a(sentence: str) -> list[str]:
    """The words and punctuation marks of a sentence.

    Example:
        >>> cut_13a("Two dogs (1.5 m), running.")
        ['Two', 'dogs', '(', '1.5', 'm', ')', ',', 'running', '.']
    """
    text = f" {sentence} "
    for pattern, put in _RULES:
        text = pattern.sub(put, text)
    return text.split()


def bleu(translations: Sequence[str], references: Sequence[str]) -> float:
    """BLEU of a corpus with one reference per sentence, from 0 to 100.

    Example:
        >>> round(bleu(["a man rides a red bike ."], ["a man rides a blue bike ."]), 2)
        48.89
    """
    if len(translations) != len(references) or not references:
        raise InputError(
            f"expected one reference per translation, got {len(translations)} translations and "
            f"{len(references)} references"
        )
    hits, total = [0] * ORDERS, [0] * ORDERS
    length = wanted = 0
    for said, meant in zip(map(cut_13a, translations), map(cut_13a, references), strict=True):
        length, wanted = length + len(said), wanted + len(meant)
        for n in range(1, ORDERS + 1):
            ours, theirs = _grams(said, n), _grams(meant, n)
            hits[n - 1] += (ours & theirs).total()
            total[n - 1] += ours.total()
    if not hits[0]:
        return 0.0
    logs, half = 0.0, 1.0
    for hit, count in zip(hits, total, strict=True):
        if not count:
            return 0.0  # every translation is shorter than the n-gram
        if not hit:
            half /= 2
        logs += math.log((hit or half) / count)
    return 100 * math.exp(min(0.0, 1 - wanted / length) + logs / ORDERS)


def _grams(words: list[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))
