"""The direction of imports. The lists here are the documentation of it.

Imports are read, not run: those in functions and under TYPE_CHECKING count like any other, and so does
`importlib.import_module` of a name that is written out.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "attnlab"

# Each folder may import from those above it. Folders on one line are siblings that do not know each other.
FOLDERS = (
    ("callable_packages",),
    ("errors",),
    ("contents",),
    ("locks",),
    ("files", "mapped", "compiled", "cache_lines"),
    ("arguments",),
    ("ranges",),
    ("settings",),
    ("numbers",),
    ("statistics",),
    ("progress",),
    ("parallel",),
    ("calls",),
    ("records",),
    ("charts",),
    ("attention",),
    ("text",),
    ("data",),
    ("models",),
    ("runs",),
    ("training", "evaluation"),
    ("benches",),
    ("answers",),
    ("claims",),
    ("report",),
    ("observers",),
    ("api",),
    ("cli", "studio"),
)

# The last folder may also import a folder by a name that is not written out: f"attnlab.{module}".
BY_NAME = {"cli": "*"}

# The command line starts the studio, and knows no more of it than this one file.
STARTS = {"cli": "attnlab.studio.serve."}

# The two files beside the folders: what the package offers, by names that are not written out, and how it starts.
BESIDE = {
    "__init__": {"*", "callable_packages", "errors", "records", "report", "api", "answers", "attention"},
    "__main__": {"cli"},
}

# What a folder must leave to others: attention is mathematics, a model is trained on machines that have no more than
# torch, an answer is checked at once, a bench shows nothing, and a chart needs no tensors.
SHOWING = {"altair", "argparse", "IPython", "jinja2", "markupsafe", "rich", "tyro", "vl_convert"}
NEVER = {
    **dict.fromkeys(
        (
            "callable_packages",
            "errors",
            "contents",
            "arguments",
            "locks",
            "files",
            "mapped",
            "compiled",
            "cache_lines",
            "ranges",
            "settings",
            "numbers",
            "statistics",
            "progress",
            "parallel",
            "calls",
            "records",
        ),
        SHOWING | {"torch"},
    ),
    "attention": SHOWING,
    "text": SHOWING | {"torch"},
    "data": SHOWING,
    "models": SHOWING | {"scipy"},
    "runs": SHOWING | {"scipy"},
    "training": SHOWING | {"scipy"},
    "evaluation": SHOWING | {"scipy"},
    "benches": SHOWING,
    "answers": SHOWING | {"torch"},
    "claims": SHOWING,
    "studio": {"rich", "scipy", "torch", "tyro"},
    "report": {"rich", "scipy", "torch", "tyro"},
    "api": {"rich", "tyro"},
}

# Inside these folders, too, leaves do not know those who put them together. Each part may import these others.
PARTS = {
    "attention": {
        "argument_checks": set(),
        "impossible": set(),
        "functional": {"argument_checks"},
        "design": {"functional", "impossible", "argument_checks"},
        "subspaces": {"impossible", "argument_checks"},
        "noise": {"functional", "argument_checks"},
        "constructions": {"functional", "impossible", "argument_checks"},
        "scenario": {"argument_checks", "noise"},
        "descent": {"functional", "argument_checks", "noise"},
        "best_queries": {"descent", "argument_checks", "noise"},
        "remedies": {"best_queries", "argument_checks", "noise", "scenario"},
        "__init__": {
            "best_queries",
            "design",
            "functional",
            "impossible",
            "noise",
            "remedies",
            "scenario",
            "subspaces",
        },
    },
    "answers": {
        "parsing": set(),
        "values": {"parsing"},
        "questions": {"parsing", "values"},
        "ruling": {"parsing", "values", "questions"},
        "checking": {"parsing", "values", "questions", "ruling"},
        "samples": {"checking", "questions"},
        "grading": {"checking", "parsing", "questions"},
        "__init__": {"checking", "grading", "parsing", "questions", "samples"},
    },
}


def test_every_folder_imports_only_from_those_above_it():
    assert wrong_imports(SOURCE) == []


@pytest.mark.parametrize(
    "folder",
    [
        "answers",
        "api",
        "attention",
        "benches",
        "claims",
        "data",
        "evaluation",
        "models",
        "parallel",
        "progress",
        "report",
        "runs",
        "text",
        "training",
    ],
)
def test_nothing_is_printed_but_by_the_doors(folder):
    printing = [
        f"{path.relative_to(SOURCE)}, line {node.lineno}"
        for path in sorted([*(SOURCE / folder).rglob("*.py"), *SOURCE.glob(f"{folder}.py")])
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "sys.stdout.write", "sys.stderr.write")
    ]
    assert printing == []


@pytest.mark.parametrize("folder", PARTS)
def test_inside_a_folder_leaves_do_not_know_the_composer(folder):
    assert wrong_parts(SOURCE / folder) == []


def wrong_imports(source: Path) -> list[str]:
    """The imports that the lists forbid, in words."""
    wrong = []
    for path in sorted(source.rglob("*.py")):
        here, *_ = path.relative_to(source).with_suffix("").parts
        allowed = allowed_folders(here)
        if allowed is None:
            wrong.append(f"{here}: not in the list of folders")
            continue
        for line, name in imports(path, source):
            package, *rest = name.split(".")
            where = f"{path.relative_to(source)}, line {line}"
            if package in NEVER.get(here, ()):
                wrong.append(f"{where}: {here} imports {package}")
            elif name.startswith(STARTS.get(here, name + ".")):
                continue
            elif package == "attnlab" and rest[:1] != ["__version__"] and (rest or [""])[0] not in allowed:
                wrong.append(f"{where}: {here} imports {name}")
    return wrong


def allowed_folders(here: str) -> set[str] | None:
    """The folders of the lab that a folder, or a file beside the folders, may import; None for one not listed."""
    if here in BESIDE:
        return BESIDE[here]
    above: set[str] = set()
    for siblings in FOLDERS:
        if here in siblings:
            return above | {here, BY_NAME.get(here, here)}
        above.update(siblings)
    return None


def wrong_parts(folder: Path) -> list[str]:
    """The imports inside a folder that its own list forbids, in words."""
    wrong = []
    parts = PARTS[folder.name]
    for path in sorted(folder.rglob("*.py")):
        here, *_ = path.relative_to(folder).with_suffix("").parts
        if here not in parts:
            wrong.append(f"{folder.name}/{here}: not in the list of parts")
            continue
        for line, name in imports(path, folder.parent):
            package, inside, *part = f"{name}..".split(".")[:3]
            if (package, inside) == ("attnlab", folder.name) and part[0] not in parts[here] | {here}:
                wrong.append(f"{folder.name}/{path.relative_to(folder)}, line {line}: {here} imports {name}")
    return wrong


def imports(path: Path, source: Path) -> Iterator[tuple[int, str]]:
    """The full name of everything that a file imports, with the line: `attnlab.errors.FileError`, `torch`."""
    package = [source.name, *path.relative_to(source).parent.parts]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*start, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("importlib.import_module", "import_module"):
            name = node.args[0]
            start = name.values[0] if isinstance(name, ast.JoinedStr) else name  # f"attnlab.folder.{file}" will do
            assert isinstance(start, ast.Constant), (
                f"{path}, line {node.lineno}: a module's name that is not written out"
            )
            yield node.lineno, f"{start.value}*" if isinstance(name, ast.JoinedStr) else str(start.value)


# What a small tree does wrong, and what is said of it.
VIOLATIONS = {
    ("errors.py", "from attnlab.attention import attend"): "errors imports attnlab.attention.attend",
    ("attention/functional.py", "import attnlab.data"): "attention imports attnlab.data",
    ("attention/functional.py", "from attnlab import report"): "attention imports attnlab.report",
    ("attention/functional.py", "from .. import cli"): "attention imports attnlab.cli",
    ("attention/functional.py", "from ..cli.design import Design"): "attention imports attnlab.cli.design.Design",
    ("attention/functional.py", "import rich.table"): "attention imports rich",
    ("attention/functional.py", "def f():\n    import tyro"): "attention imports tyro",
    (
        "data/matrices.py",
        "if TYPE_CHECKING:\n    from attnlab.models import Model",
    ): "data imports attnlab.models.Model",
    ("data/matrices.py", "import importlib\nimportlib.import_module('attnlab.cli')"): "data imports attnlab.cli",
    ("training/loop.py", "from attnlab.evaluation import score"): "training imports attnlab.evaluation.score",
    ("evaluation/score.py", "from attnlab.training import loop"): "evaluation imports attnlab.training.loop",
    ("cli/design.py", "from attnlab.studio import routes"): "cli imports attnlab.studio.routes",
    ("cli/design.py", "import attnlab"): "cli imports attnlab",
    ("studio/app.py", "from attnlab.cli import main"): "studio imports attnlab.cli.main",
    ("studio/routes.py", "import torch"): "studio imports torch",
    ("report/charts.py", "from attnlab.api import train"): "report imports attnlab.api.train",
    ("benches/language.py", "from attnlab.report import charts"): "benches imports attnlab.report.charts",
    ("benches/language.py", "from attnlab.cli.language import train"): "benches imports attnlab.cli.language.train",
    ("benches/language.py", "def f():\n    from rich.table import Table"): "benches imports rich",
    ("benches/language.py", "import jinja2"): "benches imports jinja2",
    ("claims/ledger.py", "from attnlab.report import findings"): "claims imports attnlab.report.findings",
    ("api/language.py", "from attnlab.cli import main"): "api imports attnlab.cli.main",
    ("report/charts.py", "from torch import Tensor"): "report imports torch",
    ("utils/odds.py", ""): "utils: not in the list of folders",
    ("odds.py", ""): "odds: not in the list of folders",
    ("__init__.py", "from attnlab.cli import main"): "__init__ imports attnlab.cli.main",
}


@pytest.mark.parametrize(("file", "code"), VIOLATIONS)
def test_a_wrong_import_is_found(tmp_path, file, code):
    source = small_tree(tmp_path)
    assert wrong_imports(source) == []
    (source / file).parent.mkdir(exist_ok=True)
    (source / file).write_text(code)
    (said,) = wrong_imports(source)
    assert said.endswith(VIOLATIONS[file, code])


@pytest.mark.parametrize(
    ("file", "code", "expected"),
    [
        (
            "functional.py",
            "from attnlab.attention.noise import noisy_keys",
            "functional imports attnlab.attention.noise",
        ),
        (
            "noise/keys.py",
            "def f():\n    from ..best_queries import best_scale",
            "noise imports attnlab.attention.best_queries.best",
        ),
        ("noise/keys.py", "from attnlab.attention import attend", "noise imports attnlab.attention.attend"),
        ("noise/keys.py", "import attnlab.attention", "noise imports attnlab.attention"),
        ("odds.py", "", "attention/odds: not in the list of parts"),
    ],
)
def test_a_leaf_that_knows_the_composer_is_found(tmp_path, file, code, expected):
    source = small_tree(tmp_path)
    assert wrong_parts(source / "attention") == []
    (source / "attention" / file).parent.mkdir(exist_ok=True)
    (source / "attention" / file).write_text(code)
    (said,) = wrong_parts(source / "attention")
    assert expected in said


def small_tree(folder: Path) -> Path:
    """A package in which every import is right."""
    source = folder / "attnlab"
    for name, code in {
        "__init__.py": "from attnlab.errors import AttnlabError",
        "errors.py": "from pathlib import Path",
        "attention/__init__.py": "from attnlab.attention.functional import attend",
        "attention/functional.py": "import torch\nfrom attnlab.errors import FileError\nfrom . import argument_checks",
        "attention/argument_checks.py": "",
        "report/charts.py": "import altair\nfrom attnlab.errors import FileError\nfrom attnlab.report import look",
        "cli/__init__.py": "from attnlab import __version__, attention\nfrom ..report import charts",
        "cli/studio.py": "from attnlab.studio.serve import serve",
    }.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(code)
    return source


HEAVY = (
    "altair",
    "distributed",
    "joblib",
    "pydantic",
    "jaxtyping",
    "jinja2",
    "numba",
    "numpy",
    "pooch",
    "requests",
    "safetensors",
    "scipy",
    "tokenizers",
    "torch",
    "vl_convert",
)


@pytest.mark.parametrize(
    "code",
    [
        "import attnlab",
        "import attnlab.cli",
        "from attnlab.cli import main; main(['--help'])",
        "from attnlab.cli import main; main(['run', '--help'])",
        "from attnlab.cli import main; main(['claims', '--help'])",
        "from attnlab.cli import main; main(['data', '--help'])",
        "from attnlab.cli import main; main(['design', '--keys'])",
    ],
)
def test_nothing_heavy_is_imported_before_it_is_needed(code):
    """So `attnlab --help` answers at once."""
    assert loaded(code) == set()


def test_help_with_defaults_needs_their_settings_and_no_more():
    assert loaded("from attnlab.cli import main; main(['robustness', '--help'])") == {"pydantic"}


def test_what_is_heavy_is_imported_when_it_is_needed():
    """Else the test above could not fail."""
    assert {"torch", "numpy", "scipy"} <= loaded("import attnlab; attnlab.attention")
    assert {"altair", "vl_convert"} <= loaded("import attnlab.report.charts.figures, attnlab.report.charts.files")


def test_the_report_brings_no_torch():
    files = (path.relative_to(SOURCE.parent).with_suffix("") for path in (SOURCE / "report").rglob("[!_]*.py"))
    modules = ", ".join(".".join(path.parts) for path in files)
    assert "torch" not in loaded(f"import {modules}")


def test_text_brings_no_torch_and_byte_pairs_their_library_when_they_are_used():
    train = "import attnlab.text; attnlab.text.train_tokenizer"
    assert loaded(f"{train}('words', 'a b')") == {"jaxtyping", "numpy", "pydantic"}
    assert loaded(f"{train}('byte-pairs', 'a b')") == {"jaxtyping", "numpy", "tokenizers"}
    data = "import attnlab.data.tokens.epochs, attnlab.data.texts.loading, attnlab.data.tokens.files"
    assert loaded(data) == {"jaxtyping", "numpy"}


def loaded(code: str) -> set[str]:
    """The heavy modules that are loaded after some code, in a fresh process."""
    code = f"{code}\nimport sys; print(); print('loaded', *sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(ran.stdout.splitlines()[-1].split()[1:]).intersection(HEAVY)
