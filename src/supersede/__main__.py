"""`python -m supersede`: the command, where its script is not on the path."""

from supersede.cli.main import main

if __name__ == "__main__":
    main()
