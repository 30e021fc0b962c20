-- How much of the search index is gathered before it becomes a segment on disk: a whole write's,
-- else segments of a megabyte are merged again and again while feeds come in.
INSERT INTO search (search, rank) VALUES ('hashsize', 8388608);
