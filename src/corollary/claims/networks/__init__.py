"""Networks: layers, losses and the backward pass.

From units to networks: what a layer computes and which parameters give the same function, the
losses that networks are trained with and what each of them asks for, how backpropagation gets every
derivative at the price of two forward passes, and what linear, residual and dense connections add.
"""
