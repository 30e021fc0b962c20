"""What can go wrong with a request, as sentences that say what to do."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

from reader.errors import Interrupted, SourceError
from reader.language import _


class Unreachable(SourceError):
    """There is no way to the host: no network, no such name, nobody listening, no trust."""


class Untrusted(Unreachable):
    """The host is there, and shows a certificate that cannot be trusted."""


class HttpRefusal(SourceError):
    """The server answered, with a refusal; `retry_after` is in seconds."""

    def __init__(self, sentence: str, status: int, retry_after: float | None) -> None:
        super().__init__(sentence)
        self.status = status
        self.retry_after = retry_after


def host_of(url: str) -> str:
    import httpx

    return httpx.URL(url).host.lower()


@contextmanager
def named(url: str, stopped: Callable[[], bool]) -> Generator[None, None, None]:
    """Turn what the network does into sentences that say what to do."""
    import httpcore
    import httpx

    try:
        yield
    except (httpx.TimeoutException, httpcore.TimeoutException) as error:
        if stopped():
            raise Interrupted(_("Stopped.")) from error
        no_way = isinstance(error, httpx.ConnectTimeout | httpcore.ConnectTimeout)
        raise (Unreachable if no_way else SourceError)(
            _("{host} did not answer in time. It is tried again later.").format(host=host_of(url))
        ) from error
    except (httpx.ConnectError, httpcore.ConnectError) as error:
        kind = Untrusted if "certificate" in str(error).lower() else Unreachable
        raise kind(_unreachable(url, str(error))) from error
    except (
        httpx.HTTPError,
        httpx.StreamError,
        httpcore.ProtocolError,
        httpcore.NetworkError,
    ) as error:
        raise SourceError(
            _("{host} broke off the answer ({detail}). It is tried again later.").format(
                host=host_of(url), detail=str(error)[:120] or type(error).__name__
            )
        ) from error
    except (httpx.InvalidURL, UnicodeError, ValueError) as error:
        raise SourceError(_("{url} is no address.").format(url=url[:200])) from error


def _unreachable(url: str, detail: str) -> str:
    host = host_of(url)
    if "certificate" in detail.lower():
        return _(
            "{host} shows a certificate that cannot be trusted ({detail}). Nothing was fetched."
        ).format(host=host, detail=detail[:160])
    return _("{host} cannot be reached. Check the network and the address.").format(host=host)


def refusal(status: int) -> str:
    sentences = {
        401: _(
            "The server wants a login (401). Keep name:password or a token in the system's "
            "keyring, under the service readproof and the name of the host."
        ),
        403: _("The server refuses the address (403). Check it in a browser."),
        404: _("There is nothing at this address (404). Check it in a browser."),
        410: _("The feed is gone for good (410). Unsubscribe, or look for its new address."),
        429: _("The server asks to be left alone for a while (429). It is tried again later."),
    }
    if status in sentences:
        return sentences[status]
    if status >= 500:
        return _("Server error {status}. It is tried again later.").format(status=status)
    return _("The server answered with {status}. Check the address.").format(status=status)
