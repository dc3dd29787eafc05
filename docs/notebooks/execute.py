"""Run the notebooks of this folder again and store what they show: `make notebooks`.

Each notebook runs in an empty folder of its own, so that what it writes is nowhere else, and no stored output names a
folder of this machine.
"""

import hashlib
import os
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode
from traitlets.config import Config

HERE = Path(__file__).parent
SECONDS = 300
"""The most that one cell may take."""
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
}


def notebooks() -> list[Path]:
    """Every notebook of this folder."""
    return sorted(HERE.glob("*.ipynb"))


def read(path: Path) -> NotebookNode:
    """A notebook as it is stored."""
    return nbformat.read(path, as_version=4)


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """The cells that run."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def code_hash(notebook: NotebookNode) -> str:
    """The hash of a notebook's code. It is stored beside the output, and says which code the output is of."""
    return hashlib.sha256("\n\n".join(cell.source for cell in code_cells(notebook)).encode()).hexdigest()


def execute(path: Path, folder: Path) -> NotebookNode:
    """Run a notebook in a folder, from the first cell to the last; an error in a cell is raised.

    The kernel has one thread, and nobody's IPython settings.
    """
    notebook = read(path)
    for cell in code_cells(notebook):
        cell.outputs, cell.execution_count = [], None
    with tempfile.TemporaryDirectory() as own:
        client = NotebookClient(
            notebook,
            timeout=SECONDS,
            record_timing=False,
            coalesce_streams=True,
            resources={"metadata": {"path": str(folder)}},
            config=_transport(Path(own)),
        )
        client.execute(env=os.environ | {"OMP_NUM_THREADS": "1", "IPYTHONDIR": own})
    for cell in code_cells(notebook):
        cell.outputs = [output for output in cell.outputs if not _is_empty(output)]
    notebook.metadata = nbformat.from_dict(METADATA | {"attnlab": {"code": code_hash(notebook)}})
    return notebook


def _transport(folder: Path) -> Config:
    """How the kernel is talked to: by sockets in a folder of our own, where the system has them, else by ports."""
    sockets = {"transport": "ipc", "ip": str(folder / "kernel")}
    return Config({"KernelManager": sockets} if os.name == "posix" else {})


def _is_empty(output: NotebookNode) -> bool:
    """Whether nothing is left of an output: a progress bar is taken away when its work is done."""
    return output.output_type == "display_data" and output.data.get("text/html") == ""


def main() -> None:
    """Run every notebook and store it."""
    for path in notebooks():
        with tempfile.TemporaryDirectory() as folder:
            notebook = execute(path, Path(folder))
        nbformat.write(notebook, path)
        print(f"{path.name}: {path.stat().st_size / 1000:,.0f} kB")


if __name__ == "__main__":
    main()
