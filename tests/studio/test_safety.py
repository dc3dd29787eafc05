"""Every request that the studio refuses, each with one JSON object; and those that it does not."""

import itertools
import os

import pytest
from starlette.testclient import TestClient
from tests.studio.conftest import PORT, TOKEN, asking

from attnlab.studio.safety import LARGEST_BODY, LONGEST_ADDRESS

COOKIE = f"attnlab-{PORT}={TOKEN}"
ADDRESSES = (
    "/",
    "/main.js",
    "/api/home",
    "/api/runs",
    "/api/claims",
    "/api/jobs",
    "/api/vega.js",
    "/api/docs",
    "/none",
)
HOSTS = (
    "attacker.example",
    "127.0.0.1",
    "localhost",
    "127.0.0.1:1",
    f"127.0.0.1.attacker.example:{PORT}",
    f"[::1]:{PORT}",
    f"0.0.0.0:{PORT}",
    f"LOCALHOST.:{PORT}",
    "",
)
ORIGINS = (
    "http://attacker.example",
    "null",
    f"https://127.0.0.1:{PORT}",
    f"http://127.0.0.1:{PORT + 1}",
    f"http://127.0.0.1:{PORT}.attacker.example",
    f"http://user@127.0.0.1:{PORT}",
    "file://",
)
COOKIES = (
    "",
    "attnlab-8765=",
    "attnlab-8765=x",
    f"attnlab-1={TOKEN}",
    f"{COOKIE}x",
    f"attnlab-8765={TOKEN[:-1]}",
    '=;,"',
)
PATHS = (
    "..",
    "../..",
    "/",
    "/etc",
    "/dev/null",
    "/dev/zero",
    "/proc/self",
    "/sys",
    "~nobody-of-this-name",
    "runs/../../..",
    "out",
    "out/inner",
    "pipe",
    "file.txt",
    "nowhere",
    "a\0b",
    "a\nb",
    " ",
    "x" * 5000,
    "hf:/dev",
    "%2e%2e",
)
STATIC = (
    "/../app.py",
    "/..%2fapp.py",
    "/%2e%2e/app.py",
    "/....//app.py",
    "//etc/passwd",
    "/%00",
    "/components",
    "/a\\b",
)


