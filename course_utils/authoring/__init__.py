"""Making the course: notebooks, pages and the site from their sources."""
