"""Every answer of the studio is what /api/docs says of it."""

import json
import shutil
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter
from starlette.testclient import TestClient
from tests.studio.conftest import asking
from tests.studio.test_answers import MINE
from tests.studio.test_reviews import GOLDEN, train_small
from tests.studio.test_train import TINY

from attnlab.benches import knowledge
from attnlab.benches.language.finished import TrainedRun, finished_run
from attnlab.benches.sentiment import models
from attnlab.contents import content_of
from attnlab.records import Record
from attnlab.runs.folder import open_run
from attnlab.settings import write
from attnlab.studio import jobs, work
from attnlab.studio.app import ROUTERS
from attnlab.studio.configured import TrainingRequest, config_of
from attnlab.studio.places import Places
from attnlab.studio.scenes import SceneRequest
from attnlab.studio.schemas import close

TEXT = "to be or not to"
SHAPE = {"width": 16, "layers": 1, "heads": 1, "feed": 16}
SHORT = {"steps": 12, "batch": 8, "precision": "float32", "device": "cpu"}
SCENE = {"keys": "1,0;0,1;-1,-0.5", "queries": "1,1", "mix": "0=0.5,1=0.5", "scale": 5.0}
NOISE = {"norm_variance": 0.5, "noisy": "0"}
ROWS = "student,problem,answer\nAda,extract,M = A A^T\nBob,mine,q = C k_b\nCyd,mine,q = C k_b\nDot,none,M = (\n"
INSIDE = {"model": "runs/transformer", "text": TEXT}
OLD = "20260101-000000-"

DONE: dict[str, list[dict[str, Any]]] = {
    "claims": [{"ids": ["perplexity-mixed", "copying-mask", "averaging-scale", "units-parts"], "seed": 3}],
    "answer": [
        {"problem": "extract", "own": None, "formulas": ["M = A^T"]},
        {"problem": "extract", "own": None, "formulas": ["M = A A^T"]},
    ],
    "grade": [{"path": "class.csv", "problem": "mine.toml"}, {"path": "class.csv", "problem": None}],
    "classify-train": [{}],
    "classify-errors": [{"run": "runs/small"}],
    "train": [{"run": "runs/a", "baseline": "runs/a-ngram"}],
    "resume": [{"run": "runs/stopped"}],
    "heads-over-time": [{"run": "runs/a"}],
    "head-scores": [{"model": "runs/transformer", "text": ""}, {"model": "runs/transformer", "text": "notes.txt"}],
    "heads-off": [{"model": "runs/transformer", "text": "", "heads": ["0.0"]}],
    "head-theory": [{"model": "runs/transformer", "text": "", "head": "0.0"}],
    "knowledge-make": [{}],
    "knowledge-evaluate": [{"run": "runs/known"}],
    "best-queries": [SCENE | NOISE | {"scale_only": True}],
    "remedies": [{"keys": 2, "norm_variance": 0.0, "heads": 1}],
}
"""The jobs of each kind that are done before somebody asks."""

