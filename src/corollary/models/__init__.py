"""The architectures of the notes, one file each."""
