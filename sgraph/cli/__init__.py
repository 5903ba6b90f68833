"""The command line: `sgraph`. Each command is a function from a Door to what it shows; see `sgraph.cli.door`."""


def main() -> None:
    """Run the command line; exit with the code that docs/cli.md lists."""
    from sgraph.cli.app import app

    app(prog_name="sgraph")
