"""The card of a trained quality estimator: what it is and learned from, how good it is, how to use it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from errata import __version__
from errata.corpus.files import file_sha256
from errata.models.loading import identity
from errata.models.quality.recipe import Recipe

_USE = {
    "ranking": "impara:model={folder},encoder={encoder}",
    "regression": "some:grammaticality={folder},fluency={folder},meaning=MODEL",
}
_WHAT = {
    "ranking": "learned to give the better of two partial corrections the larger number (the recipe of "
    "IMPARA, Maeda, Kaneko & Okazaki 2022)",
    "regression": "learned to give texts the scores that people gave them",
}


def write_card(recipe: Recipe, folder: Path, figures: Mapping[str, float], counts: tuple[int, int]) -> None:
    """Write README.md beside the model, with the recipe, so that it can be trained again."""
    objective = recipe.model.objective
    files = recipe.data.parallel if objective == "ranking" else recipe.data.scores
    texts = "\n".join(
        f"  - `{Path(name).name}`, sha256 {file_sha256(recipe.file(name))[:16]}" for name in files
    )
    kind = "pairs" if objective == "ranking" else "texts"
    found = ", ".join(f"{name} {value:.4g}" for name, value in figures.items() if name != "epoch")
    kept = f"{figures.get('epoch', recipe.training.epochs):g} of {recipe.training.epochs}"
    use = _USE[objective].format(folder=folder.name, encoder=recipe.model.encoder)
    content = f"""# Model card: quality estimator

One number per {"source and hypothesis" if recipe.model.pair else "text"}; it {_WHAT[objective]}.

- **Encoder**: {identity(recipe.model.encoder)}
- **Data**: {counts[0]:,} {kind} to learn from and {counts[1]:,} held out, from
{texts}
- **Held-out {kind}**: {found or "none"}; epoch {kept} was kept.
- **Made by**: `errata train`, version {__version__}, seed {recipe.training.seed}
- **Licence**: that of the encoder and of the data; add yours.
- **Limits**: it was tested on held-out parts of its own data only. Measure its agreement with people
  (`errata meta`) and what it rewards (`errata meta audit`) before you rely on it.

```sh
errata score --source source.txt --hyp A.txt --metric {use}
```

The recipe:

```toml
{recipe.path.read_text("utf-8").strip()}
```
"""
    (folder / "README.md").write_text(content, encoding="utf-8")
