"""Canonical addresses, and the keys by which Entries, Digests and Items are known again."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from datetime import UTC
from functools import lru_cache
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from reader.model import ParsedDigest, ParsedEntry, ParsedItem

ARXIV_ID = r"(?:\d{4}\.\d{4,5}|[a-z][a-z-]+(?:\.[a-z]{2})?/\d{7})"
_ARXIV = re.compile(
    rf"^(?:oai:)?arxiv(?:\.org)?:({ARXIV_ID})(?:v\d+)?$"
    rf"|^https?://(?:[\w-]+\.)?arxiv\.org/(?:abs|pdf|html|format|ps|e-print|src)/"
    rf"({ARXIV_ID})(?:v\d+)?(?:\.pdf)?/?(?:[?#].*)?$"
    rf"|^(?:https?://(?:dx\.)?doi\.org/|doi:)10\.48550/arxiv\.({ARXIV_ID})(?:v\d+)?/?$",
    re.IGNORECASE | re.ASCII,
)
_DOI = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)(10\.\d{4,9}/[^\s?#]+)", re.IGNORECASE)
_GITHUB = re.compile(
    r"^https?://(?:www\.)?github\.com/([\w.-]+)/([\w.-]+?)(?:\.git)?(?:/([^?#]*))?(?:[?#].*)?$"
    r"|^https?://api\.github\.com/repos/([\w.-]+)/([\w.-]+)(?:/([^?#]*))?(?:[?#].*)?$",
    re.IGNORECASE | re.ASCII,
)
_NOT_OWNERS = re.compile(
    r"about|apps|blog|collections|customer-stories|enterprise|explore|features|login|marketplace"
    r"|notifications|orgs|pricing|search|security|settings|site|sponsors|topics|trending",
    re.IGNORECASE,
)
_TRACKING = re.compile(
    r"^(?:utm_\w+|at_(?:medium|campaign|link_\w+)|mc_[ce]id|mkt_tok|_hs(?:enc|mi)|hsctatracking"
    r"|(?:fb|g|dc|ms|tw|y|li_fat_|igs?h)clid|gbraid|wbraid|igshid|igsh|li_fat_id|spm|scm|pk_\w+|mtm_\w+"
    r"|ref_src|ref_url|cmpid|ncid|nvid|share_(?:from|source|token)|from_wecom|weibo_id|yclid)$",
    re.IGNORECASE | re.ASCII,
)
_WEB = re.compile(r"^https?://", re.IGNORECASE)
# Most addresses want nothing done but this, at a tenth of the cost.
_PLAIN = re.compile(
    r"https?://((?:[a-z0-9-]+\.)*[a-z0-9-]+)(:[1-9]\d{0,3})?((?:/[A-Za-z0-9._~-]+)*)/?\Z", re.ASCII
)
_SPECIAL = ("arxiv.org", "doi.org", "github.com")
_DROPPED = re.compile(r"[\x00-\x20\x7f-\xa0\ud800-\udfff]+")
_ENCODED = re.compile(r"%[0-9a-fA-F]{2}|%|[^%]+")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


@lru_cache(maxsize=512)  # an entry's address is looked at again and again while it is saved
def canonical_url(url: str) -> str:
    """Return the one spelling of an address under which all its spellings compare equal.

    For comparing, not for opening: https for http, host in lower case, no user, default port,
    tracking, fragment or trailing slash; arXiv in any form becomes https://arxiv.org/abs/ID
    without version, a DOI https://doi.org/10.…; what is no web address comes back trimmed.
    """
    if (plain := _PLAIN.match(url)) and not plain[1].endswith(_SPECIAL):
        port = plain[2] if plain[2] not in (":80", ":443", None) else ""
        return f"https://{plain[1]}{port}{plain[3] or '/'}"
    return _canonical(url)


def _canonical(url: str) -> str:
    url = _DROPPED.sub("", url)
    if found := _ARXIV.match(url):
        return f"https://arxiv.org/abs/{_first(found).lower()}"
    if found := _DOI.match(url):
        return f"https://doi.org/{_encoded(found[1]).lower().rstrip('/')}"
    if not _WEB.match(url):
        return url
    try:
        parts = urlsplit(url)
        host, port = _host(parts.hostname or ""), parts.port
    except ValueError:
        return url
    if host in ("github.com", "www.github.com"):
        return _canonical_github(parts.path, parts.query)
    where = f"[{host}]" if ":" in host else host
    if port not in (None, 80, 443):
        where += f":{port}"
    return f"https://{where}{_path(parts.path)}{_query(parts.query)}{_route(parts.fragment)}"


def _first(found: re.Match[str]) -> str:
    return next(group for group in found.groups() if group)


def _host(host: str) -> str:
    host = host.lower().rstrip(".")
    try:
        return host if host.isascii() else host.encode("idna").decode("ascii")
    except UnicodeError:
        return quote(host, safe="")


def _encoded(text: str) -> str:
    """Return `text` percent-encoded in the one normal way (RFC 3986 section 6.2.2)."""
    pieces = []
    for piece in _ENCODED.findall(text):
        if piece == "%":
            pieces.append("%25")
        elif piece[0] == "%":
            byte = chr(int(piece[1:], 16))
            pieces.append(byte if byte in _UNRESERVED else piece.upper())
        else:
            pieces.append(quote(piece, safe="/:@!$&'()*+,;=-._~"))
    return "".join(pieces)


def _path(path: str) -> str:
    return _encoded(re.sub(r"/{2,}", "/", path)).rstrip("/") or "/"


def _query(query: str) -> str:
    kept = [
        (name, value)
        for name, value in parse_qsl(query, keep_blank_values=True, errors="replace")
        if not _TRACKING.match(name)
    ]
    return "?" + urlencode(sorted(kept)) if kept else ""


def _route(fragment: str) -> str:
    # A fragment is a place in the page, except where a script uses it as the path.
    return "#" + _encoded(fragment) if fragment.startswith(("/", "!")) else ""


def _canonical_github(path: str, query: str) -> str:
    owner, slash, rest = _path(path).strip("/").partition("/")
    repo, slash, rest = rest.partition("/")
    if not repo or _NOT_OWNERS.fullmatch(owner):
        return f"https://github.com{_path(path)}{_query(query)}"
    if not rest:
        repo = repo.removesuffix(".git") or repo
    return f"https://github.com/{owner.lower()}/{repo.lower()}{slash}{rest}{_query(query)}"


def source_key(url: str) -> str:
    """Return the key that joins an Item's source to the Entry that is the source.

    github:owner/repo@TAG for a release, …!1234567 for a commit (first seven digits), …#12 for
    an issue or pull request; arxiv:ID without version; doi:10.…; else the canonical address.
    """
    canonical = canonical_url(url)
    if canonical.startswith("https://arxiv.org/abs/"):
        return "arxiv:" + canonical.removeprefix("https://arxiv.org/abs/")
    if canonical.startswith("https://doi.org/10."):
        return "doi:" + canonical.removeprefix("https://doi.org/")
    return _github_key(_DROPPED.sub("", url)) or canonical.replace("://www.", "://", 1)


def _github(url: str) -> tuple[str, str, str] | None:
    """Return owner, repository and the rest of the path of a GitHub address."""
    found = _GITHUB.match(url)
    if found is None:
        return None
    owner, repo, rest = found.group(1, 2, 3) if found[1] else found.group(4, 5, 6)
    if _NOT_OWNERS.fullmatch(owner):
        return None
    return owner, repo, (rest or "").strip("/")


def _github_key(url: str) -> str | None:
    parts = _github(url)
    if parts is None:
        return None
    project = f"github:{parts[0]}/{parts[1]}".lower()
    if tag := _tag(parts[2]):
        return f"{project}@{tag}"
    if found := re.search(r"(?:^|/)commits?/([0-9a-fA-F]{7,40})(?:\.(?:patch|diff))?$", parts[2]):
        return f"{project}!{found[1][:7].lower()}"
    if found := re.match(r"(?:pulls?|issues)/(\d+)(?:/|$)", parts[2]):
        return f"{project}#{int(found[1])}"
    return None


def _tag(rest: str) -> str | None:
    found = re.match(r"releases/(?:tags?/(.+)|download/([^/]+)/[^/]+)$", rest)
    return unquote(found[1] or found[2]) if found else None


def same_source(one: str, other: str) -> bool:
    """Tell whether two addresses name the same source (a short and a long commit do)."""
    return source_key(one) == source_key(other)


def project_of(url: str) -> tuple[str, str] | None:
    """Return ("triton-lang/triton", "triton") for an address inside a GitHub repository."""
    parts = _github(_DROPPED.sub("", url))
    return None if parts is None else (f"{parts[0]}/{parts[1]}", parts[1])


def version_of(url: str) -> str | None:
    """Return the version in a release's address, without what stands before its first digit."""
    parts = _github(_DROPPED.sub("", url))
    tag = _tag(parts[2]) if parts else None
    found = re.search(r"\d.*$", tag.rpartition("/")[2]) if tag else None
    return found[0] if found else None


