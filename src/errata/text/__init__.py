"""Tokens and their integer ids: everything metrics need of text, and nothing about files."""
