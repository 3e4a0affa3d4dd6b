"""The monitor inside a training loop: what is measured, what is said, where it is written.

The name ``corollary.watch`` is the function :func:`corollary.watch.watcher.watch`. Hooks see the
loop (``hooks``, ``backward_calls``), ``measure`` turns a step into numbers, ``detect`` turns
numbers into events, ``sinks`` write both.
"""
