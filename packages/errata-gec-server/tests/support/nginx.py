"""nginx in front of a server of the tests: its own process, folder, ports and certificate."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from campaigns import free_port

CONFIG = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log off;
  client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
  uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
  upstream campaign {{ server 127.0.0.1:{upstream}; }}
  server {{
    listen 127.0.0.1:{port} ssl;
    server_name judge.example.org;
    ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem;
    location / {{ proxy_pass {target}; {headers} }}
  }}
}}
"""


@dataclass
class Proxy:
    """A running nginx."""

    url: str
    port: int
    certificate: Path

    def client(self) -> httpx.Client:
        """A client for which judge.example.org is this nginx."""
        context = ssl.create_default_context(cafile=str(self.certificate))
        headers = {"Host": "judge.example.org"}
        url = f"https://127.0.0.1:{self.port}"
        return httpx.Client(base_url=url, headers=headers, verify=context, trust_env=False)


@contextmanager
def nginx(folder: Path, upstream: int, headers: str, target: str | None = None) -> Iterator[Proxy]:
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    folder.mkdir(parents=True)
    port = free_port()
    names = "subjectAltName=DNS:judge.example.org,IP:127.0.0.1"
    subject = ["-subj", "/CN=judge.example.org", "-addext", names]
    keys = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *keys, *subject]
    subprocess.run(make, check=True, capture_output=True, timeout=60)
    target = target or f"http://127.0.0.1:{upstream}"
    text = CONFIG.format(folder=folder, upstream=upstream, port=port, headers=headers, target=target)
    (folder / "nginx.conf").write_text(text, encoding="utf-8")
    process = subprocess.Popen([program, "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")])
    proxy = Proxy("https://judge.example.org", port, folder / "cert.pem")
    try:
        wait(proxy)
        yield proxy
    finally:
        process.terminate()
        process.wait(20)


def wait(proxy: Proxy, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with proxy.client() as client:
                client.get("/health")
                return
        except httpx.TransportError:
            time.sleep(0.05)
    raise TimeoutError("nginx did not start")
