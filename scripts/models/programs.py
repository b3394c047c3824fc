"""Questions with the programs that they may mean, as `examples/programs.rs` writes them: draws them to train on.

usage: programs.py DATA FILE OUT     divides them by language into OUT/programs-en.jsonl.xz and OUT/programs-zh.jsonl.xz, without tables of
                                     validation and test parts, and adds the tables that are trained on to OUT/training-ids.txt
"""
import json, lzma, random, re, sys
from texts import PROGRAM, QUESTION

MOST = 16  # programs of a question at once
LOST = .12  # questions whose right programs are taken away, so that none is right
SHARES = {'everyday': .62, 'public': .29, 'statement': .09}


def kind(question):
    return 'everyday' if question['set'].startswith('everyday:') else 'statement' if question['statement'] else 'public'


def key(text):
    """A number that stands for a text."""
    hash = 0xcbf29ce484222325
    for byte in text.encode():
        hash = (hash ^ byte) * 0x100000001b3 % 2 ** 64
    return hash >> 16


class Programs:
    """Draws questions to train on without end."""

    def __init__(self, questions, seed):
        self.chance = random.Random(seed)
        self.kinds = {}
        for question in questions:
            if question['programs']:
                self.kinds.setdefault(kind(question), []).append(question)
        self.names = list(self.kinds)
        self.shares = [SHARES[name] for name in self.names]

    def draw(self):
        chance = self.chance
        question = chance.choice(self.kinds[chance.choices(self.names, self.shares)[0]])
        right = [p for p in question['programs'] if p['right']]
        wrong = [p for p in question['programs'] if not p['right']]
        if right and wrong and chance.random() < LOST:
            right = []
        right = right[:3] if len(right) < 4 else chance.sample(right, 3)
        most = MOST - len(right)
        # The likeliest wrong ones come first, and are the hardest.
        wrong = wrong[:most // 2] + chance.sample(wrong[most // 2:], min(len(wrong[most // 2:]), most - most // 2))
        return {**question, 'programs': right + wrong, 'title': question['title'] if chance.random() < .7 else ''}


def chunked(pairs, chunks):
    """Pairs sorted by length in a few chunks, and where each stands. Few shapes, filled up with empty pairs: a GPU plans each anew."""
    import numpy as np, torch
    order = sorted(range(len(pairs)), key=lambda i: len(pairs[i][0]) + len(pairs[i][1]))
    place, parts, first = np.empty(len(pairs), np.int64), [], 0
    for chunk in np.array_split(order, min(chunks, len(order))):
        longest = -(-max(len(pairs[i][0]) + len(pairs[i][1]) for i in chunk) // 16) * 16
        rows = -(-len(chunk) // 64) * 64
        # Small types: what workers make travels through shared memory.
        ids, kinds, mask = (np.zeros((rows, longest), kind) for kind in (np.int32, np.uint8, np.uint8))
        mask[:, 0] = 1
        for n, i in enumerate(chunk):
            a, b = pairs[i]
            ids[n, :len(a) + len(b)], kinds[n, len(a):len(a) + len(b)], mask[n, :len(a) + len(b)] = a + b, 1, 1
            place[i] = first + n
        first += rows
        parts.append(tuple(map(torch.from_numpy, (ids, kinds, mask))))
    return parts, place


def program_batch(questions, tokens, chunks=4):
    """Questions as arrays: pairs sorted by length in a few chunks, where each program stands, which there are, which are right; the last
    place is none."""
    import numpy as np, torch
    pairs, counts = [], []
    for question in questions:
        title = ' '.join(question['title'].split())[:40]
        texts = [f"{title} | {p['text']}" if title else p['text'] for p in question['programs']]
        plain = lambda parts: [e.ids for e in tokens.tokenizer.encode_batch(parts, add_special_tokens=False)]
        asked = [tokens.start, *plain([question['question']])[0][:QUESTION], tokens.end]
        pairs += [(asked, [*ids[:PROGRAM], tokens.end]) for ids in plain(texts)]
        counts.append(len(texts))
    parts, place = chunked(pairs, chunks)
    at = np.zeros((len(questions), max(counts)), np.int64)
    there, right = (np.zeros((len(questions), max(counts) + 1), bool) for _ in range(2))
    there[:, -1] = True
    first = 0
    for n, (question, count) in enumerate(zip(questions, counts)):
        at[n, :count] = place[first:first + count]
        there[n, :count] = True
        right[n, :count] = [p['right'] for p in question['programs']]
        right[n, -1] = not right[n].any()
        first += count
    return parts, *map(torch.from_numpy, (at, there, right))


def name(question):
    """The set and the table of a question."""
    return f"{question['set'].split('/')[-2]}/{question['table']}"


def main(data, file, out):
    from lookups import forbidden
    banned, _ = forbidden(data)
    files = {language: lzma.open(f'{out}/programs-{language}.jsonl.xz', 'wt', preset=2, encoding='utf-8') for language in ('en', 'zh')}
    known = set()
    for line in open(file, encoding='utf-8'):
        question = json.loads(line)
        public = not question['set'].startswith('everyday:')
        if not question['programs'] or public and question['part'] == 'learn' and name(question) in banned:
            continue
        if public and question['part'] == 'learn':
            known.add(name(question))
        # Only the last two parts of a path say which set it is.
        question['set'] = re.sub(r'^(everyday:)?.*?([^/]+/[^/]+)$', r'\1\2', question['set'])
        question['programs'] = [{'text': p['text'][:400], 'right': p['right']} for p in question['programs']]
        files['zh' if re.search(r'[\u3400-\u9fff]', question['question']) else 'en'].write(json.dumps(question, ensure_ascii=False) + '\n')
    for one in files.values():
        one.close()
    with open(f'{out}/training-ids.txt', 'a', encoding='utf-8') as ids:
        ids.writelines(f'{id}\n' for id in sorted(known))


if __name__ == '__main__':
    main(*sys.argv[1:])
