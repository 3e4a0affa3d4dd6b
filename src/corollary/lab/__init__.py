"""The lab: a local web page for running claims, training small networks, and examining your own.

The server answers on this machine alone and imports no torch; all work runs in processes of its
own, within limits of time and memory, and may be stopped at any moment.
"""
