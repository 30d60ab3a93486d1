"""Scores a submission on Codabench with errata: `python3 score.py INPUT OUTPUT`.

INPUT has the gold in `ref` (with `tracks.json`, which says what is scored and how) and the files of the
team in `res`. Scores go to OUTPUT/scores.json, signatures and messages to the log.
"""

import json
import sys
from pathlib import Path

import errata
from errata.corpus.formats import read_gold, read_hypotheses


def main(folder: Path, output: Path) -> int:
    scores = {}
    for track in json.loads((folder / "ref" / "tracks.json").read_text(encoding="utf-8")):
        files = [path for path in sorted((folder / "res").rglob(f"{track['name']}.*")) if path.is_file()]
        if not files:
            print(f"{track['name']}: no file {track['name']}.txt in the submission; it is left out")
            continue
        placed = {
            role: [str(folder / "ref" / path) for path in paths] for role, paths in track["texts"].items()
        }
        one = {role: paths[0] for role, paths in placed.items() if paths}
        corpus = read_gold(one.get("gold"), one.get("source"), placed.get("references", []), one.get("meta"))
        scored, outputs, _ = read_hypotheses([files[0]], corpus)
        results = errata.score(scored, {"system": next(iter(outputs.values()))}, metric=track["metrics"])
        for number, key in enumerate(track["keys"]):
            score = results.score("system", number)
            scores[key] = score.value
            print(f"{key} = {score.value}  {score.signature}")
    output.mkdir(parents=True, exist_ok=True)
    (output / "scores.json").write_text(json.dumps(scores), encoding="utf-8")
    return 0 if scores else 1


if __name__ == "__main__":
    try:
        sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
    except errata.ErrataError as error:
        sys.exit(f"error: {error}")
