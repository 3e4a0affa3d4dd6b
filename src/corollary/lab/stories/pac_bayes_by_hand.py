"""PAC-Bayes by hand."""

from math import log, sqrt

from corollary.lab.stories.story import Part, Picture, Seen, Story, Try, percent, short


def _best(seen: Seen) -> str:
    at = min(range(len(seen.predicted)), key=seen.predicted.__getitem__)
    bound, risk = seen.predicted[at], seen.measured[at]
    useful = "which says nothing" if bound >= 1 else f"and its true risk is {percent(risk)}"
    return (
        f"With {seen['N']} samples the best certificate is a risk of at most {percent(bound)}, "
        f"{useful}."
    )


def _price(seen: Seen) -> str:
    n, eps = int(seen["N"]), float(seen["eps"])
    fixed = sqrt(log(2 * sqrt(n) / eps) / (2 * n))
    whole = sqrt((log(int(seen["k"])) + log(2 * sqrt(n) / eps)) / (2 * n))
    return (
        f"Changing nothing costs {short(fixed, 2)} on top of the training risk; settling on one "
        f"of the {seen['k']} predictors costs {short(whole, 2)}."
    )


STORY = Story(
    title="PAC-Bayes by hand",
    teaser="A guarantee for unseen data, from training data alone. It fits on a napkin.",
    claim="generalization/mcallester",
    moves={"N": "samples", "k": "predictors", "eps": "probability of being wrong"},
    ends={"N": (10, 5000), "k": (2, 1000), "eps": (0.001, 0.5)},
    options={"runs": 10},
    figure=1,
    parts=(
        Part(
            "You have a training error. What is the error on data you have not seen? A held-out "
            "set answers that, if you can spare the data. PAC-Bayes answers it without one. The "
            "price depends on how much the data made you change your mind."
        ),
        Part(
            "Before you look, spread your belief over all predictors: the prior. Then let the "
            "data shift it: the posterior. The risk of a predictor drawn from the posterior is at "
            "most its training risk plus the square root of a fraction: the divergence between the "
            "two beliefs over twice the number of samples. The figure shows the bounds as the "
            "belief sharpens from left to right.",
            (
                Try("50 samples", {"N": 50}),
                Try("500", {"N": 500}),
                Try("5000", {"N": 5000}),
            ),
            _best,
        ),
        Part(
            "Sharper beliefs have a lower training risk and a higher price, so the best "
            "certificate is in between. Note what the bound does not ask for: the number of "
            "parameters. That is why it can speak about networks with more weights than data.",
            (),
            _price,
        ),
        Part(
            "For real networks one takes a cloud of weights around the trained ones as the "
            "posterior. If the minimum is flat, the cloud can be wide, the divergence is small, "
            "and the certificate says something. Counting parameters never gets there."
        ),
    ),
    claims={
        "generalization/pac_bayes_recipe": "a certificate for a trained network, step by step",
        "generalization/pac_bayes_vs_vc": "against counting parameters",
        "generalization/pac_bayes_theorem": "the theorem behind all of them",
    },
    picture=Picture("generalization/mcallester", 1, {"N": 500}),
    follows="attack_and_proof",
    exercise="8.5.1",
)
