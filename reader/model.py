"""The nouns: frozen dataclasses and enums that every room speaks; no behaviour, no imports up.

What a parser found carries no id (`ParsedFeed`, `ParsedEntry`, `ParsedDigest`, `ParsedItem`); what
the store keeps does (`Feed`, `Entry`, `Digest`, `Item`). Ids carry their type in front: f5, e12,
d3, i34, q7, r6. Instants are aware datetimes; a date the source gives without time is a `date`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

# ── their words ────────────────────────────────────────────────────────────────────────────────


class Layer(StrEnum):
    """The nine layers of the digest site, in stack order."""

    FRONTEND = "frontend"
    GRAPH_IR = "graph_ir"
    TENSOR_IR = "tensor_ir"
    OPTIMIZATION = "optimization"
    KERNEL_CODEGEN = "kernel_codegen"
    HARDWARE_BACKEND = "hardware_backend"
    RUNTIME = "runtime"
    DISTRIBUTED = "distributed"
    BENCHMARK = "benchmark"


class Evidence(StrEnum):
    """What a source shows, weakest first; an item's kind is the strongest it shows."""

    NONE = "none"
    CODEGEN = "codegen"
    PROPERTY = "property"
    REGRESSION = "regression"
    KERNEL = "kernel"
    END_TO_END = "end_to_end"


@dataclass(frozen=True, slots=True)
class Labels:
    """Our own labels of a text; hardware are node names of classify's tree (hopper, sm_90a)."""

    layers: tuple[Layer, ...] = ()
    hardware: tuple[str, ...] = ()  # the most specific nodes named: what is shown
    evidence: Evidence = Evidence.NONE
    evidence_all: tuple[Evidence, ...] = ()
    hardware_all: tuple[str, ...] = ()  # these and everything above them: what a filter finds


class FeedKind(StrEnum):
    """How a Feed is fetched and read."""

    FEED = "feed"
    DIGEST_SITE = "digest_site"
    GITHUB_RELEASES = "github_releases"
    GITHUB_COMMITS = "github_commits"
    ARXIV = "arxiv"
    FOLDER = "folder"


@dataclass(frozen=True, slots=True)
class ParsedEntry:
    """One post as a feed gives it; HTML and title are raw here, the store sanitises."""

    title: str
    guid: str | None = None
    url: str | None = None
    authors: tuple[str, ...] = ()
    published: datetime | None = None
    updated: datetime | None = None
    content_html: str = ""
    categories: tuple[str, ...] = ()
    enclosures: tuple[str, ...] = ()
    base_url: str | None = None  # what relative links in the content stand against
    summary: str = ""  # a teaser beside the content, raw HTML


@dataclass(frozen=True, slots=True)
class ParsedFeed:
    """One feed document; `format` is rss, atom, rdf or jsonfeed."""

    title: str
    format: str
    url: str | None = None  # the site's page
    self_url: str | None = None
    language: str | None = None
    entries: tuple[ParsedEntry, ...] = ()
    notices: tuple[str, ...] = ()  # what was odd and how it was read, for the health line


@dataclass(frozen=True, slots=True)
class Source:
    """A primary source an Item names; `entry_id` once the store holds the original."""

    title: str
    url: str | None = None
    entry_id: str | None = None


@dataclass(frozen=True, slots=True)
class Reference:
    """A numbered reference of a quick-look digest."""

    n: int
    title: str
    url: str | None = None
    host: str | None = None


@dataclass(frozen=True, slots=True)
class ParsedItem:
    """One story of a digest, as far as its form carries it."""

    title: str
    title_derived: bool = False
    section: str = ""
    number: int | None = None
    summary: str = ""
    why: str = ""
    layers: tuple[Layer, ...] = ()
    layers_unknown: tuple[str, ...] = ()  # names that are none of the nine, kept as they stand
    group: str | None = None
    happened_at: datetime | None = None
    commit: str | None = None
    reported_result: str | None = None
    scenario: str | None = None
    first_step: str | None = None
    action_window: str | None = None
    body: str = ""  # paragraphs beyond summary and why, joined by blank lines
    refs: tuple[int, ...] = ()
    score: float | None = None
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class WatchLine:
    """One line of a digest's watch list."""

    text: str


