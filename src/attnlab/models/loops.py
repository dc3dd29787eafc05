"""Compiled loops over bags of rows. numba compiles them once and keeps the machine code beside this file.

Importing numba takes a third of a second, so this file is imported when the first loop runs. The loops hold no lock of
Python, so threads run them side by side.
"""

from numba import njit


@njit(["void(i4[::1], i8[::1], f4[:, ::1], f4[:, ::1])"], nogil=True, cache=True)
def add_bags(ids, offsets, table, sums):
    """Add to each row of `sums` the rows of a table whose numbers are in its bag."""
    for text in range(len(offsets) - 1):
        for place in range(offsets[text], offsets[text + 1]):
            row = ids[place]
            for column in range(table.shape[1]):
                sums[text, column] += table[row, column]
