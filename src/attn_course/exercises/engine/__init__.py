"""What reads, draws, runs, compares and marks exercises; they lie in `bank`."""
