"""attnlab studio: the lab in a browser."""

from typing import Annotated

from tyro.conf import Positional

from attnlab.cli.command import Command, command, shown


@command
class Studio(Command):
    """The lab in a browser: a page on this machine, for this user alone.

    Its pages let you drag keys and queries, train language models and watch them, look inside a model, test claims,
    read reviews with a classifier, ask a model for facts, and check answers. Each page shows the command that makes its
    numbers again. Nothing leaves the machine. The address has a token in it, so that other users of the machine cannot
    open the page. Ctrl-C ends the server; jobs that were started on the page go on, and are there again when the studio
    is.

    Example: attnlab studio --no-browser
    """

    folder: Positional[Annotated[str, shown("[FOLDER]")]] = "."
    """The folder to work in (default: this one); or a model to open here, a run or hf:FOLDER."""
    port: Annotated[int, shown("N")] = 0
    """The port (default: 8765 or, if it is taken, any free port)."""
    no_browser: bool = False
    """Print the address, and open no browser."""
    json: bool = False
    """Print the address as one JSON value."""

    def run(self) -> None:
        """Serve until Ctrl-C."""
        from attnlab.studio.serve import serve

        serve(self.folder, port=self.port, browser=not self.no_browser, as_json=self.json)
