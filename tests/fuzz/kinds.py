"""The kinds of inputs: each writes hostile files into a folder, and returns the command line that reads them."""

import csv
import io
import json
import shutil
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from random import Random

import numpy as np
from tests.fuzz.mutation import ODD, json_bytes, mutated_bytes, mutated_json, mutated_text

GOLDEN = Path(__file__).parents[1] / "golden"
Kind = Callable[[Random, Path], list[str]]
PIECES = (
    "q", "=", "C", "k_a", "k_b", "(", ")", "+", "-", "/", "^", "^T", "{", "}", "2", "softmax", "\\frac", "Σ_{i≠a,b}",
    "μ_i",
    "n", "e^", "≫ 0", ",", ";", "1", "0", "A", "\\sum_{i}", "ln", "sqrt", "∞", "→", "≈", "|", "||", "γ", "_", "\\{a}",
    "   ",
    "for all i ≠ j", "d", "1/", "V", "M", "u_a", "u_a^T", "⊙", "'", ".", "10^9",
)  # fmt: skip


@cache
def problems() -> dict[str, str]:
    """The lab's own problems as TOML."""
    folder = files("attnlab.answers").joinpath("problems")
    return {each.name.removesuffix(".toml"): each.read_text(encoding="utf-8") for each in folder.iterdir()}


@cache
def answers() -> list[tuple[str, str]]:
    """Sample answers with their problems."""
    from attnlab.answers.questions.loading import problems as own

    return [(name, sample.answer) for name, problem in own().items() for sample in problem.samples]


def formula(draws: Random) -> tuple[str, str]:
    """A problem and an answer to it: a sample that was changed, or pieces of formulas in any order."""
    problem, answer = draws.choice(answers())
    if draws.random() < 0.4:
        count = draws.choice((3, 8, 20, 200))
        return problem, draws.choice(("", "q = ")) + draws.choice(("", " ")).join(draws.choices(PIECES, k=count))
    return problem, mutated_text(answer, draws)


def formulas(draws: Random, folder: Path) -> list[str]:
    problem, answer = formula(draws)
    return ["check", problem, f" {answer}".replace("\0", "")]


def problem_content(draws: Random) -> tuple[str, bytes]:
    """A problem of the lab as a teacher's file, changed."""
    name, text = draws.choice(sorted(problems().items()))
    mixed = draws.random()
    new = mutated_bytes(text.encode(), draws) if mixed < 0.3 else mutated_text(text, draws).encode("utf-8", "replace")
    if mixed > 0.7:  # lines of another problem
        lines = text.splitlines()
        lines.insert(draws.randrange(len(lines)), draws.choice(draws.choice(list(problems().values())).splitlines()))
        new = "\n".join(lines).encode()
    return f"{name}.toml", new


def problem_files(draws: Random, folder: Path) -> list[str]:
    name, content = problem_content(draws)
    (folder / name).write_bytes(content)
    return ["check", "--problem", str(folder / name)]


