from readproof_harness import Check

with Check() as check:
    check.step("control", 0, 1)
    check.measure("planted_found", sum((a + 1) % 2 for a in (2, 4, 6) if a == 4))
    check.control_done()
    check.step("measure", 0, 3, "even")
    sums = [a + b for a in range(0, 20, 2) for b in range(0, 20, 2)]
    check.measure("sums", len(sums))
    check.measure("odd_sums", sum(each % 2 for each in sums))
    check.measure("milliseconds", 1234.5)
    check.case("even", "2 + 4", left=2, right=4, total=6)
    check.tool("adder", "/usr/bin/true", "1.0")
    check.package("evens", "1.2.0")
    check.artefact("sums.txt", "\n".join(map(str, sums)))
    echoed = check.run(["echo", "hello"])
    check.log("echo said " + echoed.stdout.strip())
    speedup = check.device.run("speedup", lambda: 3.0)
    if speedup is None:
        check.obstacle("fast", "gpu_missing")
    else:
        check.measure("speedup", speedup)
