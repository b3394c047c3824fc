"""Cases to train on: made-up tables and public look-ups, turned, spoiled and cut so that the locator meets tables as people keep them."""
import json, lzma, random, re
from everyday import Maker
from texts import COLUMN, QUESTION, ROW, texts, width

MADE = {'en': {'en': 6, 'de': 2, 'fr': 2}, 'zh': {'zh': 1}}
MOST_ROWS, MOST_COLUMNS = 24, 14


def read(path):
    with lzma.open(path, 'rt', encoding='utf-8') as file:
        return [json.loads(line) for line in file]


def words(text):
    return set(re.findall(r'[a-z0-9]+|[^\W\d_]', str(text).lower()))


class Source:
    """Draws cases to train on without end."""

    def __init__(self, language, public, seed):
        self.chance = random.Random(seed)
        self.maker = Maker(MADE[language], seed)
        self.found = [c for c in public if c['row']]
        self.none = [c for c in public if not c['row']]
        self.made = .5 if language == 'en' else .55

    def draw(self):
        chance = self.chance
        if chance.random() < self.made:
            case = self.maker.case()
        elif self.none and chance.random() < .22:
            case = dict(chance.choice(self.none))
        else:
            case = dict(chance.choice(self.found))
            if chance.random() < .3:
                case = self.spoiled(case)
        return self.cut(self.shaped(case))

    def spoiled(self, case):
        """The same question made unanswerable."""
        way = self.chance.choice((other_table, other_name, no_column, no_row))
        return way(case, self) or case

    def shaped(self, case):
        """The table as others would keep it."""
        chance = self.chance
        if chance.random() < .5:
            case = {**case, 'title': ''}
        if case['header'] and chance.random() < .22:
            case = turned(case)
        if case['header'] and chance.random() < .06:
            case = headless(case)
        if case['header'] and chance.random() < .2:
            case = columns_moved(case, chance)
        return case

    def cut(self, case):
        """No more rows and columns than are trained on at once: those that hold the answer, those that share words, and others."""
        rows, columns = case['rows'], width(case)
        if len(rows) > MOST_ROWS:
            asked = words(case['question'])
            order = sorted(range(len(rows)), key=lambda i: (i not in (case['row'] or ()), -len(asked & words(' '.join(rows[i]))) if i % 2 else 0, self.chance.random()))
            case = pick_rows(case, sorted(order[:MOST_ROWS]))
        if columns > MOST_COLUMNS:
            kept = set(case['column'] or ()) | {0}
            others = [j for j in range(columns) if j not in kept]
            kept |= set(self.chance.sample(others, max(0, MOST_COLUMNS - len(kept))))
            case = pick_columns(case, sorted(kept))
        return case


def pick_rows(case, kept):
    sections = case.get('sections')
    return {**case, 'rows': [case['rows'][i] for i in kept], 'sections': sections and [sections[i] for i in kept],
            'row': None if case['row'] is None else [n for n, i in enumerate(kept) if i in case['row']]}


def pick_columns(case, kept):
    pick = lambda row: [row[j] if j < len(row) else '' for j in kept]
    return {**case, 'header': pick(case['header']) if case['header'] else [], 'rows': [pick(row) for row in case['rows']],
            'column': None if case['column'] is None else [n for n, j in enumerate(kept) if j in case['column']]}


def columns_moved(case, chance):
    """Another order of columns."""
    order = list(range(width(case)))
    chance.shuffle(order)
    return pick_columns(case, order)


def turned(case):
    """The table on its side: attributes stand in rows. Not where the answer would become a name of a column."""
    if case['row'] is None or case['column'] is None or 0 in case['column'] or case.get('sections') or width(case) < 3:
        return case
    wide = width(case)
    grid = [line + [''] * (wide - len(line)) for line in [case['header'], *case['rows']]]
    sides = [list(line) for line in zip(*grid)]
    return {**case, 'header': sides[0], 'rows': sides[1:], 'row': [j - 1 for j in case['column']], 'column': [i + 1 for i in case['row']]}


def headless(case):
    """The names of columns as a first row."""
    if case.get('sections'):
        return case
    return {**case, 'header': [], 'rows': [case['header'], *case['rows']], 'row': None if case['row'] is None else [i + 1 for i in case['row']]}


def other_table(case, source):
    """The question put to another table, unless that speaks of the same."""
    other = source.chance.choice(source.found)
    if other['table'] == case['table'] or len(words(' '.join(other['header'])) & words(case['question'])) > 1:
        return None
    return {**other, 'question': case['question'], 'row': [], 'column': []}


def named_cells(case):
    """Cells of the answer's row that stand in the question."""
    asked = case['question'].lower()
    row = case['rows'][case['row'][0]]
    return [(j, cell) for j, cell in enumerate(row) if j not in case['column'] and len(cell) > 2 and cell.lower() in asked]


def other_name(case, source):
    """The name in the question exchanged for one that the table does not have."""
    found = named_cells(case)
    if len(case['row']) != 1 or not found:
        return None
    _, cell = max(found, key=lambda pair: len(pair[1]))
    other = source.chance.choice(source.found)
    new = source.chance.choice(source.chance.choice(other['rows']))
    is_like = bool(re.search(r'\d', new)) == bool(re.search(r'\d', cell)) and 2 < len(new) < 40
    if not is_like or any(new.lower() in c.lower() for row in case['rows'] for c in row):
        return None
    return {**case, 'question': re.sub(re.escape(cell), lambda _: new, case['question'], flags=re.I), 'row': []}


def no_column(case, source):
    """The table without the column of the answer."""
    if width(case) < 3 or not case['header']:
        return None
    kept = [j for j in range(width(case)) if j not in case['column']]
    return {**pick_columns(case, kept), 'column': []}


def no_row(case, source):
    """The table without the row of the answer, where the question names that row and no other."""
    found = named_cells(case)
    if not found or len(case['rows']) < 4:
        return None
    left = [i for i in range(len(case['rows'])) if i not in case['row']]
    if any(cell.lower() in ' '.join(case['rows'][i]).lower() for i in left for _, cell in found):
        return None
    return {**pick_rows(case, left), 'row': []}


class Tokens:
    """Pairs of a question and a text as tokens."""

    def __init__(self, file):
        from tokenizers import Tokenizer
        self.tokenizer = Tokenizer.from_file(file)
        self.tokenizer.no_padding(), self.tokenizer.no_truncation()
        self.start, self.end = (self.tokenizer.token_to_id(t) for t in ('[CLS]', '[SEP]'))

    def pairs(self, case):
        """Tokens of the question beside each row, then beside each column: (first part, second part)."""
        rows, columns = texts(case)
        plain = lambda parts: [e.ids for e in self.tokenizer.encode_batch(parts, add_special_tokens=False)]
        asked = [self.start, *plain([case['question']])[0][:QUESTION], self.end]
        return [(asked, [*ids[:ROW], self.end]) for ids in plain(rows)] + [(asked, [*ids[:COLUMN], self.end]) for ids in plain(columns)], len(rows)