def class_content(draws: Random) -> tuple[str, bytes]:
    """The answers of a class, some of them hostile."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["student", "problem", "answer"])
    for number in range(draws.choice((1, 3, 3, 6))):
        writer.writerow([draws.choice(("Ada", *ODD)), *formula(draws)] if number else ["Ada", *draws.choice(answers())])
    content = text.getvalue().encode("utf-8", "replace")
    return "class.csv", mutated_bytes(content, draws) if draws.random() < 0.5 else content


def classes(draws: Random, folder: Path) -> list[str]:
    name, content = class_content(draws)
    (folder / name).write_bytes(content)
    return ["check", "--answers", str(folder / "class.csv")]


def matrix_content(draws: Random) -> tuple[str, bytes]:
    """Keys in a file of any format."""
    shape = draws.choice(((2, 2), (3, 2), (5, 3), (1, 1), (8, 4), (3, 1)))
    scale = 10.0 ** draws.choice((0, 0, 0, 9, -9, 150, -150, 300))
    array = np.array([draws.choice((draws.gauss(0, 1), 0.0, 1.0, -1.0)) for _ in range(shape[0] * shape[1])])
    array = np.nan_to_num(array * scale).reshape(shape)
    ending = draws.choice(("csv", "csv", "npy", "safetensors"))
    raw = io.BytesIO()
    if ending == "npy":
        with np.errstate(all="ignore"):
            np.save(raw, array.astype(draws.choice(("f8", "f4", "i4"))))
    elif ending == "safetensors":
        from safetensors.numpy import save

        raw.write(save({"keys": array}))
    else:
        np.savetxt(raw, array, delimiter=",")
    content = raw.getvalue()
    if ending == "csv" and draws.random() < 0.4:
        content = mutated_text(content.decode(), draws).encode("utf-8", "replace")
    return f"keys.{ending}", mutated_bytes(content, draws) if draws.random() < 0.4 else content


def matrices(draws: Random, folder: Path) -> list[str]:
    name, content = matrix_content(draws)
    path = folder / name
    path.write_bytes(content)
    number = draws.choice(("0", "1", "-1", "7", "x", "10000000000000000000"))
    wanted = draws.choice((["--copy", number], ["--mix", f"0=0.5,{number}=0.5"], ["--mix", draws.choice(ODD)]))
    if draws.random() < 0.2:
        return [
            "weigh",
            "--keys",
            str(path),
            "--queries=1,1",
            "--mix",
            "0=1",
            "--isotropic",
            draws.choice(("0", "0.1")),
        ]
    return ["design", "--keys", str(path), *(each.replace("\0", "") for each in wanted)]


def text_content(draws: Random) -> tuple[str, bytes]:
    """A text of up to 3 kB, changed; or one of odd characters."""
    base = (GOLDEN / "text.txt").read_bytes()[:3_000]
    if draws.random() < 0.3:
        base = "".join(draws.choices((*ODD, " ", "\n", "word ", "ACGT" * 50), k=60)).encode("utf-8", "surrogateescape")
    return "text.txt", mutated_bytes(base, draws)


def texts(draws: Random, folder: Path) -> list[str]:
    name, content = text_content(draws)
    path = folder / name
    path.write_bytes(content)
    model = draws.choice(("ngram", "ngram", "words", "bigram"))
    if draws.random() < 0.4:
        return ["perplexity", str(GOLDEN / model), "--text", str(path), *draws.choice(([], ["--explain"]))]
    if draws.random() < 0.2:
        return ["score", str(GOLDEN / model), "--file", str(path)]
    tokens = draws.choice(("characters", "bytes", "words", "byte-pairs"))
    words = ["train", str(path), "--model", "ngram", "--tokens", tokens, "--out", str(folder / "run")]
    return [*words, *(["--tokens.vocabulary", "300"] if tokens == "byte-pairs" else [])]


def table_content(draws: Random) -> tuple[str, bytes]:
    """A table of labelled texts in any format, changed."""
    rows = [("label", "text"), ("pos", "a superb film"), ("neg", "a dull, bad film"), ("pos", 'it "works"')]
    ending = draws.choice(("csv", "tsv", "jsonl"))
    if ending == "jsonl":
        text = "\n".join(json.dumps({"label": label, "text": each}) for label, each in rows[1:])
    else:
        glue = "," if ending == "csv" else "\t"
        text = "\n".join(glue.join(f'"{each}"' if "," in each else each for each in row) for row in rows)
    content = text.encode() if draws.random() < 0.5 else mutated_text(text, draws).encode("utf-8", "replace")
    return f"table.{ending}", mutated_bytes(content, draws)


def tables(draws: Random, folder: Path) -> list[str]:
    name, content = table_content(draws)
    path = folder / name
    path.write_bytes(content)
    command = draws.choice(("evaluate", "evaluate", "predict", "explain"))
    return ["classify", command, str(GOLDEN / "classifier"), str(path)]


def facts_files() -> dict[str, str]:
    """The three files of a folder of facts."""
    lines = "".join(f"Ada {name}. Ada {name} was born in {place}.\n" for name, place in PEOPLE)
    asked = [f"Where was Ada {name} born?\t{place}\n" for name, place in PEOPLE]
    return {"lines.txt": lines, "training.tsv": "".join(asked[:6]), "held_out.tsv": "".join(asked[6:])}


def facts_content(draws: Random) -> dict[str, bytes]:
    """The three files of a folder of facts, one or two of them changed."""
    found = {name: text.encode() for name, text in facts_files().items()}
    for name in draws.sample(sorted(found), draws.choice((1, 1, 2))):
        if draws.random() < 0.7:
            found[name] = mutated_text(found[name].decode(), draws).encode("utf-8", "replace")
        else:
            found[name] = mutated_bytes(found[name], draws)
    return found


def facts(draws: Random, folder: Path) -> list[str]:
    """Read by a command that then finds a setting wrong, so that nothing is trained."""
    for name, content in facts_content(draws).items():
        (folder / name).write_bytes(content)
    return ["knowledge", "pretrain", str(folder), "--model.width", "1000000000000", "--out", str(folder / "run")]


PEOPLE = [(f"{first}{last}", place) for first in "BCDF" for last in ("erg", "ohn") for place in ("Oslo",)]


def changed_file(name: str, content: bytes, draws: Random) -> bytes:
    """The content of a file of a run or a model, changed: a JSON value, a line of JSON, or bytes of a header."""
    if name.endswith(".json") and draws.random() < 0.8:
        return json_bytes(mutated_json(json.loads(content), draws), draws)
    if name.endswith(".jsonl") and draws.random() < 0.8:
        lines = content.splitlines()
        at = draws.randrange(len(lines))
        lines[at] = json_bytes(mutated_json(json.loads(lines[at]), draws), draws)
        return b"\n".join(lines)
    length = min(len(content), draws.choice((8, 200, 2_000, len(content))))
    return mutated_bytes(content[:length], draws) + content[length:]


def runs(draws: Random, folder: Path) -> list[str]:
    """One file of a run is changed: config, metrics, tokenizer, features, result, plan or a header of weights."""
    name, words = draws.choice(
        (("ngram", ["sample", "--length", "3"]), ("transformer", ["sample", "--length", "3"]), ("words", ["runs"]),
         ("recurrent", ["score", "to be"]),
         ("recurrent", ["sample", "--length", "3"]), ("classifier", ["classify predict", "a good film"]),
         ("people-known", ["knowledge ask", "Where was Ada born?"]), ("sweep", ["knowledge run", "--resume"]),
         ("stopped", ["runs"]), ("bigram", ["runs"]), ("transformer", ["train", "--resume"]))
    )  # fmt: skip
    run = Path(shutil.copytree(GOLDEN / name, folder / name))
    path = draws.choice(sorted(each for each in run.rglob("*") if each.is_file()))
    path.write_bytes(changed_file(path.name, path.read_bytes(), draws))
    command, *options = words
    if options == ["--resume"]:  # of what is finished: it draws the curves
        return [*command.split(), "--resume", str(run)]
    return [*command.split(), str(run), *options]


def hugging_face(draws: Random, folder: Path) -> list[str]:
    """A folder in GPT-2's layout with one file changed."""
    model = write_model(folder / "model")
    path = draws.choice(sorted(model.iterdir()))
    path.write_bytes(changed_file(path.name, path.read_bytes(), draws))
    (folder / "text.txt").write_text("To be, or not to be. " * 3)
    return ["sample", f"hf:{model}", "--length", "3"]


