from readproof_harness import Check

with Check() as check:
    check.measure("planted_found", 1)
    check.control_done()
    raise RuntimeError("the adder broke")
