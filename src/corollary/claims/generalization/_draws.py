"""Whether repeated samples look like independent draws."""

from jaxtyping import Float
from torch import Tensor


def are_independent(values: Float[Tensor, "t n"]) -> tuple[bool, str]:
    """Whether the mean of a row varies as that of n independent values would: by 1/n of them."""
    t, n = values.shape
    ratio = float(n * values.mean(dim=1).var() / values.var())
    words = f"the mean of n = {n} varies by {ratio:.3g}/n of the variance"
    return abs(ratio - 1) < 10 * (2 / t) ** 0.5, words  # 10 standard errors of a normal variance
