"""Which steps are followed closely: all at first, then a few in a row from time to time.

A mistake in a loop occurs at every step, so a sample of steps finds it. On the other steps only
the loss, the learning rate and the batch are read.
"""

from dataclasses import dataclass

GOLDEN = 0.6180339887  # multiples of it fall into no rhythm with the loop's own


@dataclass
class Attention:
    """Decides at the end of each step whether the next one is followed closely.

    Args:
        first: The number of first steps, all of which are followed.
        window: The number of consecutive steps that are followed later, once in ``every`` steps.
        every: The number of steps per window.

    Example:
        >>> attention = Attention(first=4, window=2, every=8)
        >>> [step for step in range(24) if attention.plan(step)]
        [0, 1, 2, 3, 11, 12, 17, 18]
    """

    first: int = 200
    window: int = 16
    every: int = 160
    on: bool = True  # whether the present step is followed
    always: bool = False
    _until: int = 0

    def plan(self, step: int) -> bool:
        """Decide on ``step``, counted from the start of the watch."""
        block, place = divmod(step, self.every)
        start = int((block * GOLDEN) % 1 * (self.every - self.window))
        sampled = start <= place < start + self.window
        self.on = self.always or step < max(self.first, self._until) or (block > 0 and sampled)
        return self.on

    def wake(self, step: int) -> None:
        """Something unusual happened, such as an evaluation: follow the next steps."""
        if step >= self._until + self.every:  # not again and again
            self._until = step + self.window
