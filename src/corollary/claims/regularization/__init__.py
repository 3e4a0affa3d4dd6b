"""Regularization: why one of many perfect fits is found.

A network with more weights than data has many weights that fit. Which of them is found is decided
by the method: gradient descent stays in the span of the data and ends at the nearest solution, or,
where the loss has no minimiser, goes off in the direction of the largest margin. Stopping early,
dropping units and shrinking weights say aloud what descent does in silence, and each of them can be
written as a penalty. This chapter measures all of it, down to the constants.
"""
