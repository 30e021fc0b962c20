-- What a person wants of a source: pre-releases, nightly builds, topics, kinds of papers.
ALTER TABLE feeds ADD COLUMN wanted TEXT NOT NULL DEFAULT '';
