"""Files on disk: written atomically, hashed, described by a manifest."""