@dataclass(frozen=True, slots=True)
class Step:
    """One line of "verify by the shape of your system": a condition and what to do."""

    condition: str
    text: str


class DigestKind(StrEnum):
    """The generators' formats we understand."""

    DAILY = "daily"
    QUICK_LOOK = "quick_look"


class Form(StrEnum):
    """The forms a digest arrives in, poorest first."""

    TEXT = "text"
    PAGE = "page"
    FEED_HTML = "feed_html"
    MARKDOWN = "markdown"


@dataclass(frozen=True, slots=True)
class ParsedDigest:
    """One digest divided into items; `remainder` is what was not understood, shown as text."""

    kind: DigestKind
    form: Form
    title: str
    items: tuple[ParsedItem, ...] = ()
    date: date | None = None
    window_since: datetime | None = None
    cutoff_at: datetime | None = None
    generation_mode: str | None = None
    incomplete: bool = False
    notices: tuple[str, ...] = ()  # theirs: failed sources with their errors
    no_news: bool = False
    overview: str = ""
    watch: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    empty_sections: tuple[str, ...] = ()
    raw_counts: tuple[tuple[str, int], ...] = ()
    references: tuple[Reference, ...] = ()
    disclaimer: str = ""
    site: str | None = None  # host, where the form tells it
    remainder: str = ""
    not_understood: tuple[str, ...] = ()  # ours: which part was not understood


@dataclass(frozen=True, slots=True)
class Incoming:
    """An entry on its way into the store, with what the pure rooms made of it."""

    entry: ParsedEntry
    labels: Labels = field(default_factory=Labels)
    digest: ParsedDigest | None = None
    item_labels: tuple[Labels, ...] = ()  # one for each of the digest's items
    notices: tuple[str, ...] = ()  # ours: why a digest could not be divided


@dataclass(frozen=True, slots=True)
class Saved:
    """What one save did; ids of entries."""

    new: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()


# ── what the store keeps ───────────────────────────────────────────────────────────────────────


