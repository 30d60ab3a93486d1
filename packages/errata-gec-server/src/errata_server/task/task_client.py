"""A client for the server of a shared task, which needs only the standard library."""

from __future__ import annotations

import json
import time
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

from errata.errors import DataError

_SECONDS = 120.0  # for one request
_PAUSE_SECONDS = 1.0
_TRIES = 30  # while the server cannot be reached


class Client:
    """Sends files of a team, and requests their states and scores.

    Parameters:
        url: The address of the server, as in https://gec.example.org.
        token: The personal link of a member of the team, or the secret at its end.
    """

    def __init__(self, url: str, token: str) -> None:
        if not url.startswith(("http://", "https://")):
            raise DataError(f"{url!r} is not the address of a server", hint="as in https://gec.example.org")
        self.url = url.rstrip("/")
        self._token = token.rpartition("#")[2].strip()

    def submit(
        self,
        data: bytes,
        name: str,
        *,
        track: str | None = None,
        phase: str | None = None,
        note: str = "",
        anyway: bool = False,
    ) -> dict[str, Any]:
        """Send a file; returns the server's data about it, with the findings of its checks."""
        parameters = {"track": track or self._only_track(), "name": name, "note": note}
        parameters |= {"phase": phase} if phase else {}
        parameters |= {"anyway": "yes"} if anyway else {}
        status, response = self._request(f"/api/submissions?{urlencode(parameters)}", data)
        if status in (200, 201) or "findings" in response:
            return response
        raise DataError(str(response.get("error", f"the server answered {status}")), path=name)

    def submission(self, uid: str) -> dict[str, Any]:
        """The state of a submission."""
        return self._get(f"/api/submissions/{quote(uid)}")

    def wait(self, submission: dict[str, Any]) -> dict[str, Any]:
        """Wait until the submission has been scored or has failed, and return its state."""
        while submission["state"] in ("queued", "running"):
            time.sleep(_PAUSE_SECONDS)
            submission = self.submission(submission["uid"])
        return submission

    def board(self, track: str, phase: str) -> dict[str, Any]:
        """The part of a leaderboard that the team may see."""
        return self._get(f"/api/board/{quote(track)}/{quote(phase)}")

    def _only_track(self) -> str:
        tracks = [track["name"] for track in self._get("/api/task")["tracks"]]
        if len(tracks) > 1:
            raise DataError("the task has several tracks", hint=f"name one: {', '.join(tracks)}")
        return str(tracks[0])

    def _get(self, path: str) -> dict[str, Any]:
        status, response = self._request(path)
        if status != 200:
            raise DataError(str(response.get("error", f"the server answered {status}")), path=self.url)
        return response

    def _request(self, path: str, data: bytes | None = None) -> tuple[int, dict[str, Any]]:
        """Send a request, again while the server is unreachable or busy; a file sent twice counts once."""
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/octet-stream"}
        problem: object = ""
        for _ in range(_TRIES):
            request = Request(self.url + path, data, headers)
            try:
                with urlopen(request, timeout=_SECONDS) as response:  # nosec B310
                    return response.status, json.loads(response.read())
            except HTTPError as error:
                if error.code not in (429, 502, 503, 504):
                    return error.code, _json(error.read())
                problem = _json(error.read()).get("error", error.code)
            except (URLError, OSError, ValueError) as error:
                problem = getattr(error, "reason", error)
            time.sleep(_PAUSE_SECONDS)
        raise DataError(f"the server cannot be reached: {problem}", path=self.url)


def _json(raw: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(raw)
    except ValueError:
        return {"error": raw.decode("utf-8", "replace")[:200]}
    return answer if isinstance(answer, dict) else {}
