CREATE TABLE aliases (
    alias TEXT PRIMARY KEY,
    key TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE artefacts (
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    name TEXT NOT NULL,
    file TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (run, name)
) WITHOUT ROWID;
CREATE TABLE check_files (
    hash TEXT NOT NULL,
    name TEXT NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (hash, name)
) WITHOUT ROWID;
CREATE TABLE combinations (
    id INTEGER PRIMARY KEY,
    labels TEXT NOT NULL UNIQUE
);
CREATE TABLE digest_forms (
    digest INTEGER NOT NULL REFERENCES digests ON DELETE CASCADE,
    form TEXT NOT NULL,
    seen INTEGER NOT NULL,
    parsed TEXT NOT NULL,
    PRIMARY KEY (digest, form)
) WITHOUT ROWID;
CREATE TABLE digests (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    entry INTEGER NOT NULL UNIQUE REFERENCES entries ON DELETE CASCADE,
    digest_key TEXT NOT NULL,
    scope TEXT NOT NULL UNIQUE, -- the key, with the site where two sites share it
    site TEXT NOT NULL DEFAULT '',
    parsed TEXT NOT NULL
);
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
CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
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
, whole_text INTEGER NOT NULL DEFAULT 0, wanted TEXT NOT NULL DEFAULT '');
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
CREATE TABLE image_uses (
    url TEXT NOT NULL REFERENCES images ON DELETE CASCADE,
    entry INTEGER NOT NULL REFERENCES entries ON DELETE CASCADE,
    PRIMARY KEY (url, entry)
) WITHOUT ROWID;
CREATE TABLE images (
    url TEXT PRIMARY KEY,
    type TEXT,
    body BLOB,
    tries INTEGER NOT NULL DEFAULT 0,
    error TEXT
);
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
CREATE TABLE judgements (
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    at INTEGER NOT NULL,
    verdicts TEXT NOT NULL,
    PRIMARY KEY (run, at)
) WITHOUT ROWID;
CREATE TABLE labelled (
    label INTEGER NOT NULL REFERENCES labels,
    place INTEGER NOT NULL,
    whose TEXT NOT NULL,
    PRIMARY KEY (label, place)
) WITHOUT ROWID;
CREATE TABLE labels (
    id INTEGER PRIMARY KEY,
    family TEXT NOT NULL,
    name TEXT NOT NULL,
    UNIQUE (family, name)
);
CREATE TABLE leases (
    name TEXT PRIMARY KEY,
    pid INTEGER NOT NULL,
    pid_started REAL NOT NULL,
    taken INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE marks (
    key TEXT NOT NULL,
    mark TEXT NOT NULL,
    value TEXT,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (key, mark)
) WITHOUT ROWID;
CREATE TABLE queue (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    added INTEGER NOT NULL
);
CREATE TABLE refused (
    key TEXT PRIMARY KEY, -- an item's source_key, or an entry's key
    tries INTEGER NOT NULL,
    tried INTEGER NOT NULL,
    why TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE revisions (
    entry INTEGER NOT NULL REFERENCES entries ON DELETE CASCADE,
    text_hash BLOB NOT NULL,
    seen INTEGER NOT NULL,
    updated INTEGER,
    title TEXT NOT NULL,
    content_html TEXT NOT NULL,
    PRIMARY KEY (entry, text_hash)
) WITHOUT ROWID;
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
CREATE VIRTUAL TABLE search USING fts5 (
    title, body,
    content = '', tokenize = "unicode61 remove_diacritics 2 tokenchars '_'", prefix = '3'
);
CREATE TABLE sources (
    item INTEGER NOT NULL REFERENCES items ON DELETE CASCADE,
    n INTEGER NOT NULL,
    title TEXT NOT NULL,
    url TEXT,
    source_key TEXT,
    PRIMARY KEY (item, n)
) WITHOUT ROWID;
CREATE TABLE sqlite_sequence(name,seq);
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
CREATE INDEX aliases_key ON aliases (key);
CREATE INDEX digests_key ON digests (digest_key);
CREATE INDEX entries_feed ON entries (feed);
CREATE INDEX entries_source ON entries (source_key) WHERE source_key IS NOT NULL;
CREATE INDEX image_uses_entry ON image_uses (entry);
CREATE INDEX images_missing ON images (tries) WHERE body IS NULL;
CREATE INDEX items_digest ON items (digest, position);
CREATE INDEX marks_mark ON marks (mark) WHERE mark NOT IN ('read', 'starred');
CREATE INDEX runs_check ON runs (check_name);
CREATE INDEX runs_story ON runs (story) WHERE story IS NOT NULL;
CREATE INDEX sources_key ON sources (source_key) WHERE source_key IS NOT NULL;
CREATE INDEX stories_digest ON stories (digest, place) WHERE digest IS NOT NULL;
CREATE INDEX stories_feed ON stories (feed, place, read, kind) WHERE feed IS NOT NULL;
CREATE INDEX stories_kind ON stories (kind, place, read, combination);
CREATE INDEX stories_queued ON stories (place) WHERE queued = 1;
CREATE UNIQUE INDEX stories_ref ON stories (kind, ref);
CREATE INDEX stories_score ON stories (score, place);
CREATE INDEX stories_starred ON stories (place) WHERE starred = 1;
CREATE INDEX stories_unread ON stories (kind, place) WHERE read = 0;
