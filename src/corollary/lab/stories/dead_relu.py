"""Dead ReLU."""

from corollary.lab.stories.story import Part, Picture, Seen, Story, Try, percent


def _share(seen: Seen) -> str:
    return (
        f"Width {seen['n']}, {seen['L']} layers: theory says {percent(seen.predicted[-1])} dead. "
        f"Of {seen['draws']} networks drawn just now, {percent(seen.measured[-1])} are."
    )


def _needed(seen: Seen) -> str:
    depth = int(seen["L"])
    width = next(n for n in range(1, 40) if 1 - (1 - 2.0**-n) ** depth <= 0.01)
    return (
        f"At depth {depth} it takes a width of {width} to lose at most one network in a hundred "
        f"this way; you have {seen['n']}."
    )


STORY = Story(
    title="Dead ReLU",
    teaser="Some networks are dead before the first gradient step. How many, exactly?",
    claim="tricks/born_dead",
    moves={"n": "width", "L": "hidden layers"},
    parts=(
        Part(
            "A ReLU is on or off. If it is off for every input you have, its gradient is zero, "
            "and so it stays off: a dead unit. If a whole layer is off, nothing passes it in "
            "either direction. The network answers the same to everything, and no amount of "
            "training changes that."
        ),
        Part(
            "At the start each unit is a fair coin: its weights are as likely to point towards "
            "the input as away from it. A layer of :math:`n` units is all off with probability "
            ":math:`2^{-n}`, and a deep network throws these coins once per layer. Make the "
            "network narrow and deep, and watch the curve.",
            (
                Try("wide and shallow", {"n": 10, "L": 5}),
                Try("width 2, 40 layers", {"n": 2, "L": 40}),
                Try("one unit per layer", {"n": 1}),
            ),
            _share,
        ),
        Part(
            "Note what is missing from the formula: the scale of the weights. No clever "
            "initialization by variance alone saves a narrow deep network. Width does, very "
            "fast, and so do a small positive bias, a leaky ReLU or a shortcut around the layer.",
            (),
            _needed,
        ),
        Part(
            "Units can also die later. One step with a learning rate that is far too large "
            "pushes biases so low that a layer never recovers. The loss then sits still, the "
            "curvature is zero, and everything looks calm. The playground preset shows such a "
            "death at a learning rate of 20, and says so."
        ),
    ),
    claims={
        "tricks/kaiming": "the scale that keeps signals through ReLU on average",
        "networks/residual_jacobian": "shortcuts leave a way around a dead layer",
        "connectionism/threshold_gradient": "units that never pass a gradient at all",
    },
    picture=Picture("tricks/born_dead", options={"n": 3}),
    follows="edge_of_stability",
    preset="dead-relu",
)
