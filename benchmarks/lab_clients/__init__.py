"""A lab as a process, and clients that talk to it over real sockets."""

from lab_clients.client import Client, Refused
from lab_clients.process import LabProcess

__all__ = ["Client", "LabProcess", "Refused"]