@pytest.fixture(scope="module")
def traps(root, tmp_path_factory):
    """Links that lead out, a pipe, and a file, in the folder of the studio."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "inner").mkdir()
    (root / "out").symlink_to(outside)
    (root / "file.txt").write_text("no folder")
    os.mkfifo(root / "pipe")
    return outside


def refused(answer, *statuses: int) -> bool:
    """Whether an answer is a refusal: one JSON object with one line, and the headers of safety."""
    told = answer.json()
    assert answer.status_code in statuses, (answer.status_code, told)
    assert set(told) - {"argument", "file"} == {"error"}
    assert "\n" not in told["error"]
    assert "Traceback" not in answer.text
    assert "script-src 'self';" in answer.headers["content-security-policy"]
    assert "unsafe" not in answer.headers["content-security-policy"]
    return "set-cookie" not in answer.headers


@pytest.mark.parametrize("host", HOSTS)
def test_a_foreign_host_is_refused_everywhere(client: TestClient, host):
    for path in ADDRESSES:
        assert refused(client.get(path, headers={"host": host}), 403)
    assert refused(client.get(f"/?token={TOKEN}", headers={"host": host}), 403)


@pytest.mark.parametrize("origin", ORIGINS)
def test_a_foreign_origin_is_refused_everywhere(client: TestClient, origin):
    for path, method in itertools.product(ADDRESSES, ("GET", "POST", "OPTIONS", "DELETE")):
        assert refused(client.request(method, path, headers={"origin": origin}), 403)


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_request_that_another_site_makes_is_refused(client: TestClient, site):
    for path in ADDRESSES:
        assert refused(client.get(path, headers={"sec-fetch-site": site}), 403)


@pytest.mark.parametrize("cookie", COOKIES)
def test_without_the_token_nothing_is_told(root, cookie):
    stranger = asking(root, cookie=cookie)
    for path in ADDRESSES:
        assert refused(stranger.get(path), 401)
    assert refused(stranger.get("/", params={"token": "wrong"}), 401)
    assert refused(stranger.get("/api/home", params={"token": TOKEN}), 401)


def test_the_address_with_the_token_gives_a_cookie_that_scripts_and_other_sites_cannot_use(root):
    stranger = asking(root, cookie="")
    answer = stranger.get("/", params={"token": TOKEN}, headers={"sec-fetch-site": "cross-site"})
    assert answer.status_code == 200
    assert answer.headers["set-cookie"] == f"{COOKIE}; Path=/; HttpOnly; SameSite=Strict"
    assert answer.headers["content-type"].startswith("text/html")


@pytest.mark.usefixtures("traps")
@pytest.mark.parametrize("path", PATHS)
def test_a_path_that_leads_out_or_is_no_folder_is_refused(client: TestClient, path):
    assert refused(client.get("/api/runs", params={"folder": path}), 400)
    if path not in ("..", "../..", "/", "/etc", "runs/../../..", "out", "out/inner"):
        assert refused(client.post("/api/open", json={"path": path}), 400)


def test_what_the_user_opened_may_be_read(root, tmp_path):
    client = asking(root)
    assert refused(client.get("/api/runs", params={"folder": str(tmp_path)}), 400)
    assert client.post("/api/open", json={"path": str(tmp_path)}).json()["kind"] == "runs"
    assert client.get("/api/runs", params={"folder": str(tmp_path)}).json()["record"] == {"runs": []}
    assert refused(client.get("/api/runs", params={"folder": str(tmp_path.parent)}), 400)


def test_a_folder_that_is_refused_as_a_model_stays_closed(root, tmp_path):
    client = asking(root)
    assert refused(client.post("/api/open", json={"path": f"hf:{tmp_path}"}), 400)
    assert refused(client.get("/api/runs", params={"folder": str(tmp_path)}), 400)


@pytest.mark.parametrize("path", STATIC)
def test_no_file_but_those_of_the_page_is_served(client: TestClient, path):
    assert refused(client.get(path), 404, 405)


@pytest.mark.parametrize("id", ["..", "%2e%2e", "x", "a" * 200, "A", "..%2f..%2fjob", "%00", "a.b", "-", "~"])
@pytest.mark.parametrize("rest", ["", "/result", "/events", "/result.html", "/result.py"])
def test_no_job_is_found_outside_the_folder_of_jobs(client: TestClient, id, rest):
    answer = client.get(f"/api/jobs/{id}{rest}")
    if answer.status_code != 200:
        assert refused(answer, 400, 404)
    else:  # a client resolves `..` itself
        assert str(answer.url).rstrip("/").endswith(("/api", "/api/jobs"))


@pytest.mark.parametrize(
    "address", ["/api/open", "/api/claims/run", "/api/jobs/x/cancel", "/api/home", "/main.js", "/"]
)
def test_bodies_that_are_too_large_or_not_json_are_refused(client: TestClient, address):
    kind = {"content-type": "application/json"}
    large = b'"' + b"x" * LARGEST_BODY + b'"'
    assert refused(client.post(address, content=large, headers=kind), 413)
    for length in ("-1", "x", "9" * 40):
        assert refused(client.post(address, content=b"", headers={**kind, "content-length": length}), 413)
    for other in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        assert refused(client.post(address, content=b"path=.", headers={"content-type": other}), 415)


def test_a_body_without_a_length_is_counted(client: TestClient):
    parts = (b"x" * 100_000 for _ in range(LARGEST_BODY // 100_000 + 1))
    assert refused(client.post("/api/open", content=parts, headers={"content-type": "application/json"}), 413)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"1",
        b'{"path": 1}',
        b'{"path": null}',
        b'{"path": ["."]}',
        b"{}",
        b"\xff\xfe",
        b"[" * 9000,
    ],
)
def test_a_body_of_another_kind_is_named(client: TestClient, body):
    for address in ("/api/open", "/api/claims/run"):
        assert refused(client.post(address, content=body, headers={"content-type": "application/json"}), 400)


def test_a_long_address_is_refused(client: TestClient):
    assert refused(client.get("/api/runs", params={"folder": "x" * LONGEST_ADDRESS}), 414)


@pytest.mark.parametrize("ending", ["%0a", "%0d%0a", "%00", "%e2%80%ae"])
def test_an_address_with_a_character_that_cannot_be_printed_is_refused(client: TestClient, ending):
    assert client.get("/api/runs").status_code == 200
    assert refused(client.get(f"/api/runs{ending}"), 404)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "POST"])
def test_a_method_that_a_route_does_not_have_is_refused(client: TestClient, method):
    for address in ("/", "/main.js", "/api/home", "/api/docs"):
        answer = client.request(method, address, headers={"content-type": "application/json"}, content=b"{}")
        assert refused(answer, 405)