ASKED: dict[str, list[dict[str, Any]]] = {
    "GET /api/home": [{}],
    "GET /api/runs": [{}, {"params": {"folder": "runs"}}],
    "POST /api/open": [{"json": {"path": "runs"}}],
    "POST /api/close": [{}],
    "POST /api/attention/weigh": [
        {"json": SCENE},
        {"json": SCENE | NOISE},
        {"json": SCENE | {"isotropic": 0.3, "hasty": True}},
        {"json": {"keys": "1,0", "queries": "1,1", "mix": "0=1"}},
    ],
    "POST /api/attention/curve": [{"json": SCENE | NOISE}],
    "POST /api/attention/design": [
        {"json": SCENE},
        {"json": SCENE | {"keys": "1,0;0,1;0.5,0.5", "mix": "2=1"}},
        {"json": SCENE | {"keys": "1,0;-1,0;0,0", "mix": "0=0.5,1=0.3,2=0.2"}},
        {"json": {"keys": "1,0", "queries": "1,1", "mix": "0=1"}},
    ],
    "POST /api/attention/best": [{"json": SCENE}],
    "POST /api/attention/remedies": [{"json": SCENE | NOISE}],
    "GET /api/claims": [{}],
    "GET /api/claims/{id}": [
        {"id": "copying-mask"},
        *({"id": each, "params": {"seed": 3}} for each in ("perplexity-mixed", "averaging-scale", "units-parts")),
    ],
    "POST /api/claims/run": [{"json": {"ids": ["copying-mask"]}}],
    "GET /api/answers": [{}],
    "POST /api/answers/own": [{"json": MINE}, {"json": MINE | {"toml": "x"}}],
    "POST /api/answers/reading": [{"json": {"formulas": ["M = A^T", "M = (", ""]}}],
    "POST /api/answers/check": [
        {"json": {"problem": "extract", "formulas": ["M = A^T"]}},
        {"json": {"problem": "extract", "formulas": ["M = A A^T"]}},
        {"json": {"problem": "extract", "formulas": ["M = ("]}},
        {"json": {"problem": "two-heads", "formulas": ["q_1 = C mu_a", "q_2 = C mu_a"]}},
        {"json": {"own": MINE, "formulas": ["q = C k_a"]}},
    ],
    "POST /api/answers/job": [{"json": {"problem": "extract", "formulas": ["M = A^T"]}}],
    "POST /api/answers/class": [{"json": {"name": "class.csv", "text": ROWS, "own": MINE}}],
    "GET /api/reviews": [{}],
    "POST /api/reviews/train": [{}],
    "POST /api/reviews/explain": [
        {"json": {"run": "runs/small", "text": "A great film, but the end is dull. 𝔘nknown"}},
        {"json": {"run": "runs/small", "text": "A great film.", "label": "pos"}},
        {"json": {"run": "runs/small", "text": "A great film.", "label": "neg"}},
        {"json": {"run": "runs/small", "text": "unknown words"}},
    ],
    "GET /api/reviews/errors": [{"params": {"run": "runs/small"}}],
    "POST /api/reviews/errors": [{"json": {"run": "runs/small"}}],
    "GET /api/knowledge": [{}],
    "POST /api/knowledge/make": [{}],
    "GET /api/knowledge/people": [{"params": {"run": "runs/known"}}],
    "POST /api/knowledge/ask": [
        {"json": {"run": "runs/known", "question": "Where was Ada Lovelace born?"}},
        {"json": {"run": "runs/known", "question": "Who?", "precision": 1.0}},
    ],
    "GET /api/knowledge/thresholds": [{"params": {"run": "runs/known"}}],
    "POST /api/knowledge/thresholds": [{"json": {"run": "runs/known"}}],
    "GET /api/train/choices": [{}],
    "POST /api/train/plan": [{"json": {"text": "notes.txt", "options": TINY}}],
    "POST /api/train/estimate": [
        {"json": {"text": "notes.txt", "options": TINY}},
        {"json": {"text": "notes.txt", "model": "ngram"}},
    ],
    "POST /api/train/start": [{"json": {"text": "notes.txt", "name": "mine", "options": TINY}}],
    "POST /api/train/resume": [{"json": {"run": "runs/half"}}],
    "POST /api/train/heads": [{"json": {"run": "runs/a"}}],
    "GET /api/train/runs": [{"params": {"run": "runs/a"}}, {"params": {"run": ["runs/a", "runs/words"]}}],
    "GET /api/jobs": [{}],
    "GET /api/jobs/{id}": [{"id": f"{OLD}claims-0"}, {"id": f"{OLD}damaged"}],
    "GET /api/jobs/{id}/result": [{"id": f"{OLD}{name}-{n}"} for name in DONE for n in range(len(DONE[name]))],
    "POST /api/jobs/{id}/cancel": [{"id": f"{OLD}claims-0"}],
    "GET /api/inside/models": [{}],
    "POST /api/inside/score": [
        {"json": INSIDE},
        {"json": {"model": "runs/words", "text": "né 🙂"}},
        {"json": {"model": "runs/ngram", "text": TEXT}},
    ],
    "POST /api/inside/compare": [{"json": {"models": ["runs/transformer", "runs/words"], "text": TEXT}}],
    "POST /api/inside/look": [{"json": INSIDE}],
    "POST /api/inside/head": [{"json": INSIDE | {"head": "0.0"}}],
    "POST /api/inside/shape": [{"json": {"model": "runs/transformer"}}],
    "POST /api/inside/scores": [{"json": {"model": "runs/transformer"}}],
    "POST /api/inside/off": [{"json": {"model": "runs/transformer", "heads": ["0.0"]}}],
    "POST /api/inside/theory": [{"json": {"model": "runs/transformer"}}],
    "GET /api/docs": [{}],
}
"""What is asked of each route that answers with JSON."""

