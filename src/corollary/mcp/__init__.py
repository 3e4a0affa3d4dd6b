"""Assistants: the catalogue, examinations and watched runs over the Model Context Protocol.

``corollary mcp`` speaks it on standard input and output. The server itself imports no torch until
an examination or a record is asked for; claims and the user's code run in processes with limits.
"""
