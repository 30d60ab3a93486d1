"""What web applications share: database, writer, sessions, protection, pages and serving."""