@cache
def model_files() -> dict[str, bytes]:
    """A small model in GPT-2's layout: its files by name."""
    from safetensors.torch import save

    from attnlab.models.layouts.gpt2 import as_gpt2
    from attnlab.models.transformer import GPT2, Transformer
    from attnlab.settings import changed
    from attnlab.text.library import library_files
    from attnlab.text.tokenizers import train_tokenizer

    tokens = train_tokenizer("byte-pairs", "low lower lowest " * 9, vocabulary=262)
    layout = as_gpt2(Transformer(changed(GPT2, {"layers": 1, "heads": 2, "width": 8, "context": 16}), tokens.size))
    own = {"config.json": json.dumps(layout.config).encode(), "model.safetensors": save(layout.tensors)}
    return own | library_files(tokens)


def write_model(folder: Path) -> Path:
    """Write the model into a new folder."""
    folder.mkdir()
    for name, content in model_files().items():
        (folder / name).write_bytes(content)
    return folder


# Not 1_000, which is a number: nobody waits here for a thousand layers or seeds.
NUMBERS = (
    *(each for each in ODD if "\0" not in each and each != "1_000"),
    "1_0",
    "1e9",
    "1000000000",
    "1" * 30,
    "0.5",
    "-5",
)
SETTINGS = (
    "model.layers", "model.heads", "model.width", "model.context", "model.latents", "model.feed", "batch", "seed",
    "model.dropout", "rate", "clip", "tokens.vocabulary", "tokens", "model", "precision", "validate-every",
    "averaging", "seeds", "threads", "model.mixer", "warmup", "optimiser",
)  # fmt: skip


