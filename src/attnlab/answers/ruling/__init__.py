"""Whether an answer holds, where it fails, and how it can be mended."""
