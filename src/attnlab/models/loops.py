"""Compiled loops over bags of rows."""

from attnlab.compiled import compiled


@compiled("void(i4[::1], i8[::1], f4[:, ::1], f4[:, ::1])")
def add_bags(ids, offsets, table, sums):
    """Add to each row of `sums` the rows of a table whose numbers are in its bag."""
    for text in range(len(offsets) - 1):
        for place in range(offsets[text], offsets[text + 1]):
            row = ids[place]
            for column in range(table.shape[1]):
                sums[text, column] += table[row, column]
