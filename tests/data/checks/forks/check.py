import os
import subprocess
import sys
import time

from readproof_harness import Check

SLEEP = "import time, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
with Check() as check:
    check.measure("planted_found", 1)
    check.control_done()
    for _ in range(2):  # two that have cut every tie but the environment
        if os.fork() == 0:
            os.setsid()
            child = subprocess.Popen([sys.executable, "-c", SLEEP])
            print(f"grandchild {child.pid}", flush=True)
            os._exit(0)
    time.sleep(0.5)
    check.measure("sums", 1)
    check.measure("odd_sums", 1)
