"""A server for AI assistants, which offers the catalogue, examinations and watched runs by MCP.

``corollary mcp`` uses the protocol on standard input and output. The server imports torch only when
an examination or a record is requested. Claims and the user's code run in processes with limits.
"""