# ── entries ────────────────────────────────────────────────────────────────────────────────────


def fingerprint(entry: ParsedEntry, notices: Iterable[str] = ()) -> bytes:
    """Return 16 bytes that tell whether anything at all of an entry came anew."""
    said = (
        entry.title,
        entry.guid or "",
        entry.url or "",
        entry.published.isoformat() if entry.published else "",
        entry.updated.isoformat() if entry.updated else "",
        entry.base_url or "",
        "\x1e".join(entry.authors),
        "\x1e".join(notices),
        entry.content_html,
    )
    return hashlib.sha256("\x1f".join(said).encode("utf-8", "surrogatepass")).digest()[:16]


def without_login(url: str) -> str:
    """Return an address without the name and password that may stand in it."""
    return re.sub(r"^(\s*[a-z][a-z0-9+.-]*://)[^/?#@\\]*@", r"\1", url, flags=re.IGNORECASE)


def feed_key(url: str) -> str:
    """Return the key of a feed: its address without scheme; a folder's path as it stands."""
    if not _WEB.match(url):
        return url.strip().removeprefix("file://").rstrip("/") or "/"
    scheme_less = re.sub(r"^https://(?:www\.)?", "", canonical_url(url))
    return scheme_less.rstrip("/")


def guid_key(guid: str, url: str | None = None) -> str:
    """Return a GUID's comparable form: scheme, case and a running number behind # do not count.

    A fragment counts only where the entry's own link has one too: some sites number their
    edits there, others give all posts of one page.
    """
    guid = guid.strip()
    if not _WEB.match(guid):
        return unicodedata.normalize("NFC", canonical_url(guid)).casefold()
    key = canonical_url(guid).partition("#")[0].casefold()
    fragment = guid.partition("#")[2]
    if fragment and not (url and "#" not in url and canonical_url(url).casefold() == key):
        key += "#" + fragment.casefold()
    return key


