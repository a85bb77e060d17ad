"""What training and publishing take: corpora in the formats of other programs."""
