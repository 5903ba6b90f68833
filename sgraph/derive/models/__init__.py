"""Models at work: where they are asked, how one is asked, and the jobs that do it."""