def repeated_guids(entries: Iterable[ParsedEntry]) -> frozenset[str]:
    """Return the GUIDs and links that stand on more than one entry of one feed document.

    They come in their comparable form and tell nothing apart, so `entry_key` passes them over.
    An entry that is simply given twice repeats nothing.
    """
    counted: Counter[str] = Counter()
    told = set()
    for entry in entries:
        guid = guid_key(entry.guid, entry.url) if entry.guid and entry.guid.strip() else ""
        link = _link_key(entry.url) if entry.url else ""
        # Without address and GUID only the text can tell two posts apart.
        said = (
            guid,
            link,
            entry.title,
            entry.published,
            "" if guid or link else entry.content_html,
        )
        if said not in told:
            told.add(said)
            counted.update({guid, link, _title_key(entry)} - {""})
    return frozenset(key for key, times in counted.items() if times > 1)


def _link_key(url: str) -> str:
    fragment = url.partition("#")[2]
    key = canonical_url(url).partition("#")[0]
    return f"{key}#{fragment}".casefold() if fragment else key.casefold()


def _title_key(entry: ParsedEntry) -> str:
    when = entry.published.astimezone(UTC).isoformat() if entry.published else ""
    return f"title:{normalised_title(entry.title)}|{when}"


def entry_keys(
    feed_key: str, entry: ParsedEntry, *, repeated_guids: frozenset[str] = frozenset()
) -> tuple[str, ...]:
    """Return every key an entry may be known by, the one to store it under first."""
    if keys := _name_keys(feed_key, entry, repeated_guids):
        return tuple(keys)
    title = _title_key(entry)
    if title in repeated_guids:
        title += (
            "|" + hashlib.sha256(entry.content_html.encode("utf-8", "replace")).hexdigest()[:16]
        )
    return (f"{feed_key}|{title}",)


