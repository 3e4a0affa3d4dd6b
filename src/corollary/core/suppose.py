"""A hypothesis of a claim: a sentence, its test, and what happens without it."""

from collections.abc import Callable
from inspect import Parameter, getdoc, signature
from typing import Any

from corollary.core.hypothesis import Hypothesis
from corollary.core.numbers import short


class Suppose:
    """One hypothesis of a claim.

    Functions receive arguments by the names of their parameters: ``self`` or ``claim`` is the
    claim, ``rng`` a generator, and any other name the given instance.

    Args:
        sentence: The hypothesis in words.
        test: Returns a bool, a number that must be positive (and is shown), or a bool with an
            explanation.
        without: Shows that the hypothesis is needed: a function that returns an instance for which
            both the hypothesis and the conclusion are false. The first line of its docstring is the
            sentence in the report. Alternatively this sentence, followed by the function or by
            ``changes``.
        instance: The instance without the hypothesis, if ``without`` is a sentence.
        changes: Fields of the given to replace; a function receives arguments by name.

    Example:
        >>> even = Suppose("n is even", lambda n: n % 2 == 0, without=lambda n: n + 1)
        >>> even.hypothesis(None, 4).sentence
        'n is even: yes'
        >>> Suppose("n is positive", lambda n: n).hypothesis(None, -3).sentence
        'n is positive: no (-3)'
        >>> from collections import namedtuple
        >>> Given = namedtuple("Given", "n")
        >>> odd = Suppose("n is even", lambda g: g.n % 2 == 0, "One more.", n=lambda g: g.n + 1)
        >>> odd.without(Given(4)), odd.words
        (Given(n=5), 'One more.')
        >>> Suppose("n is even", lambda n: n % 2 == 0, "One more.", lambda n: n + 1).without(4)
        5
    """

    def __init__(
        self,
        sentence: str,
        test: Callable[..., Any],
        without: Callable[..., Any] | str | None = None,
        instance: Callable[..., Any] | None = None,
        **changes: Any,
    ) -> None:
        self.sentence = sentence
        self.test = test
        self.without = (
            instead(without, instance, **changes) if isinstance(without, str) else without
        )

    def hypothesis(self, claim: Any, given: Any) -> Hypothesis:
        """Test the hypothesis on the given instance."""
        found = handed(self.test, claim, given)
        if isinstance(found, tuple):
            return Hypothesis(self.sentence, *found)
        number = found.item() if hasattr(found, "item") else found
        if isinstance(number, bool):
            return Hypothesis(self.sentence, number)
        return Hypothesis(self.sentence, number > 0, short(float(number)))

    @property
    def words(self) -> str:
        """What happens without the hypothesis, for the report."""
        return (getdoc(self.without) or "").split("\n", 1)[0] if self.without else ""


def instead(
    sentence: str, instance: Callable[..., Any] | None = None, **changes: Any
) -> Callable[..., Any]:
    """A function that returns another instance, or replaces fields of the given instance.

    Functions receive arguments by name here too.

    Example:
        >>> from collections import namedtuple
        >>> Given = namedtuple("Given", "n sign")
        >>> flipped = instead("The sign is the other one.", sign=lambda g: -g.sign)
        >>> flipped(Given(3, 1)), flipped.__doc__
        (Given(n=3, sign=-1), 'The sign is the other one.')
    """

    def breaker(given: Any, self: Any = None, rng: Any = None) -> Any:
        if instance is not None:
            return handed(instance, self, given, rng)
        values = {k: handed(v, self, given, rng) if callable(v) else v for k, v in changes.items()}
        return given._replace(**values)

    breaker.__doc__ = sentence
    return breaker


def handed(function: Callable[..., Any], claim: Any, given: Any, rng: Any = None) -> Any:
    """Call ``function`` with the arguments that its parameters name."""
    known = {"self": claim, "claim": claim, "rng": rng}
    parameters = list(signature(function).parameters.values())
    asked = [known.get(p.name, given) for p in parameters if p.default is Parameter.empty]
    known = {p.name: known[p.name] for p in parameters[len(asked) :] if p.name in known}
    return function(*asked, **known)
