"""The entry point of `errata` and of `python -m errata`: Ctrl-C ends it cleanly at any moment."""

from __future__ import annotations

import os
import signal
import sys

# Work is spread over threads already; threads of BLAS within them only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def main() -> None:
    """Run the command line; 130 is the exit code of a run that Ctrl-C ended, also while it was loading."""
    code: int | str | None = 0
    try:
        from errata.cli import main as run

        run()
    except ImportError as error:
        if "errata-gec" not in str(error):
            raise
        code = f"error: {error}"
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        code = 130
    except SystemExit as end:
        code = end.code
    # What is left is to free memory: no second traceback, and after a first Ctrl-C a second one ends all.
    signal.signal(signal.SIGINT, signal.SIG_DFL if code == 130 else signal.SIG_IGN)
    # CPython ends by a signal if `exec` was interrupted (as in making a dataclass), unless it forgets that.
    exec("")  # nosec B102
    sys.exit(code)


if __name__ == "__main__":
    main()
