"""Double descent."""

from corollary.lab.stories.story import Part, Picture, Seen, Story, Try, short


def _peak(seen: Seen) -> str:
    drop = 10.0 ** -seen.measured[1]
    return (
        f"With {seen['n']} training points the peak is near {seen['n']} parameters. At "
        f"{8 * int(seen['n'])} parameters the test risk is {short(drop, 2)} times lower than there."
    )


def _ridge(seen: Seen) -> str:
    drop = 10.0 ** -seen.measured[3]
    much = f"{short(drop, 2)} times lower than" if drop > 1.05 else "as high as"
    return f"With a ridge of {short(float(seen['ridge']))} the worst test risk is {much} the peak."


STORY = Story(
    title="Double descent",
    teaser="More parameters than data points, and the test error goes down again.",
    claim="double_descent/double_descent",
    moves={"noise": "noise in the labels", "ridge": "ridge penalty", "n": "training points"},
    ends={"noise": (0.05, 2.0), "ridge": (0.001, 10.0), "n": (20, 40)},
    options={"n": 20, "draws": 5, "curves": 4},
    parts=(
        Part(
            "The textbook curve is a U: too few parameters underfit, too many overfit, and the "
            "best model is in between. Then people kept going. Past the point where the model "
            "fits every training point exactly, the test error came down again, often lower "
            "than before."
        ),
        Part(
            "Each point of the curve is a model with that many random features, fitted to the "
            "same number of training points. The peak stands where parameters and points are "
            "equal in number: exactly one fit is possible there, and it has to swing wildly to "
            "hit every noisy label. More noise, higher peak.",
            (Try("little noise", {"noise": 0.05}), Try("much noise", {"noise": 1.0})),
            _peak,
        ),
        Part(
            "Beyond the peak there are many perfect fits, and least squares takes the shortest. "
            "More features mean shorter perfect fits, and these are tamer. So the second descent "
            "is not magic: it is a preference for small weights. Ask for small weights from the "
            "beginning, by a ridge, and there is no peak to come down from.",
            (Try("tiny ridge", {"ridge": 0.001}), Try("strong ridge", {"ridge": 1.0})),
            _ridge,
        ),
        Part(
            "For your own work: if a model sits right at the interpolation threshold, making it "
            "smaller or larger both help, and so does a little weight decay. Being slightly too "
            "large is the worst size of all."
        ),
    ),
    claims={
        "double_descent/weak_features": "bias and variance of the two descents in closed form",
        "double_descent/trained_networks": "the same curve with trained networks",
        "double_descent/benign_overfitting": "when fitting the noise does no harm",
    },
    picture=Picture("double_descent/double_descent"),
    follows="lazy_and_rich",
    exercise="11.3.1",
)
