"""Double descent."""

from corollary.lab.stories.story import Part, Picture, Seen, Story, Try, short


def _peak(seen: Seen) -> str:
    drop = 10.0 ** -seen.measured[1]
    return (
        f"With {seen['n']} training points, the peak of the test risk is near {seen['n']} "
        f"parameters. The test risk at {8 * int(seen['n'])} parameters is {short(drop, 2)} times "
        f"lower than at the peak."
    )


def _ridge(seen: Seen) -> str:
    drop = 10.0 ** -seen.measured[3]
    much = f"{short(drop, 2)} times lower than" if drop > 1.05 else "as high as"
    return (
        f"With a ridge penalty of {short(float(seen['ridge']))}, the highest test risk is {much} "
        "the peak without a penalty."
    )


STORY = Story(
    title="Double descent",
    teaser="With more parameters than data points, the test error goes down again.",
    claim="double_descent/double_descent",
    moves={"noise": "noise in the labels", "ridge": "ridge penalty", "n": "training points"},
    ends={"noise": (0.05, 2.0), "ridge": (0.001, 10.0), "n": (20, 40)},
    options={"n": 20, "draws": 5, "curves": 4},
    parts=(
        Part(
            "The textbook curve is a U: too few parameters underfit, too many overfit, and the "
            "best model is in between. Then people kept going. At some size, the model fits "
            "every training point exactly. Past this size, the test error went down again, "
            "often below its earlier minimum."
        ),
        Part(
            "Each point of the curve is a model. The number of random features grows to the "
            "right, and all models are fitted to the same training points. The peak is where the "
            "model has as many parameters as there are training points: only one exact fit exists "
            "there, and it has to oscillate to hit every noisy label. More noise in the labels "
            "makes the peak higher.",
            (Try("little noise", {"noise": 0.05}), Try("much noise", {"noise": 1.0})),
            _peak,
        ),
        Part(
            "Beyond the peak there are many exact fits, and least squares chooses the one with "
            "the smallest weights. With more features, the weights of that fit get smaller, and "
            "its oscillations too. So the second descent comes from a preference for small "
            "weights. A ridge penalty asks for small weights from the start, and then there is no "
            "peak.",
            (Try("tiny ridge", {"ridge": 0.001}), Try("strong ridge", {"ridge": 1.0})),
            _ridge,
        ),
        Part(
            "For your own work: if a model has about as many parameters as training points, a "
            "smaller model and a larger model are both better, and so is a little weight decay."
        ),
    ),
    claims={
        "double_descent/weak_features": "bias and variance of the two descents in closed form",
        "double_descent/trained_networks": "the curve of double descent with trained networks",
        (
            "double_descent/benign_overfitting"
        ): "conditions under which fitting noisy labels does no harm",
    },
    picture=Picture("double_descent/double_descent"),
    follows="lazy_and_rich",
    exercise="11.3.1",
)