NOISE = ("scale", "norm-variance", "isotropic", "samples", "seed", "sink")
OPTIONS = {
    "robustness --keys 3": ("keys", "heads", *NOISE),
    "weigh --keys {keys} --queries=1,1 --mix 0=1": ("queries", "mix", "noisy", "key", *NOISE),
    "design --keys {keys} --copy 0": ("copy", "mix", "tolerance", "norm", "tensor"),
    "design --keys {keys}": ("copy", "mix"),
    "sample {golden}/ngram": ("temperature", "top-k", "top-p", "seed", "prompt"),
    "sample {golden}/recurrent --length 3": ("temperature", "top-k", "top-p", "seed", "prompt", "probabilities"),
    "score {golden}/recurrent --file {text}": ("likeliest", "context", "stride"),
    "perplexity {golden}/recurrent --text {text}": ("context", "stride", "precision", "preprocess", "device", "jobs"),
    "check copy k_a": ("problem", "answers", "out", "list"),
    "classify train {golden}/table.tsv --epochs 1 --model.dim 4 --out {run}": (
        "batch", "rate", "patience", "decay", "smoothing", "validation", "seeds", "threads", "model.dim", "seed",
        "features.vocabulary", "features.ngrams", "features.buckets", "recipe", "vectors",
    ),
    "knowledge pretrain --people 4 --steps 1 --batch 2 --model.layers 1 --model.width 8 --model.heads 2 --out {run}": (
        "people", "distractors", "batch", "rate", "seed", "objectives", "recipe", "model.layers", "model.heads",
        "model.width", "model.context", "world.rewrites", "world.orders", "world.resembling", "world.seed",
    ),
}  # fmt: skip
"""Commands, each with options that get a number."""
TRAIN = "train {text} --model.layers 1 --model.width 8 --model.heads 2 --steps 1 --out {run}"


def options(draws: Random, folder: Path) -> list[str]:
    """Numbers that no option expects."""
    places = {"golden": GOLDEN, "text": folder / "text.txt", "keys": folder / "keys.csv", "run": folder / "run"}
    places["text"].write_bytes((GOLDEN / "text.txt").read_bytes()[:2_000])
    places["keys"].write_text("1,0\n0,1\n")
    line = TRAIN if draws.random() < 0.4 else draws.choice(sorted(OPTIONS))
    number = draws.choice(NUMBERS)
    names = draws.sample(OPTIONS.get(line, SETTINGS), draws.choice((1, 1, 2)))
    return [*(word.format(**places) for word in line.split()), *(f"--{name}={number}" for name in names)]


def arpa(draws: Random, folder: Path) -> list[str]:
    """A small ARPA file with bytes, words or lines changed."""
    words = ("<unk>", "<s>", "</s>", "to", "be", "or", "not")
    pairs = [("<s>", "to"), ("to", "be"), ("be", "or"), ("or", "not"), ("not", "to"), ("be", "</s>")]
    lines = ["\\data\\", f"ngram 1={len(words)}", f"ngram 2={len(pairs)}", "", "\\1-grams:"]
    lines += [f"-{draws.random():.4f}\t{word}\t-{draws.random():.4f}" for word in words]
    lines += ["", "\\2-grams:", *(f"-{draws.random():.4f}\t{' '.join(pair)}" for pair in pairs), "", "\\end\\"]
    if draws.random() < 0.4:
        place = draws.randrange(len(lines))
        lines[place] = draws.choice((*ODD, draws.choice(lines), lines[place] + "\t9", "ngram 9=999999999999"))
    text = "\n".join(lines) + "\n"
    content = (
        mutated_text(text, draws).encode("utf-8", "replace")
        if draws.random() < 0.3
        else text.encode("utf-8", "replace")
    )
    (folder / "model.arpa").write_bytes(mutated_bytes(content, draws) if draws.random() < 0.4 else content)
    (folder / "text.txt").write_text("to be or not to be\n")
    command = draws.choice((["sample", "--length", "3"], ["perplexity", "--text", str(folder / "text.txt")]))
    return [command[0], str(folder / "model.arpa"), *command[1:]]


KINDS: dict[str, Kind] = {
    "formulas": formulas,
    "problems": problem_files,
    "classes": classes,
    "matrices": matrices,
    "texts": texts,
    "tables": tables,
    "facts": facts,
    "runs": runs,
    "hf": hugging_face,
    "options": options,
    "arpa": arpa,
}
"""The kinds that a command line reads. Requests to the studio are in requests.py."""
