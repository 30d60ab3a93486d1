"""How results are shown: one table type for every format. Nothing is computed here."""
