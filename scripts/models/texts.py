"""What the locator reads: a question beside the text of a row or of a column. The program writes the same texts (locator.rs)."""

QUESTION, ROW, COLUMN, PROGRAM = 40, 104, 56, 80  # tokens at most, marks left out
CELL, TITLE, VALUES = 48, 40, 8  # characters of a cell and of a title, values of a column


def clean(text, most=CELL):
    return ' '.join(str(text).split())[:most]


def row_text(header, row, title='', section=''):
    """`title | section | name: cell; name: cell`: cells that are empty are left out."""
    names = list(header) + [''] * (len(row) - len(header))
    cells = [f'{clean(name)}: {clean(cell)}' if name.strip() else clean(cell) for name, cell in zip(names, row) if cell.strip()]
    return ' | '.join([part for part in (clean(title, TITLE), clean(section)) if part] + ['; '.join(cells)])


def column_text(header, rows, j, title=''):
    """`title | name: value, value`: the first different values, read from above."""
    name = clean(header[j]) if j < len(header) else ''
    seen = []
    for row in rows:
        cell = clean(row[j], 32) if j < len(row) else ''
        if cell and cell not in seen:
            seen.append(cell)
        if len(seen) == VALUES:
            break
    return ' | '.join([part for part in (clean(title, TITLE),) if part] + [f"{name}: {', '.join(seen)}"])


def width(table):
    return max([len(table['header'])] + [len(row) for row in table['rows']])


def texts(table):
    """The texts of all rows and of all columns."""
    header, rows, title = table['header'], table['rows'], table.get('title') or ''
    sections = table.get('sections') or [''] * len(rows)
    return [row_text(header, row, title, section) for row, section in zip(rows, sections)], [column_text(header, rows, j, title) for j in range(width(table))]
