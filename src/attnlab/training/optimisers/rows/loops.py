"""Compiled loops over the (row, text) pairs of a batch, sorted by row: each row of the table is read and written once.

The gradient of a row is the sum of its texts' gradients. A batch's gradients fit into the processor's cache, its rows
do not: so the rows come in order, and the texts at random.
"""

import numpy as np

from attnlab.compiled import compiled

ANY_ORDER = {"reassoc", "contract"}
"""An update sums squares over a row: the compiler may choose the order, so that it adds several at once."""
PAIRS = "i4[::1], i4[::1]"


@compiled(f"void({PAIRS}, f4[:, ::1], f4[:, ::1])")
def add_rows(rows, texts, table, sums):
    """Add to the sum of each text the rows of its features."""
    for place in range(len(rows)):
        row, text = rows[place], texts[place]
        for column in range(table.shape[1]):
            sums[text, column] += table[row, column]


@compiled()
def row_gradient(rows, texts, gradients, place, total):
    """The sum of the gradients of a row's texts, in `total`; returns the place where the next row begins."""
    row, first = rows[place], texts[place]
    for column in range(len(total)):
        total[column] = gradients[first, column]
    place += 1
    while place < len(rows) and rows[place] == row:
        text = texts[place]
        for column in range(len(total)):
            total[column] += gradients[text, column]
        place += 1
    return place


@compiled()
def subtract(table, row, rate, step, sizes):
    """Subtract a step from a row, times a rate and its sizes: one for all rows, one for each row, or one for each
    coordinate."""
    own = row if len(sizes) > 1 else 0
    if sizes.shape[1] == 1:
        rate *= sizes[own, 0]
        for column in range(len(step)):
            table[row, column] -= rate * step[column]
    else:
        for column in range(len(step)):
            table[row, column] -= rate * step[column] * sizes[own, column]


@compiled(f"void({PAIRS}, f4[:, ::1], f4, f4, f4[:, ::1], f4[:, ::1], f4[:, ::1])", fastmath=ANY_ORDER)
def adagrad(rows, texts, gradients, rate, epsilon, sizes, memory, table):
    """Adagrad, with one number of memory for each row."""
    step = np.empty(table.shape[1], np.float32)
    place = 0
    while place < len(rows):
        row = rows[place]
        place = row_gradient(rows, texts, gradients, place, step)
        square = np.float32(0)
        for column in range(len(step)):
            square += step[column] * step[column]
        memory[row, 0] += square / np.float32(len(step))
        subtract(table, row, rate / (np.sqrt(memory[row, 0]) + epsilon), step, sizes)


@compiled(
    f"void({PAIRS}, f4[:, ::1], f4, f4, f4[::1], f4[::1], f4[::1], f4[:, ::1], f4[:, ::1], f4[:, ::1])",
    fastmath=ANY_ORDER,
)
def adam(rows, texts, gradients, rate, epsilon, old, new, all, sizes, memory, table):
    """Adam, with two numbers of memory for each coordinate: the squares of a row, then its means. `old` has β for the
    means and the squares, `new` 1 − β, and `all` corrects them for their begin at 0."""
    dim = table.shape[1]
    step = np.empty(dim, np.float32)
    place = 0
    while place < len(rows):
        row = rows[place]
        place = row_gradient(rows, texts, gradients, place, step)
        for column in range(dim):
            slope = step[column]
            square = old[1] * memory[row, column] + new[1] * slope * slope
            mean = old[0] * memory[row, dim + column] + new[0] * slope
            memory[row, column], memory[row, dim + column] = square, mean
            step[column] = mean / all[0] / (np.sqrt(square / all[1]) + epsilon)
        subtract(table, row, rate, step, sizes)
