"""Hopfield recall."""

from math import erfc, log, sqrt

from corollary.lab.stories.story import Part, Picture, Seen, Story, Try, percent, short


def _noise(seen: Seen) -> str:
    n, s = int(seen["n"]), int(seen["s"])
    wrong = erfc(sqrt(n / s) / sqrt(2)) / 2
    return (
        f"{s} patterns in {n} neurons: the crosstalk has variance {short(seen.measured[1])} "
        f"(theory: {short(seen.predicted[1])}), and {percent(wrong)} of the stored bits lie left "
        "of −1 and flip."
    )


def _room(seen: Seen) -> str:
    n, s = int(seen["n"]), int(seen["s"])
    exact, rough = max(1, int(n / (2 * log(n)))), int(0.138 * n)
    if s <= exact:
        state = "so yours are recalled almost without an error"
    elif s <= rough:
        state = "so yours are recalled with a few wrong bits"
    else:
        state = "so yours are lost"
    return (
        f"{n} neurons hold about {exact} patterns exactly and {rough} with small errors; you "
        f"store {s}, {state}."
    )


STORY = Story(
    title="Hopfield recall",
    teaser="A memory made of neurons works perfectly, until one memory too many.",
    claim="connectionism/hopfield_crosstalk",
    moves={"s": "stored patterns", "n": "neurons"},
    ends={"s": (2, 100), "n": (50, 400)},
    options={"networks": 20},
    parts=(
        Part(
            "Connect every neuron with every other, and strengthen a connection whenever two "
            "neurons agree in a pattern. That is all the learning there is. Start the network "
            "from a damaged pattern, let each neuron follow the majority of its inputs, and the "
            "pattern comes back."
        ),
        Part(
            "What can go wrong is that the patterns disturb each other. At each stored bit the "
            "others add up to a random push, the crosstalk. The histogram shows it, for all bits "
            "of many networks; the curve is the normal law that theory predicts. A bit whose "
            "push is below −1 flips.",
            (
                Try("few patterns", {"s": 5}),
                Try("at the limit", {"s": 28}),
                Try("far too many", {"s": 80}),
            ),
            _noise,
        ),
        Part(
            "The width of the histogram is the root of patterns per neuron. Its tail crosses −1 "
            "slowly at first. Then wrong bits make more bits wrong, and the memory breaks down "
            "all at once, at about 0.138 patterns per neuron. For recall without a single error "
            "the number is smaller still.",
            (),
            _room,
        ),
        Part(
            "The 2024 Nobel Prize in Physics honoured this network. Its modern descendant, with "
            "a steeper energy, holds exponentially many patterns, and you use it every day: it "
            "is the attention of a transformer."
        ),
    ),
    claims={
        "connectionism/hopfield_descent": "every flip lowers an energy, so recall ends",
        "connectionism/hopfield_transition": "the breakdown at 0.138 patterns per neuron",
        "connectionism/hopfield_capacity": "how many patterns are recalled without an error",
    },
    picture=Picture("connectionism/hopfield_crosstalk"),
    follows="attention_as_memory",
)