class Health(StrEnum):
    """How a Feed is doing."""

    OK = "ok"
    QUIET = "quiet"
    UNCHANGED = "unchanged"
    DUPLICATES = "duplicates"
    STALE = "stale"
    FAILED = "failed"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Fetch:
    """One attempt at a Feed and what came of it."""

    at: datetime
    outcome: Health
    error: str | None = None
    new: int = 0
    updated: int = 0
    seconds: float = 0.0
    etag: str | None = None
    last_modified: str | None = None
    next_check: datetime | None = None
    url: str | None = None  # the address to use from now on, after permanent redirects


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person wants of one source; as it stands here where nothing was said."""

    prereleases: bool = False  # GitHub: release candidates, betas
    nightly: bool = False  # GitHub: what a machine builds and tags by itself
    cross: bool = True  # arXiv: papers whose first category is another
    replaced: bool = True  # arXiv: new versions of papers that the source gave before we knew it
    history: bool = True  # digest sites: fetch what was published before, in the background
    topics: tuple[str, ...] = ()  # an entry has to be about one of these, in plain words
    zone: str = ""  # of times without one: Asia/Shanghai, +08:00


@dataclass(frozen=True, slots=True)
class Feed:
    """A subscribed source."""

    id: str
    url: str
    title: str
    kind: FeedKind = FeedKind.FEED
    last_checked: datetime | None = None
    last_changed: datetime | None = None
    next_check: datetime | None = None
    health: Health | None = None  # None: never fetched
    error: str | None = None
    entries: int = 0
    unread: int = 0
    etag: str | None = None
    last_modified: str | None = None
    private: bool = False  # typed or imported by the user: may live on a private address
    topic_filter: bool = False  # keep only entries about compilers and kernels
    language: str | None = None
    failing_since: datetime | None = None
    wanted: Wanted = field(default_factory=Wanted)


class QueueState(StrEnum):
    """Where a queue entry stands; everything but queued, waiting and dropped comes from Runs."""

    QUEUED = "queued"
    WAITING = "waiting"
    RUNNING = "running"
    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    INCONCLUSIVE = "inconclusive"
    NOT_APPLICABLE = "not_applicable"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Marks:
    """What the user has said of an Item, Entry or Digest."""

    read: bool = False
    starred: bool = False
    tags: tuple[str, ...] = ()
    note: str | None = None
    queue_state: QueueState | None = None
    muted: str | None = None  # the rule that took it out of the lists


class StoryKind(StrEnum):
    """What a row of a list stands for."""

    ITEM = "item"
    ENTRY = "entry"
    DIGEST = "digest"


@dataclass(frozen=True, slots=True)
class Item:
    """One story of a stored digest."""

    id: str
    digest: str
    title: str
    title_derived: bool
    feed: str | None
    section: str
    number: int | None
    published: datetime | None
    url: str | None  # the first source's address, else the digest's
    summary: str
    why: str
    body: str
    layers: tuple[Layer, ...]
    layers_unknown: tuple[str, ...]
    labels: Labels
    group: str | None
    happened_at: datetime | None
    commit: str | None
    reported_result: str | None
    scenario: str | None
    first_step: str | None
    action_window: str | None
    refs: tuple[int, ...]
    score: float | None
    sources: tuple[Source, ...]
    marks: Marks
    gone: bool = False  # it vanished from an edited digest and is kept


@dataclass(frozen=True, slots=True)
class Entry:
    """One stored post; HTML is sanitised."""

    id: str
    title: str
    feed: str | None
    published: datetime | None
    updated: datetime | None
    url: str | None
    authors: tuple[str, ...]
    content_text: str
    content_html: str
    versions: int  # revisions kept, this one included
    labels: Labels
    marks: Marks
    notices: tuple[str, ...] = ()
    digest: str | None = None
    categories: tuple[str, ...] = ()  # the feed's; of releases and papers also what kind they are


@dataclass(frozen=True, slots=True)
class Digest:
    """One stored digest; `parsed` holds everything but the items."""

    id: str
    entry: str
    parsed: ParsedDigest
    items: tuple[str, ...]
    feed: str | None
    published: datetime | None
    url: str | None
    marks: Marks


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a list: enough to draw it, whatever it stands for."""

    id: str
    kind: StoryKind
    title: str
    title_derived: bool
    snippet: str
    published: datetime | None
    score: float | None
    layers: tuple[Layer, ...]  # theirs, else ours
    layers_ours: bool
    hardware: tuple[str, ...]
    evidence: Evidence
    feed: str | None
    feed_title: str
    feed_kind: FeedKind | None
    digest: str | None
    section: str
    url: str | None
    marks: Marks


class Order(StrEnum):
    """How a list is sorted; rank only where there is a search."""

    DATE = "date"
    SCORE = "score"
    RANK = "rank"


@dataclass(frozen=True, slots=True)
class Query:
    """What a list shows; everything combines by "and"."""

    kinds: tuple[StoryKind, ...] = (StoryKind.ITEM,)
    text: str = ""
    layers: tuple[Layer, ...] = ()
    hardware: tuple[str, ...] = ()  # a node finds everything below it
    evidence: tuple[Evidence, ...] = ()  # any of these
    min_score: float | None = None
    since: datetime | None = None
    until: datetime | None = None
    unread: bool = False
    starred: bool = False
    queued: bool = False
    muted: bool = False  # only what a rule has muted, which no other list shows
    tags: tuple[str, ...] = ()
    feed: str | None = None
    digest: str | None = None
    order: Order = Order.DATE
    limit: int | None = 50
    after: tuple[float, int] | None = None  # keyset cursor, opaque to callers


@dataclass(frozen=True, slots=True)
class Counts:
    """How many stories each further filter would leave."""

    total: int
    unread: int
    layers: dict[Layer, int]
    hardware: dict[str, int]
    evidence: dict[Evidence, int]


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """An Item or Entry marked for validation; `state`, `decided` and `runs` come from Runs."""

    id: str
    item: str
    title: str
    state: QueueState
    due: date | None = None
    priority: int = 0
    tags: tuple[str, ...] = ()
    note: str | None = None
    check: str | None = None
    runs: tuple[str, ...] = ()
    decided: int = 0
    claims: int = 0
    added: datetime | None = None
    stale: bool = False


