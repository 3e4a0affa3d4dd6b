"""Who is let in, and who is not."""

import json
import time

import pytest

from corollary.lab.entrance import KEY_HEADER, MINUTES
from corollary.lab.guard import BODY

COOKIE = "corollary-lab-8765"
CHECK = {"name": "connectionism/novikoff"}


PAGES = ["/", "/play", "/examine", "/claim/connectionism/novikoff", "/nowhere"]
READS = [
    "/api/entries",
    "/api/verdicts",
    "/api/folder",
    "/api/sessions/x",
    "/api/sessions/x/events",
]


@pytest.mark.parametrize("path", PAGES + READS)
def test_an_unknown_browser_is_told_how_to_get_in(make_client, path):
    client = make_client(known=False)
    answer = client.get(path)
    assert answer.status_code == 401
    assert "corollary lab" in answer.text and "press Enter" in answer.text


def test_a_token_is_traded_for_a_cookie_and_a_key_once(make_client):
    client = make_client(known=False)
    token = client.lab.entrance.new_token()
    assert client.get("/", params={"token": token}).status_code == 200  # asks for nothing yet
    answer = client.post("/api/enter", json={"token": token})
    assert answer.status_code == 200
    cookie, key = answer.headers["set-cookie"], answer.json()["key"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie
    assert token not in cookie and key not in cookie and token != key
    assert client.get("/").status_code == 200
    assert client.get("/api/entries", headers={KEY_HEADER: key}).status_code == 200
    refused = client.post("/api/enter", json={"token": token})
    assert refused.status_code == 401 and "used already" in refused.json()["error"]


@pytest.mark.parametrize("token", ["wrong", "", "é", 3, None, "\ud800"])
def test_a_wrong_token_opens_nothing(make_client, token):
    client = make_client(known=False)
    client.lab.entrance.new_token()
    raw = json.dumps({"token": token})
    assert 400 <= client.post("/api/enter", content=raw).status_code < 500
    assert client.lab.entrance.keys == {}


def test_without_a_token_nobody_enters(make_client):
    client = make_client(known=False)
    assert client.post("/api/enter", json={"token": ""}).status_code == 401


def test_a_token_expires(make_client, monkeypatch):
    entrance = make_client(known=False).lab.entrance
    token, now = entrance.new_token(), time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 60 * MINUTES + 1)
    assert entrance.admit(token) is None
    assert entrance.admit(entrance.new_token()) is not None


def test_a_new_token_makes_the_old_one_invalid_but_not_who_is_in(make_client):
    entrance = make_client(known=False).lab.entrance
    cookie, key = entrance.admit(entrance.new_token())
    old, new = entrance.new_token(), entrance.new_token()
    assert entrance.admit(old) is None and entrance.admit(new) is not None
    assert entrance.knows([cookie], key)


@pytest.mark.parametrize(("method", "path"), [("GET", p) for p in READS] + [("POST", "/api/check")])
@pytest.mark.parametrize("key", [None, "", "wrong"])
def test_the_cookie_alone_opens_pages_but_no_part_of_the_api(client, method, path, key):
    del client.headers[KEY_HEADER]  # any server of this machine is sent the cookie, not the key
    headers = {} if key is None else {KEY_HEADER: key}
    assert client.request(method, path, headers=headers).status_code == 401
    assert client.get("/").status_code == 200


def test_the_key_of_another_cookie_does_not_fit(client):
    _, other = client.lab.entrance.admit(client.lab.entrance.new_token())
    assert client.get("/api/entries", headers={KEY_HEADER: other}).status_code == 401


def test_pages_hold_no_secret_and_nothing_of_the_folder(client, tmp_path):
    (tmp_path / "private_net.py").write_text("def build(): pass")
    assert "private_net.py:build" in client.get("/api/folder").json()["targets"]
    for path in PAGES[:-1]:
        text = client.get(path).text
        assert client.headers[KEY_HEADER] not in text and "private_net" not in text
        assert str(tmp_path) not in text


@pytest.mark.parametrize(
    "foreign",
    [
        'prefs={"a": "b c"}',
        "a=b; c",
        "=",
        'a="x;',
        "sess\xe9=1",
        f"{COOKIE}=of-another-lab",
        "x=y=z",
    ],
)
def test_cookies_of_other_programs_lock_nobody_out(client, foreign):
    ours = f"{COOKIE}={client.cookies[COOKIE]}"
    for cookies in (f"{foreign}; {ours}", f"{ours}; {foreign}"):
        headers = {"cookie": cookies.encode("latin-1")}
        assert client.get("/", headers=headers).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "127.0.0.1", "127.0.0.1:1"])
def test_another_host_name_is_refused_even_with_the_cookie(client, host):
    refused = client.get("/", headers={"host": host})
    assert refused.status_code == 421
    assert f"got host {host}; open the printed address" in refused.text


@pytest.mark.parametrize("host", ["localhost:8765", "127.0.0.1:8765", "[::1]:8765"])
def test_every_name_of_this_machine_is_good(client, host):
    headers = {"host": host, "cookie": f"{COOKIE}={client.cookies[COOKIE]}"}
    assert client.get("/", headers=headers).status_code == 200


@pytest.mark.parametrize("origin", [None, "http://evil.example", "null", "https://127.0.0.1:8765"])
def test_work_starts_from_our_own_page_only(make_client, origin):
    client = make_client(origin=origin)
    assert client.post("/api/check", json=CHECK).status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
def test_our_own_origin_from_another_site_is_refused(client, site):
    headers = {"sec-fetch-site": site}
    assert client.post("/api/check", json=CHECK, headers=headers).status_code == 403


def test_work_needs_the_cookie(make_client):
    assert make_client(known=False).post("/api/check", json=CHECK).status_code == 401


def test_our_own_page_is_answered(client):
    answer = client.post("/api/play", json={"settings": {"n": "wide"}})
    assert answer.status_code == 400
    assert answer.json() == {"error": "n must be a whole number, got 'wide'"}


def test_a_long_request_is_refused(client):
    assert client.post("/api/check", content=b"x" * (2 * BODY)).status_code == 413


def test_a_long_request_that_hides_its_length_is_refused(client):
    def pieces():
        for _ in range(40):
            yield b"x" * (1 << 16)

    assert client.post("/api/check", content=pieces()).status_code == 413


@pytest.mark.parametrize(
    "name",
    [
        "../guard.py",
        "%2e%2e/guard.py",
        "..%2f..%2f__init__.py",
        "/etc/passwd",
        "fonts/../../app.py",
    ],
)
def test_files_outside_are_not_served(client, name):
    assert client.get(f"/static/{name}").status_code == 404


def test_only_known_files_are_served_whatever_links_there_are(client):
    served = client.lab.assets
    assert {"lab.css", "claim.js", "report.css"} <= set(served)
    assert not any(name.endswith((".py", ".jinja")) for name in served)


@pytest.mark.parametrize("origin", [None, "http://evil.example", "http://127.0.0.1:8765"])
def test_there_are_no_web_sockets(make_client, origin):
    from starlette.websockets import WebSocketDisconnect

    client = make_client(origin=origin)
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/api/check"):
        pass


@pytest.mark.parametrize("path", ["/", "/api/entries", "/static/lab.css", "/nowhere"])
def test_every_answer_carries_the_policy(client, path):
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert "http" not in policy  # no other site may be asked for anything
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"


def test_refusals_carry_the_policy_too(make_client):
    assert "content-security-policy" in make_client(known=False).get("/").headers
