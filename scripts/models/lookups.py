"""Makes look-ups out of the training parts of public sets: questions whose answer is one cell, or a few of one row or column.

usage: lookups.py DATA OUT     writes OUT/en.jsonl.xz, OUT/zh.jsonl.xz and OUT/training-ids.txt
       lookups.py DATA --check training-ids.txt     fails where a table of a validation or test part was trained on

A case has `row` and `column`: positions that hold the answer, [] where none does, null where that is not known. `part` is
learn, calibrate or held by the table's name, as the question parser divides them (examples/data/mod.rs), so that what is held
out from one is held out from both.
"""
import json, lzma, random, re, subprocess, sys
from collections import Counter

ROWS, COLUMNS = 40, 20


def lines(data, name):
    text = subprocess.run(['zstd', '-dcq', f'{data}/{name}.jsonl.zst'], capture_output=True, check=True).stdout.decode()
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def part(table):
    """learn, calibrate or held, by the hash that the parser's training uses."""
    hash = 0xcbf29ce484222325
    for byte in table.encode():
        hash = (hash ^ byte) * 0x100000001b3 % 2 ** 64
    return ('held', 'held', 'calibrate')[hash // 2 ** 17 % 10] if hash // 2 ** 17 % 10 < 3 else 'learn'


def norm(text):
    text = re.sub(r'\s+', ' ', str(text)).strip().lower()
    return re.sub(r'(?<=\d),(?=\d{3})', '', text)


def fingerprint(table):
    """What a table is known by under another name: its first rows."""
    return '\n'.join(' '.join(re.findall(r'\w+', ' '.join(map(str, row)).lower())) for row in table['rows'][:3])


def forbidden(data):
    """Ids and fingerprints of all tables that validation and test parts ask about."""
    ids, prints = set(), set()
    for folder, asked in (('tabfact', 'val'), ('squall', 'dev_fold1'), ('hybridqa', 'dev'), ('ottqa', 'dev'), ('fetaqa', 'dev'), ('tatqa', 'dev'), ('finqa', 'dev'), ('imtqa', 'dev'), ('retqa', 'validation')):
        used = set()
        for query in lines(data, f'{folder}/{asked}'):
            used.update(query.get('tables') or [query.get('table')])
        ids.update(f'{folder}/{id}' for id in used)
        if folder == 'tabfact':
            ids.update(f'wikisql/{id}' for id in used)
        if folder == 'squall':
            ids.update(f'{other}/{id}' for id in used for other in ('wtq', 'sqa'))
            continue
        tables = 'hybridqa/tables' if folder == 'ottqa' else f'{folder}/tables'
        prints.update(fingerprint(t) for t in lines(data, tables) if t['id'] in used and len(t['rows']) > 1)
    return ids, prints


def window(table, rows_needed):
    """A table with at most so many rows, those that are needed among them, and where they went."""
    count = len(table['rows'])
    keep = set(rows_needed)
    start = max(0, min(min(rows_needed, default=0) - ROWS // 2, count - ROWS))
    for i in list(range(start, count)) + list(range(start)):
        if len(keep) >= ROWS:
            break
        keep.add(i)
    order = sorted(keep)
    rows = [[clip(c) for c in table['rows'][i][:COLUMNS]] for i in order]
    return [clip(name.replace('\n', ' > ')) for name in table['header'][:COLUMNS]], rows, {old: new for new, old in enumerate(order)}


def clip(cell):
    return re.sub(r'\s+', ' ', str(cell)).strip()[:60]


def case(source, id, table, question, cells, rows=None, columns=None):
    """A case of these cells; `rows` and `columns` say so where it has none."""
    of_rows = sorted({i for i, _ in cells}) if rows is None else rows
    of_columns = sorted({j for _, j in cells}) if columns is None else columns
    header, body, new = window(table, of_rows if of_rows and of_rows != 'open' else [])
    places = None if of_rows == 'open' else [new[i] for i in of_rows]
    title = table.get('title') or ''
    return {'source': source, 'table': f'{source}/{id}', 'part': part(str(id)), 'title': '' if source == 'imtqa' else clip(title), 'header': header, 'rows': body, 'question': question,
            'row': places, 'column': None if of_columns == 'open' else of_columns, 'sections': None}


SUPERLATIVE = re.compile(r'\b(most|least|highest|lowest|first|last|next|previous|before|after|earliest|latest|largest|smallest|longest|shortest|best|worst|top|bottom|more|less|fewer|greater|than|above|below|only|final|consecutive|biggest|lowest|oldest|youngest|maximum|minimum|max|min|fastest|slowest|same|other|besides|not|either|both|average|total|sum|difference|or)\b')
COMPUTED = re.compile(r'\b(how many|how much|total|difference|average|sum|number of|combined|altogether|count)\b')


def words(text):
    return set(re.findall(r'\w+', norm(text)))


def anchored(question, table, row, column):
    """Whether a cell beside the answer, which few rows have, stands in the question."""
    asked = f' {norm(question)} '
    for j, cell in enumerate(table['rows'][row]):
        cell = norm(cell)
        if j != column and len(cell) > 1 and re.search(r'(?<!\w)' + re.escape(cell) + r'(?!\w)', asked):
            if sum(norm(r[j]) == cell for r in table['rows'] if j < len(r)) <= 2:
                return True
    return False


def english(data, folder, asked):
    """Questions on Wikipedia tables. One whose row follows from comparing rows has no row: a row alone cannot tell."""
    tables = {t['id']: t for t in lines(data, f'{folder}/tables')}
    for query in lines(data, f'{folder}/{asked}'):
        table = tables.get(query['table'])
        if table is None or query.get('position') or not 1 < len(table['rows']) <= 400 or len(table['header']) < 2:
            continue
        question = query['question']
        cells = answer_cells(query, table)
        loose = SUPERLATIVE.search(norm(question))
        if not cells:
            if COMPUTED.search(norm(question)) and query.get('answers', [query.get('answer')]):
                yield case(folder, query['table'], table, question, [], [], 'open')
            continue
        rows, columns = {i for i, _ in cells}, {j for _, j in cells}
        if len(rows) > 6 or len(columns) > 1 or max(columns) >= COLUMNS:
            continue
        if any(anchored(question, table, i, next(iter(columns))) for i in rows):
            yield case(folder, query['table'], table, question, cells)
        elif loose:
            yield case(folder, query['table'], table, question, cells, rows=[])
        elif not COMPUTED.search(norm(question)):
            yield case(folder, query['table'], table, question, cells)


def answer_cells(query, table):
    if 'answer_coordinates' in query:
        return [tuple(cell) for cell in query['answer_coordinates']]
    answers = query.get('answers') or [query.get('answer')]
    answers = answers if isinstance(answers, list) else [answers]
    if not 1 <= len(answers) <= 4:
        return []
    found = [[(i, j) for i, row in enumerate(table['rows']) for j, cell in enumerate(row) if norm(cell) == norm(answer)] for answer in answers]
    if all(len(places) == 1 for places in found):
        return [places[0] for places in found]
    # The same words in several places: those in rows that the question names.
    if len(answers) == 1:
        named = [(i, j) for i, j in found[0] if anchored(query['question'], table, i, j)]
        if len({j for _, j in named}) == 1:
            return named
    return []


def imtqa(data, in_english):
    """Tables of every shape without a header; also in English, cell by cell."""
    tables = {t['id']: t for t in lines(data, 'imtqa/tables') if t['split'] == 'train'}
    for query in lines(data, 'imtqa/train'):
        table = tables.get(query['table'])
        if table is None or len(table['rows']) > 60:
            continue
        places = {}
        for i, row in enumerate(table['cell_ids']):
            for j, id in enumerate(row):
                places.setdefault(id, []).append((i, j))
        cells = [place for id in query['answer_cells'] for place in places.get(id, [])]
        rows, columns = {i for i, _ in cells}, {j for _, j in cells}
        if not cells or max(columns) >= COLUMNS or len(cells) != len(rows) * len(columns) or min(len(rows), len(columns)) > 1:
            continue
        grid = table['rows'] if not in_english else [[table['cells_en'][id] for id in row] for row in table['cell_ids']]
        has_header = table['type'] == 'vertical' and all(id in table['column_attribute'] for id in table['cell_ids'][0]) and min(rows) > 0
        shaped = {'header': [], 'rows': grid}
        yield case('imtqa', query['table'], shaped, query['question_en' if in_english else 'question'], cells)
        if has_header and len(grid) > 2:
            shaped = {'header': grid[0], 'rows': grid[1:]}
            yield case('imtqa', query['table'], shaped, query['question_en' if in_english else 'question'], [(i - 1, j) for i, j in cells])


SELECT = re.compile(r'^SELECT "([^"]+)" FROM "([^"]+)" where (.+?);?$', re.I | re.S)
CONDITION = re.compile(r'"([^"]+)" = \'?([^\']+?)\'?$')


def retqa(data):
    """Questions with their SQL: plain selections are look-ups, the rest is computed."""
    tables = {t['id']: t for t in lines(data, 'retqa/tables')}
    for query in lines(data, 'retqa/train'):
        table = tables.get(query['tables'][0])
        if len(query['tables']) != 1 or table is None or len(table['rows']) < 2:
            continue
        simple = SELECT.match(query['sql'].strip())
        conditions = [CONDITION.match(c.strip()) for c in re.split(r' and ', simple[3], flags=re.I)] if simple else [None]
        computed = re.search(r'COUNT\(|SUM\(|AVG\(|MAX\(|MIN\(|ORDER BY', query['sql'], re.I)
        if simple and all(conditions) and not computed:
            try:
                column = table['header'].index(simple[1])
                tests = [(table['header'].index(c[1]), c[2]) for c in conditions]
            except ValueError:
                continue
            rows = [i for i, row in enumerate(table['rows']) if all(norm(row[j]) == norm(v) for j, v in tests)]
            if 1 <= len(rows) <= 4 and column < COLUMNS:
                yield case('retqa', query['tables'][0], table, query['question'], [(i, column) for i in rows])
        elif computed:
            yield case('retqa', query['tables'][0], table, query['question'], [], [], 'open')


def thinned(cases, most):
    """At most so many cases a source, tables of every kind."""
    chance, kept, seen = random.Random(5), [], Counter()
    chance.shuffle(cases)
    for one in cases:
        kind = (one['source'], bool(one['row']), one['part'])
        if seen[kind] < most.get(kind[0], 10 ** 9) * (1 if one['row'] else .35) * (1 if one['part'] == 'learn' else .12):
            seen[kind] += 1
            kept.append(one)
    return kept


def main(data, out):
    ids, prints = forbidden(data)
    sets = {'en': [*english(data, 'wtq', 'train'), *english(data, 'sqa', 'train'), *english(data, 'wikisql', 'train_qa'), *imtqa(data, True)], 'zh': [*imtqa(data, False), *retqa(data)]}
    trained = set()
    for language, cases in sets.items():
        before = len(cases)
        # What validation parts ask about is dropped altogether; squall's fold is of WTQ's own training questions and may be measured on.
        cases = [c for c in cases if c['part'] != 'learn' or (c['table'] not in ids and fingerprint(c) not in prints)]
        cases = thinned(cases, {'retqa': 5000})
        trained |= {c['table'] for c in cases if c['part'] == 'learn'}
        with lzma.open(f'{out}/{language}.jsonl.xz', 'wt', encoding='utf-8', preset=6) as file:
            for one in cases:
                file.write(json.dumps(one, ensure_ascii=False) + '\n')
        print(language, before, 'cases,', len(cases), 'kept', Counter((c['source'], c['part'], 'look-up' if c['row'] else 'none') for c in cases))
    open(f'{out}/training-ids.txt', 'w', encoding='utf-8').write('\n'.join(sorted(trained)) + '\n')


def check(data, file):
    ids, _ = forbidden(data)
    trained = open(file, encoding='utf-8').read().split('\n')
    wrong = [id for id in trained if id and (id in ids or part(id.split('/', 1)[1]) != 'learn')]
    print(len(trained) - 1, 'tables trained on,', len(wrong), 'of them are in validation, test or held-out parts', *wrong[:5])
    sys.exit(bool(wrong))


if __name__ == '__main__':
    if sys.argv[2] == '--check':
        check(sys.argv[1], sys.argv[3])
    main(*sys.argv[1:])
