"""A worker: ``python -m corollary.lab.work KIND PIPE BYTES``."""

import sys
from importlib import import_module

from corollary.lab.work.channel import Channel

KINDS = {"check": "checking", "examine": "examining", "play": "playing", "watch": "watching"}

if __name__ == "__main__":
    kind, pipe, memory = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    channel = Channel(pipe)
    serve = import_module(f"corollary.lab.work.{KINDS[kind]}").serve
    channel.limit_memory(memory)  # after the imports: what torch takes is no part of it
    channel.say(ready=True)
    with channel.told_of_death():
        serve(channel)
