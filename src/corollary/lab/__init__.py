"""The lab: a live local page on which claims run, small networks train, and yours is examined.

The server answers on this machine alone and imports no torch; all work runs in processes of its
own, within limits of time and memory, and may be stopped at any moment.
"""
