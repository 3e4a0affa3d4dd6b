"""Stories: short pages of prose around one live figure, a file each."""
