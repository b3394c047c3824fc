"""Makes up everyday tables with look-up questions in plain words, and questions that such a table does not answer.

The ideas of columns, what they are called and how people ask for them stand in everyday/*.txt:

    # KIND | what its keys are | names of the key column | what many of them are called
    idea | values | names of the column | questions with {x}, a key | questions with {v}, a value, that ask for the key

An eighth of all names and phrasings (by their checksum) is kept from training, to measure whether others are understood.
"""
import datetime, math, pathlib, random, zlib
from everyday_grids import ALIAS, COMPUTED, GRIDS, LABELS, MONTHS, OVER, PLAIN, SECTIONS, TOTAL, WEEKDAYS
from everyday_pools import pool

FOLDER = pathlib.Path(__file__).parent / 'everyday'


def split(text, by=';'):
    return [part.strip() for part in text.split(by) if part.strip()]


class Kind:
    def __init__(self, name, keys, names, plural):
        self.name, self.keys, self.names, self.plural, self.ideas = name, keys, split(names), split(plural), {}


class Idea:
    def __init__(self, name, values, names, asks, backs=''):
        self.name, self.values, self.names, self.asks, self.backs = name, values, split(names), split(asks), split(backs)


def load(language):
    kinds = []
    for line in (FOLDER / f'{language}.txt').read_text('utf-8').splitlines():
        parts = [part.strip() for part in line.lstrip('# ').split('|')]
        if line.startswith('#'):
            kinds.append(Kind(*parts))
        elif len(parts) >= 4:
            kinds[-1].ideas[parts[0]] = Idea(*parts[:5])
    return kinds


def is_kept(text):
    """Whether a name or phrasing is kept from training."""
    return zlib.crc32(text.encode()) % 8 == 0


class Style:
    """How one table writes numbers and dates."""

    def __init__(self, chance, language):
        self.chance, self.language = chance, language
        self.marks = chance.choice({'en': [',.', '.', ',.'], 'de': ['.,', ',', '.'], 'fr': ['\u00a0,', ',', ' ,'], 'zh': [',.', '.', '.']}[language])
        self.date = chance.choice({'en': ['%Y-%m-%d', '%d/%m/%Y', '%b %d, %Y', '%d %B %Y', '%m/%d/%Y'], 'de': ['%d.%m.%Y', '%Y-%m-%d', '%d.%m.%y'],
                                   'fr': ['%d/%m/%Y', '%Y-%m-%d'], 'zh': ['%Y-%m-%d', '%Y年%m月%d日', '%Y/%m/%d']}[language])
        self.currency = chance.choice({'en': ['', '', '$', '£', '€', ' EUR'], 'de': ['', '', ' €', ' EUR'], 'fr': ['', '', ' €'], 'zh': ['', '', '元', '¥']}[language])
        self.whole = chance.random() < .6

    def number(self, value, digits):
        text = f'{value:,.{digits}f}' if len(self.marks) > 1 else f'{value:.{digits}f}'
        thousands, point = (self.marks[0], self.marks[1]) if len(self.marks) > 1 else ('', self.marks)
        return text.replace(',', '\0').replace('.', point).replace('\0', thousands)

    def money(self, low, high):
        value = 10 ** self.chance.uniform(math.log10(max(low, 1)), math.log10(high))
        text = self.number(round(value) if self.whole else value, 0 if self.whole else 2)
        if self.currency in ('$', '£', '€', '¥'):
            return self.currency + text
        return text + self.currency


def person(chance, language, used=()):
    last, first = pool('last', language), pool('first', language)
    return chance.choice(last) + chance.choice(first) if language == 'zh' else f'{chance.choice(first)} {chance.choice(last)}'


