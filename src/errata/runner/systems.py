"""Systems that correct texts: a command, a LanguageTool-compatible server, a chat model, a Python function.

A system gets a batch of texts without line breaks and returns as many answers, as they come. `DataError`
means that a batch has failed, so that its halves may be tried; any other `ErrataError` ends the run.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable
from urllib.parse import urlencode

from errata.errors import DataError, ErrataError, plural
from errata.models.chat import Endpoint, post
from errata.models.protocols import Answer

TIMEOUT = 600.0  # seconds
PROMPT = (
    "Correct all grammatical, spelling and punctuation errors in the following sentence, and change nothing "
    "else. Reply with the corrected sentence alone. If there is no error, repeat the sentence.\n\n{text}"
)
_VARIANTS = {"en": "en-US", "de": "de-DE", "pt": "pt-PT"}  # LanguageTool checks no spelling without a variant
_SHOWN = 500  # characters of an error message


@runtime_checkable
class System(Protocol):
    """Answers a batch of texts; `name` names its files, and `batch` is the usual number of texts."""

    name: str
    batch: int

    def describe(self) -> dict[str, Any]: ...
    def correct(self, texts: Sequence[str]) -> list[Answer]: ...


class Command:
    """A program that reads one text per line from standard input and writes one answer per line."""

    batch = 100

    def __init__(self, arguments: Sequence[str], timeout: float = TIMEOUT) -> None:
        self.arguments, self.timeout = [*arguments], timeout
        self.name = Path(self.arguments[0]).stem

    def describe(self) -> dict[str, Any]:
        """What determines the answers."""
        return {"kind": "command", "command": self.arguments}

    def correct(self, texts: Sequence[str]) -> list[Answer]:
        """The lines that the program writes; a single text may have an answer of several lines."""
        lines = self._output("".join(f"{text}\n" for text in texts)).split("\n")
        if not lines[-1]:
            lines.pop()
        if len(texts) == 1 and any(lines):
            return [Answer("\n".join(lines))]
        if len(lines) != len(texts):
            sentences = f"{len(texts)} {plural(len(texts), 'sentence')}"
            raise self._error(f"it wrote {len(lines)} {plural(len(lines), 'line')} for {sentences}")
        return list(map(Answer, lines))

    def _output(self, text: str) -> str:
        pipe = subprocess.PIPE
        try:
            process = subprocess.Popen(
                self.arguments, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
            )  # fmt: skip
        except (OSError, ValueError) as error:
            raise ErrataError(
                f"cannot start {self.arguments[0]!r}: {error}\n  hint: is it installed? Give its path"
            ) from None
        with process:
            try:
                output, errors = process.communicate(text.encode("utf-8"), self.timeout)
            except subprocess.TimeoutExpired:
                _kill(process)
                raise TimeoutError(f"{self.name} gave no answer within {self.timeout:g} s") from None
            except BaseException:
                _kill(process)
                raise
        if process.returncode:
            last = errors.decode("utf-8", "replace").strip()[-_SHOWN:]
            status = f"it ended with exit code {process.returncode}"
            if process.returncode < 0:
                status = f"it was killed by signal {-process.returncode}"
            raise self._error(status + (f": {last}" if last else ""))
        try:
            return output.decode("utf-8").replace("\r\n", "\n")
        except UnicodeDecodeError:
            raise self._error("its output is not UTF-8") from None

    def _error(self, message: str) -> DataError:
        hint = "the command must read one sentence per line, and write one line per sentence"
        return DataError(message, path=self.name, hint=hint)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a program and the programs that it has started."""
    if hasattr(os, "killpg"):
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


