"""Hopfield recall."""

from math import erfc, log, sqrt

from corollary.lab.stories.story import Part, Picture, Seen, Story, Try, percent, short


def _noise(seen: Seen) -> str:
    n, s = int(seen["n"]), int(seen["s"])
    wrong = erfc(sqrt(n / s) / sqrt(2)) / 2
    return (
        f"With {s} patterns in {n} neurons, the variance of the crosstalk is "
        f"{short(seen.measured[1])} (theory: {short(seen.predicted[1])}). The crosstalk is below "
        f"−1 at {percent(wrong)} of the stored bits, and these bits flip."
    )


def _room(seen: Seen) -> str:
    n, s = int(seen["n"]), int(seen["s"])
    exact, rough = max(1, int(n / (2 * log(n)))), int(0.138 * n)
    if s <= exact:
        state = "so your patterns are recalled with almost no error"
    elif s <= rough:
        state = "so your patterns are recalled with a few wrong bits"
    else:
        state = "so your patterns are lost"
    return (
        f"{n} neurons hold about {exact} patterns without errors, or about {rough} patterns with "
        f"small errors. You store {s} patterns, {state}."
    )


STORY = Story(
    title="Hopfield recall",
    teaser="A memory made of neurons works perfectly until you store one pattern too many.",
    claim="connectionism/hopfield_crosstalk",
    moves={"s": "stored patterns", "n": "neurons"},
    ends={"s": (2, 100), "n": (50, 400)},
    options={"networks": 20},
    parts=(
        Part(
            "Connect every neuron with every other, and strengthen a connection whenever its two "
            "neurons agree in a pattern. That is the whole learning rule. Start the network from a "
            "damaged pattern and let each neuron follow the sign of its weighted input. The stored "
            "pattern comes back."
        ),
        Part(
            "The patterns can disturb each other. At each stored bit, the other patterns add up "
            "to a random term, the crosstalk. The histogram shows the crosstalk for all bits of "
            "many networks. The curve is the normal distribution that theory predicts. A bit "
            "flips if its crosstalk is below −1.",
            (
                Try("few patterns", {"s": 5}),
                Try("at the limit", {"s": 28}),
                Try("far too many", {"s": 80}),
            ),
            _noise,
        ),
        Part(
            "The width of the histogram is the square root of the number of patterns per neuron. "
            "With more patterns, more bits fall below −1. Wrong bits cause more wrong bits, and "
            "at about 0.138 patterns per neuron the memory suddenly breaks down. Recall without a "
            "single error needs even fewer patterns.",
            (),
            _room,
        ),
        Part(
            "The 2024 Nobel Prize in Physics honoured this network. Its modern version has a "
            "steeper energy and holds exponentially many patterns. It is the attention of a "
            "transformer."
        ),
    ),
    claims={
        "connectionism/hopfield_descent": "every flip lowers the energy, so recall comes to rest",
        "connectionism/hopfield_transition": "the breakdown at 0.138 patterns per neuron",
        "connectionism/hopfield_capacity": "how many patterns are recalled without an error",
    },
    picture=Picture("connectionism/hopfield_crosstalk"),
    follows="attention_as_memory",
)
