"""`python -m sgraph`: the command line."""

from sgraph.cli import main

if __name__ == "__main__":
    main()
