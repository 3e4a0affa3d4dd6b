"""``python -m corollary`` is the command line."""

from corollary.cli import main

if __name__ == "__main__":
    main()