# ── checks ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Text:
    """The same sentence in both languages."""

    zh: str
    en: str


@dataclass(frozen=True, slots=True)
class Reason:
    """Why, as a code with parameters; `language` and the manifest turn it into a sentence."""

    code: str
    params: tuple[tuple[str, Any], ...] = ()


class VerdictKind(StrEnum):
    """The five verdicts."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    INCONCLUSIVE = "inconclusive"
    NOT_APPLICABLE = "not_applicable"
    COULD_NOT_RUN = "could_not_run"


@dataclass(frozen=True, slots=True)
class Needs:
    """What a Claim needs of the machine beyond the check's environment."""

    gpus: int = 0
    compute_capability: str | None = None  # at least this, such as 8.0
    toolkit: str | None = None  # at least this CUDA version; "" is any
    tools: tuple[str, ...] = ()  # programs on PATH or in the toolkit: nvcc, ptxas, g++


@dataclass(frozen=True, slots=True)
class Race:
    """What a claim says of a candidate's time beside its baseline's, and from where it matters."""

    threshold: float  # a difference below it is none in practice; 0.02: two parts in a hundred
    expects: str = "faster"  # faster, slower, same, different
    by: float = 1.0  # how many times, where the claim says so


@dataclass(frozen=True, slots=True)
class Parameter:
    """What a user may choose for a run of a Check: a value, or a function of a file of theirs."""

    name: str
    text: Text
    function: bool = False  # written FILE.py:NAME


@dataclass(frozen=True, slots=True)
class Claim:
    """What a Check can decide, in our words; rules are conditions over measurements."""

    id: str
    kind: Evidence
    text: Text
    method: Text  # how it is tested here, one line
    expected: Text  # what the source says, one line
    needs: Needs = field(default_factory=Needs)
    applies: tuple[str, ...] = ()  # else not_applicable
    confirm: tuple[str, ...] = ()  # all hold: confirmed
    refute: tuple[str, ...] = ()  # any holds: refuted
    because: tuple[tuple[VerdictKind, Text], ...] = ()  # a sentence with {measurements}, by verdict
    shows: tuple[str, ...] = ()  # measurements shown beside the verdict
    shown_on_gpu: str | None = None  # id of the record that showed its GPU part; None: never
    race: Race | None = None  # judged by the times that the script took

    @property
    def never_on_gpu(self) -> bool:
        """Whether the claim needs a GPU and no record has shown it on one yet."""
        return self.needs.gpus > 0 and self.shown_on_gpu is None


@dataclass(frozen=True, slots=True)
class Packages:
    """The Python environment a check runs in; equal needs share one environment."""

    python: str = ">=3.11"  # a version specifier
    requires: tuple[str, ...] = ()  # pinned: name==version
    lock: str | None = None  # file in the check's folder with hashes
    size_mb: int = 0
    import_names: tuple[str, ...] = ()  # what must import for an interpreter to satisfy it
    lighter: str | None = None  # a lock tried first, of builds that not every index has
    accepts: tuple[str, ...] = ()  # what a Python of the user's needs, where that is less


@dataclass(frozen=True, slots=True)
class Side:
    """One of several environments that a check compares; each gets a Leg of this name."""

    name: str
    packages: Packages


@dataclass(frozen=True, slots=True)
class Limits:
    """What one Leg may use."""

    seconds: int = 300
    memory_mb: int = 8192
    disk_mb: int = 2048
    artefacts_mb: int = 32


@dataclass(frozen=True, slots=True)
class Matches:
    """What a Check fits: exact sources first, then projects, then words of the claim."""

    urls: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    words: tuple[str, ...] = ()  # one has to stand in title, summary or body


