import signal
import time

from readproof_harness import Check

signal.signal(signal.SIGTERM, signal.SIG_IGN)
with Check() as check:
    check.measure("planted_found", 1)
    check.measure("sums", 7)
    check.case("even", "2 + 2", total=4)
    check.log("now it hangs")
    time.sleep(600)