FREE = {
    "arguments",  # what the page sent with a job
    "counterexample",  # numbers by the names of the problem
    "chart",  # a specification of Vega-Lite
    "docs",  # an OpenAPI document
}
"""The objects whose content is not listed."""


def do_the_jobs(root: Path) -> None:
    """The jobs, done in this process with small models. Their drawings are empty files, to save time."""
    few, options = models.known_labels, TINY | {"validate_every": "2", "keep_every": "2"}
    DONE["train"][0]["config"] = write(config_of(TrainingRequest("notes.txt", options=options), Places(root)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Record, "save", lambda self, path: Path(path).touch())
        patch.setattr(models, "known_labels", lambda data, *given: few(root / "few.tsv", *given))
        pretraining = partial(knowledge.pretraining, people=12, distractors=1, model=SHAPE, training=SHORT)
        patch.setattr(knowledge, "pretraining", pretraining)
        patch.setattr(knowledge, "finetuning", partial(knowledge.finetuning, training=SHORT))
        for name, given in DONE.items():
            for number, arguments in enumerate(given):
                if name == "best-queries":
                    arguments = asdict(SceneRequest(**SCENE, **NOISE)) | arguments
                folder = root / "runs" / "jobs" / f"{OLD}{name}-{number}"
                folder.mkdir(parents=True)
                (folder / "job.json").write_text(json.dumps({"work": name, "arguments": arguments}))
                assert work.main(folder) == 0, name


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A studio in a folder with models of every kind and a job of every kind. It starts no processes."""
    root = tmp_path_factory.mktemp("schemas")
    with chdir(root), pytest.MonkeyPatch.context() as patch:
        for name in ("transformer", "words", "ngram", "stopped"):
            shutil.copytree(GOLDEN / name, root / "runs" / name)
        shutil.copytree(GOLDEN / "stopped", root / "runs" / "half")
        shutil.copytree(GOLDEN / "people-known", root / "runs" / "known")
        shutil.copytree(GOLDEN / "people-read", root / "runs" / "read")
        (root / "runs" / "damaged").mkdir()
        (root / "runs" / "damaged" / "config.json").write_text("[")
        shutil.copy(GOLDEN / "text.txt", root)
        (root / "notes.txt").write_text("one and two and three\n" * 60)
        (root / "few.tsv").write_text("neg\tA great film.\npos\tDull and long.\npos\tA great end.\n")
        (root / "class.csv").write_text(ROWS)
        (root / "mine.toml").write_text(MINE["toml"])
        train_small(root)
        do_the_jobs(root)
        (root / "runs" / "jobs" / f"{OLD}damaged").mkdir()
        (root / "runs" / "jobs" / f"{OLD}damaged" / "job.json").write_text("[")
        patch.setattr(jobs, "MOST_RUNNING", 100)
        made = asking(root)
        app: Any = made.app
        app.state.lab.jobs.program = ("-c", "pass")
        yield made


@pytest.fixture(scope="module")
def document(client: TestClient) -> dict[str, Any]:
    return client.get("/api/docs").json()


def schema_of(document: dict[str, Any], asked: str) -> dict[str, Any] | None:
    """The schema of the JSON that a route answers with; None if it answers with something else."""
    method, _, path = asked.partition(" ")
    content = document["paths"][path][method.lower()]["responses"]["200"].get("content", {})
    return content["application/json"]["schema"] if "application/json" in content else None


def check(document: dict[str, Any], schema: dict[str, Any], value: Any) -> None:
    found = Draft202012Validator(schema | {"components": document["components"]}).iter_errors(value)
    assert not [f"{each.json_path}: {each.message[:400]}" for each in found]


def every_route() -> list[str]:
    """Every route of the application, from its routers rather than from its document."""
    routes = [route for router in ROUTERS for route in router.routes]
    assert all(isinstance(each, APIRoute) for each in routes)
    return [
        f"{method} /api{each.path}" for each in routes if isinstance(each, APIRoute) for method in each.methods or ()
    ]


def open_objects(schema: dict[str, Any], place: str) -> Iterator[str]:
    """The places in a schema where an object may have anything."""
    if schema.get("type") == "object" and schema.get("additionalProperties", True) is True:
        yield place
    for name, each in schema.get("properties", {}).items():
        yield from open_objects(each, name)
    inner = [*schema.get("anyOf", []), *schema.get("prefixItems", [])]
    inner += [each for name in ("items", "additionalProperties") if isinstance(each := schema.get(name), dict)]
    for each in inner:
        yield from open_objects(each, place)


def test_every_route_is_listed_and_those_with_json_have_a_schema(client: TestClient, document):
    app: Any = client.app
    assert len(app.routes) == len(ROUTERS) + 1, "the routers and the static files"
    assert sorted(every_route()) == sorted(
        f"{method.upper()} {path}" for path, methods in document["paths"].items() for method in methods
    )
    with_json = {asked for asked in every_route() if (found := schema_of(document, asked)) is not None and found != {}}
    assert with_json == set(ASKED)
    assert not [asked for asked in every_route() if schema_of(document, asked) == {}]


@pytest.mark.parametrize(("asked", "given"), [(asked, each) for asked, given in ASKED.items() for each in given])
def test_an_answer_is_what_its_schema_says(client: TestClient, document, asked, given):
    method, _, path = asked.partition(" ")
    sent: dict[str, Any] = {"json": {}} if method == "POST" else {}
    sent |= {name: value for name, value in given.items() if name != "id"}
    if asked == "POST /api/close":
        sent = {"json": {"path": client.post("/api/open", json={"path": "runs"}).json()["path"]}}
    answer = client.request(method, path.format(id=given.get("id")), **sent)
    assert answer.status_code == 200, answer.text
    schema = schema_of(document, asked)
    assert schema is not None
    check(document, schema, answer.json())


def test_routes_without_a_schema_answer_with_no_json(client: TestClient, document):
    other = [asked for asked in every_route() if schema_of(document, asked) is None]
    assert "GET /api/vega.js" in other
    answers: dict[str, dict[str, Any]] = {
        "GET /api/vega.js": {},
        "GET /api/heads_map.js": {},
        "GET /api/runs{ending}": {"params": {"folder": "runs"}},
        "GET /api/claims/list{ending}": {},
        "GET /api/jobs/{id}/result{ending}": {},
        "GET /api/jobs/{id}/events": {},
        "GET /api/answers/class/{id}": {},
        "GET /api/knowledge/people{ending}": {"params": {"run": "runs/known"}},
        "GET /api/train/watch": {"params": {"run": "runs/a"}},
        "POST /api/attention/file": {"json": SCENE | {"ending": ".csv"}},
        "POST /api/attention/design/file": {"json": SCENE | {"ending": ".csv"}},
        "POST /api/answers/file": {"json": {"problem": "extract", "formulas": ["M = A^T"], "ending": ".csv"}},
        "POST /api/reviews/explain/file": {"json": {"run": "runs/small", "text": "A film.", "ending": ".csv"}},
        "POST /api/knowledge/ask/file": {"json": {"run": "runs/known", "question": "Who?", "ending": ".csv"}},
        "POST /api/inside/save": {"json": INSIDE | {"ending": ".csv"}},
        "POST /api/inside/write": {"json": {"model": "runs/transformer", "prompt": "to", "length": 3}},
    }
    assert set(answers) == set(other)
    for asked, given in answers.items():
        method, _, path = asked.partition(" ")
        job = f"{OLD}grade-0" if "class" in path else f"{OLD}claims-0"
        answer = client.request(method, path.format(id=job, ending=".csv"), **given)
        assert answer.status_code == 200, (asked, answer.text)
        assert "json" not in answer.headers["content-type"]


@pytest.mark.parametrize("name", work.WORK)
def test_the_result_of_each_kind_of_job_has_its_own_schema(client: TestClient, document, name):
    result = schema_of(document, "GET /api/jobs/{id}/result")
    assert result is not None
    own = {"$ref": f"#/components/schemas/{work.WORK[name].__name__}"}
    assert own in result["anyOf"]
    for number in range(len(DONE[name])):
        check(document, own, client.get(f"/api/jobs/{OLD}{name}-{number}/result").json())


def test_results_of_older_labs_are_what_their_schema_says():
    schema = TypeAdapter(content_of(TrainedRun)).json_schema()
    close(schema)
    for name in ("ngram", "words", "bigram", "recurrent", "transformer"):
        told = finished_run(open_run(GOLDEN / name)).to_dict()
        assert not [*Draft202012Validator(schema).iter_errors(told)], name


def test_objects_in_answers_have_only_what_is_listed(document):
    requests = json.dumps([each.get("requestBody") for way in document["paths"].values() for each in way.values()])
    schemas = {name: each for name, each in document["components"]["schemas"].items() if f'/{name}"' not in requests}
    schemas |= {"docs" if "docs" in asked else asked: schema_of(document, asked) for asked in ASKED}
    assert {place for name, each in schemas.items() for place in open_objects(each, name)} == FREE


@pytest.mark.parametrize(
    ("method", "path", "given", "status"),
    [
        ("GET", "/api/claims/none", {}, 400),
        ("GET", "/api/runs", {"params": {"folder": "../.."}}, 400),
        ("GET", "/api/claims/copying-mask", {"params": {"seed": "x"}}, 400),
        ("POST", "/api/attention/weigh", {"json": SCENE | {"keys": ""}}, 400),
        ("POST", "/api/attention/weigh", {"json": []}, 400),
        ("GET", "/api/none", {}, 404),
        ("DELETE", "/api/home", {"headers": {"content-type": "application/json"}}, 405),
        ("POST", "/api/open", {"content": "x", "headers": {"content-type": "text/plain"}}, 415),
        ("POST", "/api/open", {"json": {"path": "x" * 2_000_000}}, 413),
        ("GET", "/api/home", {"headers": {"cookie": ""}}, 401),
        ("GET", "/api/home", {"headers": {"host": "elsewhere"}}, 403),
    ],
)
def test_all_errors_have_one_schema(client: TestClient, document, method, path, given, status):
    every = {
        json.dumps(each["responses"]["default"]["content"])
        for methods in document["paths"].values()
        for each in methods.values()
    }
    assert len(every) == 1, "no route has an error of its own"
    assert not {code for m in document["paths"].values() for each in m.values() for code in each["responses"]} - {
        "200",
        "default",
    }
    answer = client.request(method, path, **given)
    assert answer.status_code == status, answer.text
    check(document, json.loads(every.pop())["application/json"]["schema"], answer.json())


def test_what_is_not_in_the_schema_is_found(client: TestClient, document):
    """The checks of this file fail if a value is added, is left out, or is null where it must not be."""
    schema = schema_of(document, "POST /api/attention/weigh")
    assert schema is not None
    told = client.post("/api/attention/weigh", json=SCENE).json()
    check(document, schema, told)
    for changed in ({"more": 1}, {"error": None}, {"method": "guess"}, {"weights": [{"mean": 1.0}]}):
        with pytest.raises(AssertionError):
            check(document, schema, told | {"record": told["record"] | changed})
    del told["record"]["error"]
    with pytest.raises(AssertionError):
        check(document, schema, told)
