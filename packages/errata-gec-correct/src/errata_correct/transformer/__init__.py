"""A Transformer corrector: trained by one TOML recipe, decoded with PyTorch or, faster, CTranslate2."""
