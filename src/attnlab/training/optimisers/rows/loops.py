"""Compiled loops over the (row, text) pairs of a batch, sorted by row: each row of the table is read and written once.

The gradient of a row is the sum of its texts' gradients. A batch's gradients fit into the processor's cache, its rows
do not: so the rows come in order, and the texts at random. A loop asks for rows before it needs them, since it would
wait for memory most of the time.

`sizes` are factors of the steps: one for all rows, one for each row, or one for each coordinate.
"""

import numpy as np

from attnlab.cache_lines import ask
from attnlab.compiled import compiled

ANY_ORDER = {"reassoc", "contract"}
"""An update sums squares over a row: the compiler may choose the order, so that it adds several at once."""
PAIRS = "i4[::1], i4[::1]"
AHEAD = 64
"""How many pairs ahead of its use a row is asked for."""
LINE = 16
"""The numbers of a cache line."""


@compiled(inline="always")
def ask_ahead(rows, place, numbers, dim):
    """Ask for the row that is `AHEAD` pairs ahead, if that is not the row of the pair before it. The numbers of a table
    are given as one flat array."""
    ahead = place + AHEAD
    if ahead < len(rows) and rows[ahead] != rows[ahead - 1]:
        first = np.int64(rows[ahead]) * dim
        for column in range(0, dim, LINE):
            ask(numbers, first + column)
        ask(numbers, first + dim - 1)  # a row may begin in the middle of a line


@compiled(f"void({PAIRS}, f4[:, ::1], f4[:, ::1])")
def add_rows(rows, texts, table, sums):
    """Add to the sum of each text the rows of its features."""
    numbers, dim = table.reshape(-1), table.shape[1]
    for place in range(len(rows)):
        ask_ahead(rows, place, numbers, dim)
        row, text = np.uint32(rows[place]), np.uint32(texts[place])
        for column in range(dim):
            sums[text, column] += table[row, column]


@compiled(inline="always")
def row_gradient(rows, texts, gradients, place, numbers, states, width, total):
    """The sum of the gradients of a row's texts, in `total`; returns the place where the next row begins. Ask
    for the rows to come, and for their states of this width."""
    row = rows[place]
    total[:] = 0
    while place < len(rows) and rows[place] == row:
        ask_ahead(rows, place, numbers, len(total))
        ask_ahead(rows, place, states, width)
        text = np.uint32(texts[place])
        for column in range(len(total)):
            total[column] += gradients[text, column]
        place += 1
    return place


@compiled(f"void({PAIRS}, f4[:, ::1], f4, f4, f4[:, ::1], f4[:, ::1], f4[:, ::1])", fastmath=ANY_ORDER)
def adagrad(rows, texts, gradients, rate, epsilon, sizes, memory, table):
    """Adagrad, with one number of memory for each row."""
    step = np.empty(table.shape[1], np.float32)
    numbers, states = table.reshape(-1), memory.reshape(-1)
    place = 0
    while place < len(rows):
        row = rows[place]
        place = row_gradient(rows, texts, gradients, place, numbers, states, memory.shape[1], step)
        square = np.float32(0)
        for column in range(len(step)):
            square += step[column] * step[column]
        memory[row, 0] += square / np.float32(len(step))
        scale = rate / (np.sqrt(memory[row, 0]) + epsilon)
        own = row if len(sizes) > 1 else 0
        if sizes.shape[1] == 1:
            scale *= sizes[own, 0]
        else:
            for column in range(len(step)):
                step[column] *= sizes[own, column]
        for column in range(len(step)):
            table[row, column] -= scale * step[column]


@compiled(
    f"void({PAIRS}, f4[:, ::1], f4, f4, f4[::1], f4[::1], f4[::1], f4[:, ::1], f4[:, ::1], f4[:, ::1])",
    fastmath=ANY_ORDER,
)
def adam(rows, texts, gradients, rate, epsilon, old, new, all, sizes, memory, table):
    """Adam, with two numbers of memory for each coordinate: the squares of a row, then its means. `old` has β for the
    means and the squares, `new` 1 − β, and `all` corrects them for their begin at 0."""
    dim = table.shape[1]
    step = np.empty(dim, np.float32)
    numbers, states = table.reshape(-1), memory.reshape(-1)
    place = 0
    while place < len(rows):
        row = rows[place]
        place = row_gradient(rows, texts, gradients, place, numbers, states, memory.shape[1], step)
        own = row if len(sizes) > 1 else 0
        for column in range(dim):
            slope = step[column]
            square = old[1] * memory[row, column] + new[1] * slope * slope
            mean = old[0] * memory[row, dim + column] + new[0] * slope
            memory[row, column], memory[row, dim + column] = square, mean
            size = sizes[own, column if sizes.shape[1] > 1 else 0]
            table[row, column] -= rate * size * (mean / all[0] / (np.sqrt(square / all[1]) + epsilon))