class LanguageTool:
    """A server with LanguageTool's HTTP API: the first suggestion of every match is applied."""

    name, batch = "languagetool", 1

    def __init__(self, address: str, language: str = "en", timeout: float = TIMEOUT) -> None:
        self.address = address.rstrip("/").removesuffix("/check") + "/check"
        self.language, self.timeout = _VARIANTS.get(language, language), timeout

    def describe(self) -> dict[str, Any]:
        """What determines the answers."""
        return {"kind": "languagetool", "url": self.address, "language": self.language}

    def correct(self, texts: Sequence[str]) -> list[Answer]:
        """One request per text."""
        return [Answer(self._corrected(text)) for text in texts]

    def _corrected(self, text: str) -> str:
        fields = urlencode({"text": text, "language": self.language}).encode()
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        response = post(self.address, fields, headers, self.timeout, hint="is the server running?")
        units = text.encode("utf-16-le")  # offsets count UTF-16 code units
        end = len(units) // 2
        try:
            edits = [
                (int(match["offset"]), int(match["length"]), str(match["replacements"][0]["value"]))
                for match in response["matches"]
                if match["replacements"]
            ]
            for offset, length, new in sorted(_without_overlaps(edits), reverse=True):
                if not 0 <= offset <= offset + length <= end:
                    raise ValueError
                units = units[: 2 * offset] + new.encode("utf-16-le") + units[2 * (offset + length) :]
            return units.decode("utf-16-le")
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            raise DataError(
                f"unexpected answer {str(response)[:200]!r}",
                path=self.address,
                hint="expected matches with offset, length and replacements, as from LanguageTool",
            ) from None


def _without_overlaps(edits: Sequence[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """The edits in order; of two that overlap, or insert at one place, the first is kept."""
    kept: list[tuple[int, int, str]] = []
    for edit in sorted(edits, key=lambda edit: edit[:2]):
        if not kept or (edit[0] >= kept[-1][0] + kept[-1][1] and edit[0] != kept[-1][0]):
            kept.append(edit)
    return kept


class ChatSystem:
    """A chat model that gets a prompt per text, in which `{text}` stands for the text."""

    batch = 1

    def __init__(self, chat: Endpoint, prompt: str = PROMPT) -> None:
        if "{text}" not in prompt:
            raise ErrataError(
                f"the prompt {prompt[:80]!r} has no place for the sentence\n  hint: add {{text}}"
            )
        self.chat, self.prompt = chat, prompt
        self.name = "chat" if chat.name == chat.address else chat.name.partition("@")[0].rpartition("/")[2]

    def describe(self) -> dict[str, Any]:
        """What determines the answers."""
        chat = self.chat
        settings = {"temperature": chat.temperature, "max_tokens": chat.max_tokens, "prompt": self.prompt}
        return {"kind": "chat", "model": chat.name, **settings}

    def correct(self, texts: Sequence[str]) -> list[Answer]:
        """One request per text."""
        return [self.chat.ask(self.prompt.replace("{text}", text)) for text in texts]


class Function:
    """A Python function from a list of texts to a list with one answer for each."""

    batch = 100

    def __init__(self, function: Callable[[list[str]], Sequence[str]]) -> None:
        self.function = function
        self.name = getattr(function, "__name__", type(function).__name__).strip("<>")

    def describe(self) -> dict[str, Any]:
        """What determines the answers, as far as it has a name."""
        module = getattr(self.function, "__module__", None)
        return {"kind": "function", "function": f"{module}.{self.name}"}

    def correct(self, texts: Sequence[str]) -> list[Answer]:
        """The answers of one call."""
        try:
            answers = self.function([*texts])
        except Exception as error:
            raise DataError(f"it raised {error!r}"[:_SHOWN], path=self.name) from error
        correct_type = isinstance(answers, Sequence) and not isinstance(answers, str | Mapping)
        if not correct_type or not all(isinstance(answer, str) for answer in answers):
            raise ErrataError(f"{self.name} returned {str(answers)[:80]!r}\n  hint: return a list of texts")
        if len(answers) != len(texts):
            problem = f"it returned {len(answers)} answers for {len(texts)}"
            raise DataError(problem, path=self.name)
        return list(map(Answer, answers))
