"""PAC-Bayes by hand."""

from math import log, sqrt

from corollary.lab.stories.story import Part, Picture, Seen, Story, Try, percent, short


def _best(seen: Seen) -> str:
    at = min(range(len(seen.predicted)), key=seen.predicted.__getitem__)
    bound, risk = seen.predicted[at], seen.measured[at]
    useful = "which is useless" if bound >= 1 else f"and the true risk is {percent(risk)}"
    return (
        f"With {seen['N']} samples, the best certificate is a risk of at most {percent(bound)}, "
        f"{useful}."
    )


def _price(seen: Seen) -> str:
    n, eps = int(seen["N"]), float(seen["eps"])
    fixed = sqrt(log(2 * sqrt(n) / eps) / (2 * n))
    whole = sqrt((log(int(seen["k"])) + log(2 * sqrt(n) / eps)) / (2 * n))
    return (
        f"The price is added to the training risk. If the posterior equals the prior, the price is "
        f"{short(fixed, 2)}; if it is a single one of the {seen['k']} predictors, the price is "
        f"{short(whole, 2)}."
    )


STORY = Story(
    title="PAC-Bayes by hand",
    teaser="A guarantee for unseen data, computed by hand from the training data alone.",
    claim="generalization/mcallester",
    moves={"N": "samples", "k": "predictors", "eps": "probability that the bound fails"},
    ends={"N": (10, 5000), "k": (2, 1000), "eps": (0.001, 0.5)},
    options={"runs": 10},
    figure=1,
    parts=(
        Part(
            "You have a training error. What is the error on data you have not seen? A held-out "
            "set tells you, if you can spare the data. PAC-Bayes gives an upper bound without a "
            "held-out set. The price of this bound depends on how much the data changed your "
            "belief."
        ),
        Part(
            "Before you look at the data, spread your belief over all predictors. This is the "
            "prior. The data then change your belief to the posterior. The risk of a predictor "
            "drawn from the posterior is at most its training risk plus a price. Up to a "
            "logarithmic term, the price is :math:`\\sqrt{\\mathrm{KL}/(2N)}`, where KL is the "
            "divergence of the posterior from the prior, and :math:`N` is the number of samples. "
            "From left to right in the figure, the posterior gets more concentrated.",
            (
                Try("50 samples", {"N": 50}),
                Try("500", {"N": 500}),
                Try("5000", {"N": 5000}),
            ),
            _best,
        ),
        Part(
            "A more concentrated posterior has a lower training risk and a higher price, so the "
            "best certificate is in between. The number of parameters does not appear in the "
            "bound. So the bound can be useful for networks with more weights than samples.",
            (),
            _price,
        ),
        Part(
            "For real networks, the posterior is a normal distribution around the trained weights. "
            "If the minimum is flat, this distribution can be wide, the divergence is small, and "
            "the certificate is useful. Bounds that count parameters are useless for such networks."
        ),
    ),
    claims={
        "generalization/pac_bayes_recipe": "a certificate for a trained network, step by step",
        (
            "generalization/pac_bayes_vs_vc"
        ): "the PAC-Bayes bound compared with a bound that counts parameters",
        "generalization/pac_bayes_theorem": "the theorem behind all PAC-Bayes bounds",
    },
    picture=Picture("generalization/mcallester", 1, {"N": 500}),
    follows="attack_and_proof",
    exercise="8.5.1",
)
