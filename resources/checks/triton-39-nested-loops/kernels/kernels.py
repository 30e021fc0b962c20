"""Loops in loops, three to eight of them, around one addition: depth alone differs."""

import triton
import triton.language as tl


@triton.jit
def nest3(x, n):
    total = 0.0
    for _i0 in range(n):
        for _i1 in range(n):
            for i2 in range(n):
                total += tl.load(x + i2)
    tl.store(x, total)


@triton.jit
def nest4(x, n):
    total = 0.0
    for _i0 in range(n):
        for _i1 in range(n):
            for _i2 in range(n):
                for i3 in range(n):
                    total += tl.load(x + i3)
    tl.store(x, total)


@triton.jit
def nest5(x, n):
    total = 0.0
    for _i0 in range(n):
        for _i1 in range(n):
            for _i2 in range(n):
                for _i3 in range(n):
                    for i4 in range(n):
                        total += tl.load(x + i4)
    tl.store(x, total)


@triton.jit
def nest6(x, n):
    total = 0.0
    for _i0 in range(n):
        for _i1 in range(n):
            for _i2 in range(n):
                for _i3 in range(n):
                    for _i4 in range(n):
                        for i5 in range(n):
                            total += tl.load(x + i5)
    tl.store(x, total)


@triton.jit
def nest7(x, n):
    total = 0.0
    for _i0 in range(n):
        for _i1 in range(n):
            for _i2 in range(n):
                for _i3 in range(n):
                    for _i4 in range(n):
                        for _i5 in range(n):
                            for i6 in range(n):
                                total += tl.load(x + i6)
    tl.store(x, total)


@triton.jit
def nest8(x, n):
    total = 0.0
    for _i0 in range(n):
        for _i1 in range(n):
            for _i2 in range(n):
                for _i3 in range(n):
                    for _i4 in range(n):
                        for _i5 in range(n):
                            for _i6 in range(n):
                                for i7 in range(n):
                                    total += tl.load(x + i7)
    tl.store(x, total)
