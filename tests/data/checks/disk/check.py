import time

from readproof_harness import Check

with Check() as check:
    with (check.scratch / "large").open("wb") as stream:
        for _ in range(40):
            stream.write(b"x" * 1_000_000)
            stream.flush()
    time.sleep(30)
