"""The command line: `sgraph`. Each command is a function from a Door to what it shows; see `sgraph.cli.door`."""

import io
import sys


def main() -> None:
    """Run the command line; exit with the code that docs/cli.md lists."""
    from sgraph.cli.app import app

    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):  # whatever the locale, no character of a message ends a command
            stream.reconfigure(errors=errors)
    app(prog_name="sgraph")
