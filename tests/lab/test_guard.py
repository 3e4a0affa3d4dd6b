"""Who is let in, and who is not."""

import pytest

from corollary.lab.guard import BODY

COOKIE = "corollary-lab-8765"
CHECK = {"name": "connectionism/novikoff"}


@pytest.mark.parametrize("path", ["/", "/play", "/static/lab.css", "/api/entries", "/nowhere"])
def test_without_a_token_nothing_is_shown(make_client, path):
    client = make_client(known=False)
    answer = client.get(path)
    assert answer.status_code == 401
    assert "corollary lab" in answer.text


@pytest.mark.parametrize("token", ["wrong", "", "the-right-toke", "é"])
def test_a_wrong_token_opens_nothing(make_client, token):
    client = make_client(known=False)
    assert client.get("/", params={"token": token}).status_code == 401
    client.cookies.set(COOKIE, "wrong")
    assert client.get("/").status_code == 401


def test_the_right_token_becomes_a_cookie_and_leaves_the_address(make_client):
    client = make_client(known=False)
    answer = client.get("/claim/connectionism/novikoff?gamma=0.2&token=the-right-token")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/claim/connectionism/novikoff?gamma=0.2"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie
    assert client.get("/").status_code == 200


def test_the_token_cannot_be_used_to_send_a_browser_elsewhere(make_client):
    client = make_client(known=False)
    answer = client.get("http://127.0.0.1:8765//evil.example/?token=the-right-token")
    assert answer.headers["location"].startswith("/evil.example/")


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "127.0.0.1", "127.0.0.1:1"])
def test_another_host_name_is_refused_even_with_the_cookie(client, host):
    assert client.get("/", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", ["localhost:8765", "127.0.0.1:8765", "[::1]:8765"])
def test_every_name_of_this_machine_is_good(client, host):
    answer = client.get("/", headers={"host": host, "cookie": f"{COOKIE}=the-right-token"})
    assert answer.status_code == 200


@pytest.mark.parametrize("origin", [None, "http://evil.example", "null", "https://127.0.0.1:8765"])
def test_work_starts_from_our_own_page_only(make_client, origin):
    client = make_client(origin=origin)
    assert client.post("/api/check", json=CHECK).status_code == 403


def test_work_needs_the_cookie(make_client):
    assert make_client(known=False).post("/api/check", json=CHECK).status_code == 401


def test_our_own_page_is_answered(client):
    answer = client.post("/api/play", json={"settings": {"n": "wide"}})
    assert answer.status_code == 400
    assert answer.json() == {"error": "n needs a whole number, but 'wide' came"}


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
