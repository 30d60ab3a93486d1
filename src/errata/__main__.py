"""`python -m errata` is `errata`."""

from errata.cli import main

if __name__ == "__main__":
    main()