def value(spec, style):
    """A value of this kind, as the table writes it."""
    chance, language = style.chance, style.language
    word, _, rest = spec.partition(' ')
    if word == 'pick':
        return chance.choice(split(rest, ','))
    if word in ('money', 'int', 'dec', 'year'):
        low, high = map(float, rest.split())
    if word == 'money':
        return style.money(low, high)
    if word == 'int':
        wide = high > 5000
        number = 10 ** chance.uniform(2 if low < 100 else 2.9, math.log10(high)) if wide else chance.randint(int(low), int(high))
        return style.number(int(number), 0) if wide else str(int(number))
    if word == 'year':
        return str(chance.randint(int(low), int(high)))
    if word == 'dec':
        return style.number(chance.uniform(low, high), chance.choice((1, 1, 2)))
    if word == 'percent':
        return f'{chance.choice((0, 2, 3, 5, 7, 10, 15, 19, 20, 25, 30, 40, 50, 75, 100))}' + chance.choice((' %', '%', ''))
    if word in ('date', 'past', 'birth'):
        start = {'date': 19700, 'past': 15000, 'birth': 0}[word] + chance.randint(0, {'date': 1000, 'past': 4800, 'birth': 13000}[word])
        return (datetime.date(1970, 1, 1) + datetime.timedelta(start)).strftime(style.date)
    if word == 'time':
        return f'{chance.randint(6, 21):02}:{chance.choice((0, 15, 30, 45)):02}'
    if word == 'phone':
        return ''.join(chance.choice('0123456789') for _ in range(chance.choice((4, 8, 11))))
    if word == 'email':
        return chance.choice(pool('first', 'en')).lower() + chance.choice(['@example.com', '@mail.org', '.' + chance.choice(pool('last', 'en')).lower() + '@corp.net'])
    if word == 'code':
        return ''.join(str(chance.randint(0, 9)) if c == '#' else c for c in rest)
    if word == 'person':
        return person(chance, language) if chance.random() < .8 else short(person(chance, language), language, chance)
    return chance.choice(pool(word, language))


def short(name, language, chance):
    """A person as one speaks of them."""
    return name if language == 'zh' else name.split(' ')[0 if chance.random() < .7 else -1]


def dressed(name, chance, language):
    """A column's name as files write it."""
    luck = chance.random()
    if language != 'zh' and luck < .08:
        return name.lower().replace(' ', '_')
    if language != 'zh' and luck < .13:
        return name.upper()
    if language != 'zh' and luck < .2:
        return name.lower()
    return name


