"""How does it learn?

Whether the network stays near its linearisation and learns like a kernel machine, or moves its
features; what its kernel can tell apart; and its training curve, predicted and real.
"""
