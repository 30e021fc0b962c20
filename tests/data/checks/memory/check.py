import time

from readproof_harness import Check

with Check() as check:
    held = [bytes([n]) * 1_000_000 for n in range(200)]
    time.sleep(30)
