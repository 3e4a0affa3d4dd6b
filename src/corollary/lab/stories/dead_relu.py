"""Dead ReLU."""

from corollary.lab.stories.story import Part, Picture, Seen, Story, Try, percent


def _share(seen: Seen) -> str:
    return (
        f"Width {seen['n']}, {seen['L']} layers: theory predicts that "
        f"{percent(seen.predicted[-1])} of all networks are dead. Of {seen['draws']} networks "
        f"drawn just now, {percent(seen.measured[-1])} are dead."
    )


def _needed(seen: Seen) -> str:
    depth = int(seen["L"])
    width = next(n for n in range(1, 40) if 1 - (1 - 2.0**-n) ** depth <= 0.01)
    return (
        f"At depth {depth}, at most one network in a hundred is dead if the width is at least "
        f"{width}. Your width is {seen['n']}."
    )


STORY = Story(
    title="Dead ReLU",
    teaser="Some networks are dead before the first gradient step. How many, exactly?",
    claim="tricks/born_dead",
    moves={"n": "width", "L": "hidden layers"},
    parts=(
        Part(
            "A ReLU is on or off. If it is off for every training point, its gradient is zero, so "
            "it stays off: the unit is dead. If all units of a layer are dead, neither signals nor "
            "gradients pass that layer. The network then gives the same answer to every input, and "
            "no amount of training changes that."
        ),
        Part(
            "Before training, each unit is on or off like a fair coin: its weights are as likely "
            "to point towards the input as away from it. All :math:`n` units of a layer are off "
            "with probability :math:`2^{-n}`, and every layer of a deep network takes this risk "
            "once. Make the network narrow and deep, and watch the curve.",
            (
                Try("wide and shallow", {"n": 10, "L": 5}),
                Try("width 2, 40 layers", {"n": 2, "L": 40}),
                Try("one unit per layer", {"n": 1}),
            ),
            _share,
        ),
        Part(
            "The scale of the weights does not appear in the formula. So no choice of the "
            "variance at initialization saves a narrow deep network. A few more units per layer "
            "do, and so does a small positive bias, a leaky ReLU or a skip connection around the "
            "layer.",
            (),
            _needed,
        ),
        Part(
            "Units can also die later. One step with a learning rate that is far too large can "
            "push the biases so low that a layer never recovers. The loss then stays constant, and "
            "the curvature is zero. The playground preset shows this at a learning rate of 20."
        ),
    ),
    claims={
        "tricks/kaiming": "the scale that keeps signals through ReLU on average",
        "networks/residual_jacobian": "skip connections lead around a dead layer",
        "connectionism/threshold_gradient": "units that never pass a gradient at all",
    },
    picture=Picture("tricks/born_dead", options={"n": 3}),
    follows="edge_of_stability",
    preset="dead-relu",
)
