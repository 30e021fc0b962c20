-- Subscribed sources. `key` is fixed when a feed is added, so that a permanent redirect
-- changes the address and not the identity of its entries.
CREATE TABLE feeds (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    url TEXT NOT NULL,
    title TEXT NOT NULL DEFAULT '',
    kind TEXT NOT NULL,
    private INTEGER NOT NULL DEFAULT 0,
    topic_filter INTEGER NOT NULL DEFAULT 0,
    language TEXT,
    etag TEXT,
    last_modified TEXT,
    last_checked INTEGER,
    last_changed INTEGER,
    next_check INTEGER,
    failing_since INTEGER,
    health TEXT,
    error TEXT
);

CREATE TABLE fetches (
    feed INTEGER NOT NULL REFERENCES feeds ON DELETE CASCADE,
    at INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    error TEXT,
    new INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    seconds REAL NOT NULL,
    PRIMARY KEY (feed, at)
) WITHOUT ROWID;

-- Their words, frozen. The short columns stand first: a list reads only these.
CREATE TABLE entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    feed INTEGER REFERENCES feeds ON DELETE SET NULL,
    source_key TEXT,
    title TEXT NOT NULL,
    snippet TEXT NOT NULL,
    url TEXT,
    published INTEGER,
    updated INTEGER,
    seen INTEGER NOT NULL, -- when this text first came
    raw_hash BLOB NOT NULL,
    text_hash BLOB NOT NULL,
    authors TEXT NOT NULL,
    categories TEXT NOT NULL,
    enclosures TEXT NOT NULL,
    notices TEXT NOT NULL,
    content_text TEXT NOT NULL,
    content_html TEXT NOT NULL
);
CREATE INDEX entries_feed ON entries (feed);
CREATE INDEX entries_source ON entries (source_key) WHERE source_key IS NOT NULL;

-- What an entry said before it was edited.
CREATE TABLE revisions (
    entry INTEGER NOT NULL REFERENCES entries ON DELETE CASCADE,
    text_hash BLOB NOT NULL,
    seen INTEGER NOT NULL,
    updated INTEGER,
    title TEXT NOT NULL,
    content_html TEXT NOT NULL,
    PRIMARY KEY (entry, text_hash)
) WITHOUT ROWID;

CREATE TABLE digests (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    entry INTEGER NOT NULL UNIQUE REFERENCES entries ON DELETE CASCADE,
    digest_key TEXT NOT NULL,
    scope TEXT NOT NULL UNIQUE, -- the key, with the site where two sites share it
    site TEXT NOT NULL DEFAULT '',
    parsed TEXT NOT NULL
);
CREATE INDEX digests_key ON digests (digest_key);

-- Each form a digest came in, as it was read; the digest shown is merged from these.
CREATE TABLE digest_forms (
    digest INTEGER NOT NULL REFERENCES digests ON DELETE CASCADE,
    form TEXT NOT NULL,
    seen INTEGER NOT NULL,
    parsed TEXT NOT NULL,
    PRIMARY KEY (digest, form)
) WITHOUT ROWID;

CREATE TABLE items (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    digest INTEGER NOT NULL REFERENCES digests ON DELETE CASCADE,
    position INTEGER NOT NULL,
    gone INTEGER NOT NULL DEFAULT 0,
    title TEXT NOT NULL,
    title_derived INTEGER NOT NULL,
    section TEXT NOT NULL,
    url TEXT,
    snippet TEXT NOT NULL,
    parsed TEXT NOT NULL
);
CREATE INDEX items_digest ON items (digest, position);

CREATE TABLE sources (
    item INTEGER NOT NULL REFERENCES items ON DELETE CASCADE,
    n INTEGER NOT NULL,
    title TEXT NOT NULL,
    url TEXT,
    source_key TEXT,
    PRIMARY KEY (item, n)
) WITHOUT ROWID;
CREATE INDEX sources_key ON sources (source_key) WHERE source_key IS NOT NULL;

