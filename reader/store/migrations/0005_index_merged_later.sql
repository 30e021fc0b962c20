-- Segments of the search index wait until there are sixteen of a level, and are then merged bit by
-- bit by the writes that follow: merging at four was a fifth of what a first sync's index cost.
INSERT INTO search (search, rank) VALUES ('automerge', 16);
INSERT INTO search (search, rank) VALUES ('crisismerge', 64);
