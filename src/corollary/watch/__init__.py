"""The monitor inside a training loop: measurements, events, and where they are written.

The name ``corollary.watch`` is the function :func:`corollary.watch.watcher.watch`. Hooks follow the
loop (``hooks``, ``backward_calls``), ``measure`` turns a step into numbers, ``detect`` turns
numbers into events, ``sinks`` write both.
"""
