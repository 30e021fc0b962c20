"""Two TIRx kernels: a block of 128 threads, and the same in clusters of two blocks."""

import tvm
from tvm.script import tirx


def block(grid):
    @tirx.prim_func(s_tir=True)
    def main(a: tirx.Buffer((1024,), "float32"), b: tirx.Buffer((1024,), "float32")):
        x = tirx.launch_thread("blockIdx.x", grid)
        t = tirx.launch_thread("threadIdx.x", 128)
        b[x * 128 + t] = a[x * 128 + t] * tirx.float32(2)

    return main


def cluster(grid):
    @tirx.prim_func(s_tir=True)
    def main(a: tirx.Buffer((1024,), "float32"), b: tirx.Buffer((1024,), "float32")):
        tirx.launch_thread("clusterCtaIdx.x", 2)
        x = tirx.launch_thread("blockIdx.x", grid)
        t = tirx.launch_thread("threadIdx.x", 128)
        b[x * 128 + t] = a[x * 128 + t] * tirx.float32(2)

    return main


def module(shape, attributes, grid=8):
    """Return an IRModule whose kernel carries the attributes inside its thread scopes."""

    def inside(body):
        if isinstance(body, tvm.tirx.AttrStmt):
            return tvm.tirx.AttrStmt(body.node, body.attr_key, body.value, inside(body.body))
        zero = tvm.tirx.IntImm("int32", 0)
        for key, value in attributes.items():
            body = tvm.tirx.AttrStmt(zero, key, tvm.tirx.IntImm("int32", value), body)
        return body

    plain = {"block": block, "cluster": cluster}[shape](grid)
    kernel = plain.with_body(inside(plain.body)).with_attr("global_symbol", "main")
    return tvm.IRModule({"main": kernel})
