"""Chat histories: files become turns with their own times, and turns are committed in batches."""
