"""What is measured of a run, each from passes that the loop makes anyway or a few products."""