@dataclass(frozen=True, slots=True)
class Check:
    """A manifest, validated, with its script; only shipped or trusted ones run."""

    name: str
    title: Text
    summary: Text
    claims: tuple[Claim, ...]
    control: tuple[str, ...]  # conditions that must hold or every claim is inconclusive
    control_text: Text
    packages: Packages
    limits: Limits
    matches: Matches
    archs: tuple[str, ...]  # default targets, such as sm_90
    measures: tuple[tuple[str, str], ...]  # measurement name → unit ("" for a count)
    folder: Path
    hash: str  # sha256 over manifest, script and every other file of the folder
    bundled: bool = True
    sides: tuple[Side, ...] = ()  # empty: one Leg, in `packages`; else `packages` sums them up
    each_toolkit: bool = False  # whether a run may have a Leg for each of several toolkits
    parameters: tuple[Parameter, ...] = ()  # what a user may choose for a run
    control_threshold: float = 0.02  # from where a difference of the control's races counts


@dataclass(frozen=True, slots=True)
class Toolkit:
    """One CUDA install."""

    root: Path
    version: str  # as nvcc (else ptxas) says, such as 13.0
    release: str  # the full build line's number, such as 13.0.88
    tools: tuple[tuple[str, str], ...]  # tool name → path
    origin: str  # path, environment, system, conda, pip


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU as the driver describes it."""

    name: str
    compute_capability: str
    memory_mb: int
    uuid_hash: str
    details: tuple[
        tuple[str, Any], ...
    ] = ()  # power limit, clocks, throttle, temperature, ECC, MIG


@dataclass(frozen=True, slots=True)
class Machine:
    """This computer at one moment."""

    system: str
    cpu: str
    cores: int
    memory_mb: int
    load: float
    gpus: tuple[Gpu, ...] = ()
    driver: str | None = None
    no_gpu_reason: str | None = None
    overrides: tuple[tuple[str, str], ...] = ()  # CUDA_VISIBLE_DEVICES and the like


@dataclass(frozen=True, slots=True)
class Interpreter:
    """One Python with what it has installed."""

    path: str
    version: str
    origin: str  # path, venv, conda, pyenv, uv, managed, asked
    packages: tuple[tuple[str, str], ...] = ()


class RunStatus(StrEnum):
    """How a Run stands."""

    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"  # nothing could be measured
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Leg:
    """One environment + toolkit + targets and the raw result it gave."""

    name: str
    environment: dict[str, Any]
    toolkit: dict[str, Any] | None
    target: str
    measured: dict[str, Any]
    cases: tuple[dict[str, Any], ...]  # rows behind the measurements, as the script gave them
    log: str
    command: tuple[str, ...]
    exit_status: int | None
    seconds: float
    fault: Reason | None = None  # why there is no usable result
    obstacles: dict[str, Any] = field(default_factory=dict)  # claim → {"code": …, "params": {…}}
    control_done: bool = True  # whether the script ran its negative control to the end


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one Claim in one Run."""

    claim: str
    kind: Evidence
    verdict: VerdictKind
    reason: Reason
    measured: dict[str, Any]
    expected: Text
    judge: int  # the judge's version


@dataclass(frozen=True, slots=True)
class Artefact:
    """A file a Run keeps; `path` is absolute on this machine."""

    name: str
    path: str
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of a Check, our record."""

    id: str
    check: str
    check_hash: str
    item: str | None
    status: RunStatus
    started: datetime
    finished: datetime | None
    machine: dict[str, Any]
    legs: tuple[Leg, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    artefacts: tuple[Artefact, ...] = ()
    stale: tuple[Reason, ...] = ()  # what has changed since; empty: it still holds


@dataclass(frozen=True, slots=True)
class RunProgress:
    """Where a Run stands, for whoever watches: a step, how far, and perhaps a log line."""

    step: str  # environment, preflight, control, measure, judge
    done: int = 0
    total: int = 0
    claim: str | None = None
    message: str = ""
    line: str | None = None


@dataclass(frozen=True, slots=True)
class Preflight:
    """Per claim, before a run: whether it can be shown here, and if not what is missing."""

    claim: str
    here: bool
    why_not: Reason | None = None