-- Every key under which a story is known (its own and those of other forms and addresses)
-- leads to the key its marks stand under.
CREATE TABLE aliases (
    alias TEXT PRIMARY KEY,
    key TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX aliases_key ON aliases (key);

-- One order over items, entries and digests: `place` is seconds since 1970 << 20 | sequence,
-- and also the row of the search index. Marks stand here only as a copy, for filters.
CREATE TABLE stories (
    place INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    ref INTEGER NOT NULL,
    feed INTEGER,
    digest INTEGER,
    combination INTEGER NOT NULL REFERENCES combinations,
    score REAL NOT NULL DEFAULT -1,
    read INTEGER NOT NULL DEFAULT 0,
    starred INTEGER NOT NULL DEFAULT 0,
    queued INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX stories_ref ON stories (kind, ref);
CREATE INDEX stories_kind ON stories (kind, place, read, combination);
CREATE INDEX stories_feed ON stories (feed, place, read, kind) WHERE feed IS NOT NULL;
CREATE INDEX stories_digest ON stories (digest, place) WHERE digest IS NOT NULL;
CREATE INDEX stories_score ON stories (score, place);
CREATE INDEX stories_unread ON stories (kind, place) WHERE read = 0;
CREATE INDEX stories_starred ON stories (place) WHERE starred = 1;
CREATE INDEX stories_queued ON stories (place) WHERE queued = 1;

-- The label rows, clustered for filters. `whose` says who gave the label: site, ours, or mine
-- (a tag of the user's). Layers stand here as the site gives them, else as we do.
CREATE TABLE labels (
    id INTEGER PRIMARY KEY,
    family TEXT NOT NULL,
    name TEXT NOT NULL,
    UNIQUE (family, name)
);
CREATE TABLE labelled (
    label INTEGER NOT NULL REFERENCES labels,
    place INTEGER NOT NULL,
    whose TEXT NOT NULL,
    PRIMARY KEY (label, place)
) WITHOUT ROWID;

-- All labels of a story, theirs and ours apart; few combinations occur, so counts are cheap.
CREATE TABLE combinations (
    id INTEGER PRIMARY KEY,
    labels TEXT NOT NULL UNIQUE
);

CREATE VIRTUAL TABLE search USING fts5 (
    title, body,
    content = '', tokenize = "unicode61 remove_diacritics 2 tokenchars '_'", prefix = '3'
);

-- Our marks, under the story's key and not its row, so that they outlive it. One row a mark
-- with the time it was last changed (microseconds since 1970): the later one wins in a merge.
CREATE TABLE marks (
    key TEXT NOT NULL,
    mark TEXT NOT NULL,
    value TEXT,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (key, mark)
) WITHOUT ROWID;
CREATE INDEX marks_mark ON marks (mark) WHERE mark NOT IN ('read', 'starred');

CREATE TABLE queue (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    added INTEGER NOT NULL
);

CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    check_name TEXT NOT NULL,
    check_hash TEXT NOT NULL,
    story TEXT,
    status TEXT NOT NULL,
    started INTEGER NOT NULL,
    finished INTEGER,
    machine TEXT NOT NULL,
    legs TEXT NOT NULL DEFAULT '[]',
    pid INTEGER,
    pid_started REAL
);
CREATE INDEX runs_story ON runs (story) WHERE story IS NOT NULL;
CREATE INDEX runs_check ON runs (check_name);

-- A raw result can be judged again; the newest judgement holds, the others stay.
CREATE TABLE judgements (
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    at INTEGER NOT NULL,
    verdicts TEXT NOT NULL,
    PRIMARY KEY (run, at)
) WITHOUT ROWID;

CREATE TABLE artefacts (
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    name TEXT NOT NULL,
    file TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (run, name)
) WITHOUT ROWID;

-- The files of a check as they were when it ran.
CREATE TABLE check_files (
    hash TEXT NOT NULL,
    name TEXT NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (hash, name)
) WITHOUT ROWID;

CREATE TABLE images (
    url TEXT PRIMARY KEY,
    type TEXT,
    body BLOB,
    tries INTEGER NOT NULL DEFAULT 0,
    error TEXT
);
CREATE INDEX images_missing ON images (tries) WHERE body IS NULL;
CREATE TABLE image_uses (
    url TEXT NOT NULL REFERENCES images ON DELETE CASCADE,
    entry INTEGER NOT NULL REFERENCES entries ON DELETE CASCADE,
    PRIMARY KEY (url, entry)
) WITHOUT ROWID;
CREATE INDEX image_uses_entry ON image_uses (entry);

CREATE TABLE leases (
    name TEXT PRIMARY KEY,
    pid INTEGER NOT NULL,
    pid_started REAL NOT NULL,
    taken INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
