"""Numbers and tensors in the sentences that results are printed as."""

from torch import Tensor


def span(values: Tensor) -> str:
    """The smallest and the largest entry.

    Example:
        >>> import torch
        >>> span(torch.tensor([[0.25, 3.0], [1.0, 2.0]])), span(torch.ones(2)), span(torch.ones(0))
        ('0.25 to 3', '1', 'none')
    """
    if values.numel() == 0:
        return "none"
    low, high = (f"{float(end):.4g}" for end in values.detach().aminmax())
    return low if low == high else f"{low} to {high}"


def sizes(values: Tensor) -> str:
    """The shape, as one says it.

    Example:
        >>> import torch
        >>> sizes(torch.ones(3, 5)), sizes(torch.ones(4))
        ('3 x 5', '4')
    """
    return " x ".join(map(str, values.shape))


def percent(share: float) -> str:
    """A share of one as a percentage.

    Example:
        >>> percent(0.5), percent(1.0), percent(0.0123)
        ('50 %', '100 %', '1.23 %')
    """
    return f"{100 * share:.3g} %"
