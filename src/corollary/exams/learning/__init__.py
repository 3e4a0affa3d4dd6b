"""How does it learn?

Whether the network stays near its linearisation and learns like a kernel machine, or changes its
features; which samples its kernel can distinguish; and its predicted and real training curves.
"""
