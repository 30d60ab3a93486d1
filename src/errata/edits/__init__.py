"""Edits: tag → align → merge → classify.

`pipeline` has the `Extractor`, which does all four. Taggers are in `taggers`, the costs of the alignment in
`alignment`, the merging rules in `merge`. A language is one module with a subclass of `language.Language`:
`english`, `czech`, and `universal` for all others.
"""
