"""Tables, plots and pages of finished results; nothing is computed here."""
