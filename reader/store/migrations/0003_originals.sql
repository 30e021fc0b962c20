-- The whole text of an entry's page, for feeds that give only its beginning. It stands beside
-- the feed's own text and never in its place; an earlier one stays when the page has changed.
CREATE TABLE whole_texts (
    id INTEGER PRIMARY KEY,
    entry INTEGER NOT NULL REFERENCES entries ON DELETE CASCADE,
    seen INTEGER NOT NULL, -- when this text first came
    feed_hash BLOB NOT NULL, -- what the feed said then: the entry's text_hash
    text_hash BLOB NOT NULL,
    url TEXT NOT NULL,
    content_text TEXT NOT NULL,
    content_html TEXT NOT NULL,
    UNIQUE (entry, text_hash)
);

-- Whether the whole text of a feed's entries is fetched at every sync.
ALTER TABLE feeds ADD COLUMN whole_text INTEGER NOT NULL DEFAULT 0;

-- Sources of items, and pages of entries, that were asked for and could not be had.
CREATE TABLE refused (
    key TEXT PRIMARY KEY, -- an item's source_key, or an entry's key
    tries INTEGER NOT NULL,
    tried INTEGER NOT NULL,
    why TEXT NOT NULL
) WITHOUT ROWID;