class Maker:
    """Makes cases, one after the other, in some languages."""

    def __init__(self, languages, seed, kept=False):
        self.chance, self.kept = random.Random(seed), kept
        self.kinds = {language: load(language) for language in languages}
        self.languages = languages

    def one_of(self, texts):
        """One of these names or phrasings; those kept from training only where they are to be measured."""
        right = [text for text in texts if is_kept(text) == self.kept]
        return self.chance.choice(right or texts)

    def case(self):
        language = self.chance.choices(list(self.languages), [self.languages[l] for l in self.languages])[0]
        case = self.grid(language) if self.chance.random() < .25 else self.record(language)
        case['question'] = self.asked(case['question'])
        case['source'] = f"made-{language}"
        return case

    def asked(self, question):
        luck = self.chance.random()
        if luck < .2:
            question = question.rstrip('?？ ')
        elif luck < .35:
            question = question.lower()
        elif luck < .7:
            question = question[:1].upper() + question[1:]
        return question

    # Tables with a thing in each row.

    def record(self, language):
        chance, style = self.chance, Style(self.chance, language)
        kind = chance.choice(self.kinds[language])
        ideas = list(kind.ideas.values())
        chance.shuffle(ideas)
        many = min(len(ideas) - 1, chance.choice((1, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 10)))
        inside, outside = ideas[:many], ideas[many:]
        keys = self.keys(kind.keys, style, chance.choice((2, 3, 4, 5, 6, 8, 8, 10, 12, 15, 20, 25)))
        names = [self.one_of(kind.names)] + [self.one_of(idea.names) for idea in inside]
        if len({name.lower() for name in names}) < len(names):
            return self.record(language)
        columns = [keys] + [[value(idea.values, style) for _ in keys] for idea in inside]
        ideas = [None, *inside]
        self.disturb(names, columns, ideas, language, len(keys))
        header = [dressed(name, chance, language) for name in names]
        if chance.random() < .1:
            header = self.stacked(header, language)
        rows = [list(row) for row in zip(*columns)]
        for row in rows:
            for j, idea in enumerate(ideas):
                if idea and chance.random() < .02:
                    row[j] = ''
        table = {'header': header, 'rows': rows, 'title': self.one_of(kind.plural) if chance.random() < .4 else '', 'sections': None}
        key = ideas.index(None)
        question, row, column = self.question(language, kind, ideas, outside, names, rows, key)
        if chance.random() < .08 and len(rows) > 3:
            self.in_sections(table, language)
        return {**table, 'question': question, 'row': row, 'column': column}

    def keys(self, spec, style, many):
        seen = []
        for _ in range(many * 4):
            key = person(self.chance, style.language) if spec == 'person' else value(spec, style)
            if key not in seen:
                seen.append(key)
        keys = seen[:many]
        if spec == 'person' and style.language != 'zh' and self.chance.random() < .3:
            first = [key.split(' ')[0] for key in keys]
            keys = first if len(set(first)) == len(first) else keys
        if spec in ('product', 'dish', 'event', 'booking', 'device') and self.chance.random() < .6:
            keys = [key[:1].upper() + key[1:] for key in keys]
        return keys

    def disturb(self, names, columns, ideas, language, many):
        """A running number or a column of notes, and the key not always first."""
        chance = self.chance
        if chance.random() < .2:
            names.insert(0, chance.choice(['ID', 'No.', '#', 'Nr.'] if language != 'zh' else ['序号', '编号']))
            columns.insert(0, [str(i + 1) for i in range(many)])
            ideas.insert(0, Idea('', '', '', ''))
        if chance.random() < .15:
            names.append({'en': 'Notes', 'de': 'Bemerkung', 'fr': 'Remarques', 'zh': '备注'}[language])
            columns.append([chance.choice(['', '', 'ok', '-', 'new', '!']) for _ in range(many)])
            ideas.append(Idea('', '', '', ''))
        if chance.random() < .15:
            order = list(range(len(names)))
            chance.shuffle(order)
            for part in (names, columns, ideas):
                part[:] = [part[i] for i in order]

    def stacked(self, header, language):
        """Some columns below a common heading."""
        start = self.chance.randint(0, max(0, len(header) - 2))
        over = self.chance.choice(split(OVER[language], ','))
        return [f'{over} > {name}' if start <= j < start + 3 else name for j, name in enumerate(header)]

    def in_sections(self, table, language):
        names = self.chance.sample(split(SECTIONS[language], ','), 2)
        cut = self.chance.randint(1, len(table['rows']) - 1)
        table['sections'] = [names[0] if i < cut else names[1] for i in range(len(table['rows']))]

    def question(self, language, kind, ideas, outside, names, rows, key):
        """A question with its rows and its columns: [] says none, None that it is left open."""
        chance = self.chance
        usable = [j for j, idea in enumerate(ideas) if idea and idea.asks]
        j = chance.choice(usable)
        i = chance.randrange(len(rows))
        x, here = self.named(kind, language, rows, i, key)
        if chance.random() < .08:
            x, here = self.described(language, ideas, rows, i, j) or (x, here)
        luck = chance.random()
        if luck < .44:
            return self.phrase(ideas[j], language, names[j], x), here, [j]
        if luck < .58 and ideas[j].backs and rows[i][j]:
            same = [n for n, row in enumerate(rows) if row[j] == rows[i][j]]
            if len(same) <= 5:
                return self.one_of(ideas[j].backs).replace('{v}', rows[i][j]), same, [key]
        if luck < .63 and ideas[j].backs:
            other = value(ideas[j].values, Style(chance, language))
            if all(row[j] != other for row in rows):
                return self.one_of(ideas[j].backs).replace('{v}', other), [], [key]
        if luck < .75:
            absent = self.absent(kind, language, rows, key)
            if absent:
                return self.phrase(ideas[j], language, names[j], absent), [], [j]
        if luck < .87 and outside:
            idea = chance.choice(outside)
            if not any(set(idea.names) & set(other.names) for other in ideas if other):
                return self.phrase(idea, language, self.one_of(idea.names), x), here, []
        if luck < .9:
            return self.elsewhere(language, kind)
        return self.computed(language, kind, ideas, names, rows, key, j)

    def phrase(self, idea, language, name, x):
        """The question for a column in plain words, or by one of its names."""
        if self.chance.random() < .72:
            return self.one_of(idea.asks).replace('{x}', x)
        alias = name if self.chance.random() < .4 else self.one_of(idea.names)
        alias = alias if language == 'de' else alias.lower()
        return self.chance.choice(split(PLAIN[language])).replace('{a}', alias).replace('{x}', x)

    def named(self, kind, language, rows, i, key):
        """What a question calls a row, and the rows that it means."""
        full = rows[i][key]
        x = full
        if kind.keys == 'person' and language != 'zh' and ' ' in full and self.chance.random() < .45:
            x = short(full, language, self.chance)
        elif kind.keys in ('product', 'dish', 'event', 'booking', 'device', 'subject') and language != 'de' and self.chance.random() < .5:
            x = full.lower()
        words = set(x.lower().split())
        same = [n for n, row in enumerate(rows) if words <= set(row[key].lower().split())] if x != full else [i]
        return x, same if i in same else [i]

    def described(self, language, ideas, rows, i, j):
        """A row by what it alone has in another column: the cook, the order of Acme, the VW Golf."""
        forms = {'role': {'en': 'the {v}', 'zh': '那个{v}'}, 'play': {'en': 'the {v}'}, 'model': {'en': 'the {v}', 'de': 'der {v}', 'fr': 'la {v}'}, 'species': {'en': 'the {v}', 'de': 'der {v}'},
                 'customer': {'en': 'the order of {v}', 'de': 'die Bestellung von {v}', 'fr': 'la commande de {v}', 'zh': '{v}的订单'}}
        for n, idea in enumerate(ideas):
            form = forms.get(idea.name, {}).get(language) if idea and n != j else None
            if form and rows[i][n] and sum(row[n] == rows[i][n] for row in rows) == 1:
                return form.replace('{v}', rows[i][n] if idea.name in ('customer', 'model') or language == 'de' else rows[i][n].lower()), [i]
        return None

    def absent(self, kind, language, rows, key):
        """A name that the table does not have, often one that shares a word with one that it has."""
        style = Style(self.chance, language)
        for _ in range(6):
            other = person(self.chance, language) if kind.keys == 'person' else value(kind.keys, style)
            if kind.keys == 'person' and language != 'zh':
                near = self.chance.choice(rows)[key].split(' ')
                if self.chance.random() < .4 and len(near) > 1:
                    other = f"{near[0]} {other.split(' ')[1]}" if self.chance.random() < .5 else f"{other.split(' ')[0]} {near[1]}"
                elif self.chance.random() < .6:
                    other = other.split(' ')[0]
            words = set(other.lower().split())
            if not any(words <= set(row[key].lower().split()) or row[key] == other for row in rows):
                return other
        return None

    def elsewhere(self, language, kind):
        """A question about things of another kind."""
        other = self.chance.choice([k for k in self.kinds[language] if k.name != kind.name and k.keys != kind.keys])
        idea = self.chance.choice(list(other.ideas.values()))
        x = self.keys(other.keys, Style(self.chance, language), 1)[0]
        return self.one_of(idea.asks).replace('{x}', x), [], []

    def computed(self, language, kind, ideas, names, rows, key, j):
        sort = self.chance.choice(('column', 'key', 'none', 'pair'))
        x, y = (self.chance.choice(rows)[key] for _ in range(2))
        name = names[j] if self.chance.random() < .5 else self.one_of(ideas[j].names)
        text = self.chance.choice(split(COMPUTED[language][sort])).replace('{n}', self.one_of(kind.plural))
        text = text.replace('{a}', name if language == 'de' else name.lower()).replace('{x}', x).replace('{y}', y)
        if sort == 'pair' and x == y:
            return self.elsewhere(language, kind)
        return text, [], {'column': [j], 'pair': [j], 'key': [key], 'none': []}[sort]

    # Tables with a value where a row and a column cross.

    def grid(self, language):
        chance, style = self.chance, Style(self.chance, language)
        of_rows, of_columns, values, first, titles, asks = chance.choice(GRIDS)
        labels, spoken_row = self.labels(of_rows, language, style)
        columns, spoken_column = self.series(of_columns, language, style)
        most = max(2, len(labels) - 1)
        shown = sorted(chance.sample(range(len(labels)), min(most, chance.randint(2, 14))))
        start = chance.randint(0, max(0, len(columns) - 3))
        within = list(range(start, min(len(columns), start + chance.randint(2, 12))))
        rows = [[labels[i]] + [value(values, style) for _ in within] for i in shown]
        header = [chance.choice([p.strip() for p in first[language].split(';')])] + [columns[j] for j in within]
        has_totals = chance.random() < .3 and not values.startswith('subject')
        if has_totals:
            rows.append([chance.choice(split(TOTAL[language], ','))] + [value(values, style) for _ in within])
        title = self.chance.choice(split(titles[language])) if chance.random() < .6 else ''
        i, j = chance.randrange(len(labels)), chance.randrange(len(columns))
        if chance.random() < .75:
            i, j = chance.choice(shown), chance.choice(within)
        question = self.one_of(split(asks[language])).replace('{r}', spoken_row(i)).replace('{c}', spoken_column(j))
        row = [shown.index(i)] if i in shown else []
        column = [within.index(j) + 1] if j in within else []
        if has_totals and chance.random() < .25:
            j = chance.choice(within)
            total = {'en': 'the total', 'de': 'insgesamt', 'fr': 'le total', 'zh': '合计'}[language]
            question = self.one_of(split(asks[language])).replace('{r}', total).replace('{c}', spoken_column(j))
            row, column = [len(rows) - 1], [within.index(j) + 1]
        return {'header': header, 'rows': rows, 'title': title, 'sections': None, 'question': question, 'row': row, 'column': column}

    def labels(self, what, language, style):
        chance = self.chance
        if what in LABELS:
            labels = split(LABELS[what][language], ',')
        elif what == 'times':
            labels = [f'{hour:02}:{chance.choice(("00", "00", "30"))}' for hour in range(8, 19)]
        else:
            labels = self.keys(what, style, 14)
        def spoken(i):
            names = split(ALIAS.get(labels[i], ''))
            if names and chance.random() < .35:
                return self.one_of(names)
            return labels[i] if language == 'de' or what in ('person', 'city') else labels[i].lower()
        return labels, spoken

    def series(self, what, language, style):
        """Names of columns, and how a question speaks of one."""
        chance = self.chance
        if what == 'period':
            what = chance.choice(('months', 'months', 'quarters', 'years'))
        full = {'months': lambda: split(MONTHS[language], ','), 'weekdays': lambda: split(WEEKDAYS[language], ','),
                'quarters': lambda: ['Q1', 'Q2', 'Q3', 'Q4'] if language != 'zh' else ['第一季度', '第二季度', '第三季度', '第四季度'],
                'years': lambda: [str(y) for y in range(2008, 2027)], 'subjects': lambda: chance.sample(pool('subject', language), 12),
                'companies': lambda: chance.sample(pool('company', language), 8)}[what]()
        names = list(full)
        if what in ('months', 'weekdays') and chance.random() < .5:
            names = [name[:3] for name in full] if language != 'zh' else [f'{i + 1}月' if what == 'months' else f'周{name[-1]}' for i, name in enumerate(full)]
        if what == 'quarters':
            spoken = {'en': ['the first quarter', 'the second quarter', 'the third quarter', 'the fourth quarter'], 'de': ['1. Quartal', '2. Quartal', '3. Quartal', '4. Quartal'],
                      'fr': ['premier trimestre', 'deuxième trimestre', 'troisième trimestre', 'quatrième trimestre'], 'zh': ['一季度', '二季度', '三季度', '四季度']}[language]
            full = spoken if chance.random() < .5 else full
        if what == 'years' and chance.random() < .2:
            names = [f'FY{name}' if language != 'zh' else f'{name}年' for name in full]
        return names, lambda j: full[j]


if __name__ == '__main__':
    maker = Maker({'en': 1, 'de': 1, 'fr': 1, 'zh': 1}, 1)
    for _ in range(40):
        case = maker.case()
        print(case['source'], '|', case['question'], '|', case['title'], '|', case['header'], '|', case['rows'][:2], len(case['rows']), '| row', case['row'], '| column', case['column'])
