"""A campaign behind a real nginx with TLS, in the configurations that people use."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from campaigns import Made, Running, make, post_of
from nginx import nginx

pytestmark = pytest.mark.skipif(
    not (shutil.which("nginx") or Path("/usr/sbin/nginx").exists()) or not shutil.which("openssl"),
    reason="needs Debian's nginx-light and openssl",
)

PUBLIC = "https://judge.example.org"
FORWARDED = "proxy_set_header X-Forwarded-Proto $scheme; proxy_set_header X-Forwarded-For $remote_addr;"
# The lines of nginx's configuration, and whether the server is an upstream with a name.
SETTINGS = {
    "nothing set": ("", False),
    "host": (f"proxy_set_header Host $host; {FORWARDED}", False),
    "host with its port": (f"proxy_set_header Host $http_host; {FORWARDED}", False),
    "an upstream's name as host": (FORWARDED, True),
    # Caddy's reverse_proxy passes the host on and sets the three X-Forwarded headers.
    "as Caddy does": (
        f"proxy_set_header Host $host; proxy_set_header X-Forwarded-Host $host; {FORWARDED}",
        False,
    ),
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Made, Running]]:
    made = make(tmp_path_factory.mktemp("proxied"), copies=20, repeats=0, assignment="fixed")
    running = Running(made.place, "--url", PUBLIC)
    running.start()
    yield made, running
    running.kill()


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("fetch", [True, False])
def test_people_work_through_nginx(
    name: str, fetch: bool, served: tuple[Made, Running], tmp_path: Path
) -> None:
    made, running = served
    headers, upstream = SETTINGS[name]
    with (
        nginx(tmp_path / "nginx", running.port, headers, "http://campaign" if upstream else None) as proxy,
        proxy.client() as client,
    ):
        client.headers["Origin"] = PUBLIC  # what a browser sends with its posts
        if fetch:
            client.headers["Sec-Fetch-Site"] = "same-origin"
        entered = client.post("/enter", json={"token": made.tokens["ann"]})
        assert entered.status_code == 200, entered.text
        cookie = entered.headers["set-cookie"].lower()
        assert "secure" in cookie  # the public address says so, even where the proxy does not
        client.cookies.clear()
        client.headers["Cookie"] = entered.headers["set-cookie"].partition(";")[0]
        screen = client.get("/api/screen").json()
        assert client.post("/api/judge", json=post_of(screen)).status_code == 200
        evil = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
        assert client.post("/api/judge", json=post_of(screen), headers=evil).status_code == 403
        del client.headers["Origin"]
        client.headers.pop("Sec-Fetch-Site", None)
        without = {"Origin": "https://evil.example"}  # an old browser
        assert client.post("/api/judge", json=post_of(screen), headers=without).status_code == 403


def test_links_of_the_admins_page_have_the_public_address(
    served: tuple[Made, Running], tmp_path: Path
) -> None:
    made, running = served
    with nginx(tmp_path / "nginx", running.port, "") as proxy, proxy.client() as client:
        entered = client.post("/enter", json={"token": made.admin})
        client.headers["Cookie"] = entered.headers["set-cookie"].partition(";")[0]
        page = client.post("/admin/act", data={"action": "add", "name": "New"}).text
    assert f'value="{PUBLIC}/enter#' in page


def test_a_host_that_is_not_ours_is_refused(served: tuple[Made, Running]) -> None:
    running = served[1]
    for host, status in (("evil.example", 421), ("judge.example.org", 200), ("localhost", 200)):
        found = httpx.get(f"{running.url}/health", headers={"Host": host}, trust_env=False)
        assert found.status_code == status


@pytest.mark.slow
def test_strangers_cannot_pretend_to_be_a_proxy(served: tuple[Made, Running], tmp_path: Path) -> None:
    """X-Forwarded headers count only from this machine and from the proxies that were named."""
    program = (
        "import sys\n"
        "from errata.http.asgi import serve\n"
        "async def app(scope, receive, send):\n"
        "    if scope['type'] != 'http':\n"
        "        return\n"
        "    await send({'type': 'http.response.start', 'status': 200, 'headers': []})\n"
        "    await send({'type': 'http.response.body', 'body': scope['scheme'].encode()})\n"
        "serve(app, '127.0.0.2', int(sys.argv[1]), proxies=sys.argv[2:])\n"
    )
    from campaigns import free_port

    for proxies, scheme in ((["127.0.0.2"], "https"), ([], "http")):
        port = free_port()
        process = subprocess.Popen([sys.executable, "-c", program, str(port), *proxies])
        try:
            found = _get_from(f"http://127.0.0.2:{port}/", "127.0.0.2")
        finally:
            process.kill()
            process.wait()
        assert found == scheme


def _get_from(url: str, address: str) -> str:
    """The answer to a request that comes from an address, with a forwarded protocol."""
    transport = httpx.HTTPTransport(local_address=address, retries=8)  # until the server has started
    with httpx.Client(transport=transport, trust_env=False) as client:
        return client.get(url, headers={"X-Forwarded-Proto": "https"}).text