def has_name(entry: ParsedEntry, repeated_guids: frozenset[str]) -> bool:
    """Tell whether an entry has a GUID or link of its own, so that its text need not tell it."""
    return bool(_name_keys("", entry, repeated_guids))


def _name_keys(feed_key: str, entry: ParsedEntry, repeated_guids: frozenset[str]) -> list[str]:
    keys = []
    if own := _own_source(feed_key, entry):
        keys.append(own)
    if entry.guid and entry.guid.strip():
        guid = guid_key(entry.guid, entry.url)
        if guid not in repeated_guids and entry.guid not in repeated_guids:
            keys.append(f"{feed_key}|id:{guid}")
    if entry.url and (link := _link_key(entry.url)) not in repeated_guids:
        keys.append(f"{feed_key}|link:{link}")
    return keys


def entry_key(
    feed_key: str, entry: ParsedEntry, *, repeated_guids: frozenset[str] = frozenset()
) -> str:
    """Return the key an entry is known by through edits, scheme changes and paper versions.

    A paper, release or commit given by its own site has one key whatever feed it comes by;
    else GUID, else link, else title and date (and text, where these repeat), within the feed.
    """
    return entry_keys(feed_key, entry, repeated_guids=repeated_guids)[0]


def _own_source(feed_key: str, entry: ParsedEntry) -> str | None:
    """Return the source's key where the entry is the source, not a post that links to it."""
    guid = (entry.guid or "").strip()
    if _ARXIV.match(guid):
        return source_key(guid)
    if entry.url is None:
        return None
    key = source_key(entry.url)
    host = feed_key.partition("/")[0]
    if key.startswith("arxiv:") and (host == "arxiv.org" or host.endswith(".arxiv.org")):
        return key
    if key.startswith("github:") and (
        host in ("github.com", "api.github.com")
        or guid.startswith("tag:github.com,2008:")
        or _github(guid) is not None
    ):
        return key
    return None


# ── digests ────────────────────────────────────────────────────────────────────────────────────

STARTER = "starter"  # the generation mode of the digests that ship with the app


def digest_key(digest: ParsedDigest) -> str:
    """Return kind and day (the window's end, else the date, else the title) of a digest.

    The starter digests that ship with the app tell of real days in our own words: they are never
    taken for the digest that a site published of the same day.
    """
    kind = STARTER if digest.generation_mode == STARTER else str(digest.kind)
    if digest.cutoff_at is not None:
        return f"{kind}:{digest.cutoff_at.date().isoformat()}"
    if digest.date is not None:
        return f"{kind}:{digest.date.isoformat()}"
    return f"{kind}:{normalised_title(digest.title)}"


def item_keys(digest_key: str, item: ParsedItem) -> tuple[str, ...]:
    """Return every key an item may be known by, richest form first, its title's last."""
    sources = [source_key(source.url) for source in item.sources if source.url]
    return tuple(
        dict.fromkeys(
            f"{digest_key}|{key}" for key in (*sources, f"title:{normalised_title(item.title)}")
        )
    )


def item_key(digest_key: str, item: ParsedItem) -> str:
    """Return the key of an item in its digest: its canonical source, else its title."""
    return item_keys(digest_key, item)[0]


def normalised_title(title: str) -> str:
    """Return a title's letters and digits, width and case folded, for comparing only."""
    folded = unicodedata.normalize("NFKC", title).casefold()
    kept = "".join(c if c.isalnum() or c in "+#.<>" else " " for c in folded)
    return " ".join(kept.split()) or folded.strip()
