"""For compiled loops: ask for memory before it is needed. A processor can wait for many cache lines at a time."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def _ask_for(typing: Any, array: Any, place: Any) -> Any:
    """Ask for the cache line of a place of an array, without waiting for it."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, given[0]).data
        address = builder.bitcast(builder.gep(data, [given[1]]), ir.IntType(8).as_pointer())
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", (address.type,), kind)
        builder.call(prefetch, [address, number(0), number(3), number(1)])  # to read, to keep, data
        return context.get_dummy_value()

    return types.void(array, place), generate


ask: Any = intrinsic(_ask_for)
