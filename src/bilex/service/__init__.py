"""bilex over HTTP: pages and routes."""
