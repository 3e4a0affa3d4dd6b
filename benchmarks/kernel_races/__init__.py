"""The races of kernels.py: networks of infinite and of finite width."""
