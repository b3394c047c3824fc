"""Trains the locator: which row and which column of a table hold the answer to a question, and which of several programs over the
table it means, or that none does.

usage: train_locator.py --language en --model models/bge-small-en-v1.5 --data en.jsonl.xz --programs programs-en.jsonl.xz --seconds 400 --out FOLDER

The encoder's embeddings stay as they are, so that the program shares them with its general encoder. Probabilities are made
honest by one temperature for rows and one for columns, fitted on tables that were not trained on, and folded into the heads.
"""
import argparse, hashlib, json, os, random, sys, time
os.environ.setdefault('TOKENIZERS_PARALLELISM', 'false')
import numpy as np, torch
import torch.nn.functional as F
import weights
from cases import MADE, Source, Tokens, read
from programs import Programs, chunked, key, program_batch
from everyday import Maker

parser = argparse.ArgumentParser()
for name, kind, default in (('language', str, 'en'), ('model', str, ''), ('data', str, ''), ('programs', str, ''), ('begin', str, ''), ('base', str, ''), ('everyday', str, ''), ('out', str, '.'), ('seconds', float, 400), ('cases', int, 40), ('questions', int, 48), ('rate', float, 1.2e-4),
                            ('measure', int, 500), ('workers', int, max(1, min(14, (os.cpu_count() or 2) - 2)))):
    parser.add_argument(f'--{name}', type=kind, default=default)
args = parser.parse_args()
device = 'cuda' if torch.cuda.is_available() else 'cpu'
start = time.time()
torch.manual_seed(1)
torch.backends.cuda.matmul.allow_tf32 = True


def say(*what):
    print(f'[{time.time() - start:5.0f}]', *what, flush=True)


def batch(cases, tokens, chunks=4):
    """Cases as arrays: pairs sorted by length in a few chunks, where each stands, and what is right."""
    pairs, spans = [], []
    for case in cases:
        own, rows = tokens.pairs(case)
        spans.append((len(pairs), rows, len(own) - rows))
        pairs += own
    parts, place = chunked(pairs, chunks)
    axes = [axis(cases, spans, place, which) for which in ('row', 'column')]
    return parts, axes


def axis(cases, spans, place, which):
    """For one axis: where the score of each candidate is, which there are, and what is right; the last place is none."""
    counts = [rows if which == 'row' else columns for _, rows, columns in spans]
    at = np.zeros((len(cases), max(counts)), np.int64)
    there, right = np.zeros((len(cases), max(counts) + 1), bool), np.zeros((len(cases), max(counts) + 1), np.float32)
    there[:, -1] = True
    for n, (case, (first, rows, _), count) in enumerate(zip(cases, spans, counts)):
        begin = first if which == 'row' else first + rows
        at[n, :count] = place[begin:begin + count]
        there[n, :count] = True
        gold = case[which]
        if gold is not None:
            right[n, gold if gold else [-1]] = 1 / max(1, len(gold))
    return tuple(map(torch.from_numpy, (at, there, right)))


class Batches(torch.utils.data.IterableDataset):
    def __init__(self, public):
        self.public = public

    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        seed = 1000 + (worker.id if worker else 0)
        source, tokens = Source(args.language, self.public, seed), Tokens(f'{args.model}/tokenizer.json')
        while True:
            yield batch([source.draw() for _ in range(args.cases)], tokens)


class ProgramBatches(torch.utils.data.IterableDataset):
    def __init__(self, questions):
        self.questions = questions

    def __iter__(self):
        worker = torch.utils.data.get_worker_info()
        source, tokens = Programs(self.questions, 2000 + (worker.id if worker else 0)), Tokens(f'{args.model}/tokenizer.json')
        while True:
            yield program_batch([source.draw() for _ in range(args.questions)], tokens)


class Locator(torch.nn.Module):
    def __init__(self, bert):
        super().__init__()
        self.bert = bert
        size = bert.config.hidden_size
        self.row, self.column, self.program = (torch.nn.Linear(size, 1) for _ in range(3))
        self.none = torch.nn.Parameter(torch.zeros(3))
        for head in (self.row, self.column, self.program):
            torch.nn.init.normal_(head.weight, std=.02), torch.nn.init.zeros_(head.bias)

    def states(self, parts):
        states = []
        for ids, kinds, mask in parts:
            with torch.autocast(device, dtype=torch.bfloat16, enabled=device == 'cuda'):
                states.append(self.bert(input_ids=ids, token_type_ids=kinds, attention_mask=mask).last_hidden_state[:, 0])
        return torch.cat(states).float()

    def programs(self, parts, at, there):
        """The logits of programs, none last."""
        scores = self.program(self.states(parts))[:, 0][at]
        return torch.cat([scores, self.none[2].expand(len(at), 1)], 1).masked_fill(~there, -1e9)

    def forward(self, parts, axes):
        """The logits of rows and of columns, none last."""
        states = self.states(parts)
        out = []
        for head, none, (at, there, _) in zip((self.row, self.column), self.none, axes):
            logits = torch.cat([head(states)[:, 0][at], none.expand(len(at), 1)], 1)
            out.append(logits.masked_fill(~there, -1e9))
        return out


def moved(part):
    wide = lambda x: x.long() if x.dtype in (torch.int32, torch.uint8) else x
    return [tuple(wide(x.to(device, non_blocking=True)) for x in group) for group in part]


def train(locator, public, questions):
    loader = torch.utils.data.DataLoader(Batches(public), batch_size=None, num_workers=max(1, args.workers // 2) if args.workers else 0, prefetch_factor=6 if args.workers else None, pin_memory=device == 'cuda')
    choosing = iter(torch.utils.data.DataLoader(ProgramBatches(questions), batch_size=None, num_workers=max(1, args.workers // 2) if args.workers else 0, prefetch_factor=6 if args.workers else None, pin_memory=device == 'cuda')) if questions else None
    for parameter in locator.bert.embeddings.parameters():
        parameter.requires_grad_(False)
    body = [p for p in locator.bert.parameters() if p.requires_grad]
    heads = [*locator.row.parameters(), *locator.column.parameters(), *locator.program.parameters(), locator.none]
    optimizer = torch.optim.AdamW([{'params': body}, {'params': heads}], weight_decay=.01)
    step, begun, shown, waited = 0, time.time(), {'rows': [], 'columns': [], 'programs': []}, 0
    locator.train()
    stream = iter(loader)
    while True:
        left = 1 - (time.time() - begun) / args.seconds
        if left <= 0:
            break
        for group, rate in zip(optimizer.param_groups, (args.rate, 1e-3)):
            group['lr'] = rate * min(1, (step + 1) / 150) * max(.02, left)
        before = time.time()
        # Rows and columns are learned faster than programs: a step for them in three.
        located = next(stream) if step % 3 == 0 or choosing is None else None
        choice = None if choosing is None else next(choosing)
        waited += time.time() - before
        losses = []
        if located is not None:
            parts, axes = moved(located[0]), moved(located[1])
            losses = [-(right * F.log_softmax(logits, 1)).sum() / len(right) for logits, (_, _, right) in zip(locator(parts, axes), axes)]
            sum(losses).backward()
            shown['rows'].append(losses[0].detach()), shown['columns'].append(losses[1].detach())
        if choice is not None:
            parts, at, there, right = choice
            parts, (at, there, right) = moved(parts), moved([(at, there, right)])[0]
            chosen = F.log_softmax(locator.programs(parts, at, there), 1)
            loss = -torch.logsumexp(chosen.masked_fill(~right, -1e9), 1).mean()
            loss.backward()
            shown['programs'].append(loss.detach())
        # One step that is no number would spoil all that was learned.
        if torch.isfinite(torch.nn.utils.clip_grad_norm_(body + heads, 1.0)):
            optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        step += 1
        if step in (1, 20) or step % 250 == 0:
            means = ', '.join(f'{name} {torch.stack(all).mean().item():.3f}' for name, all in shown.items() if all)
            say(f'step {step}: loss of {means}; {step / (time.time() - begun):.1f} steps/s, waited {waited:.0f} s, none {[round(n, 3) for n in locator.none.tolist()]}')
            shown = {name: [] for name in shown}
    del stream
    return step


@torch.no_grad()
def logits(locator, cases, tokens):
    """For each case its logits of rows and columns, none last."""
    locator.eval()
    out = []
    for i in range(0, len(cases), 32):
        parts, axes = batch(cases[i:i + 32], tokens, 8)
        rows, columns = locator(moved(parts), moved(axes))
        for n, case in enumerate(cases[i:i + 32]):
            pick = lambda all, there: all[n][there[n].to(all.device)].float().cpu()
            out.append((pick(rows, axes[0][1]), pick(columns, axes[1][1])))
    return out


@torch.no_grad()
def chosen(locator, questions, tokens):
    """For each question its logits of programs, none last."""
    locator.eval()
    out = []
    for i in range(0, len(questions), 64):
        parts, at, there, _ = program_batch(questions[i:i + 64], tokens, 8)
        (at, there), = moved([(at, there)])
        for logits, here in zip(locator.programs(moved(parts), at, there), there):
            out.append(logits[here].float().cpu())
    return out


def program_heat(found, questions):
    """The temperature under which the right programs are likeliest."""
    best = (1e9, 1.0)
    for heat in np.arange(.6, 3.01, .1):
        loss = 0
        for logits, question in zip(found, questions):
            p = F.log_softmax(logits / heat, 0)
            right = [i for i, one in enumerate(question['programs']) if one['right']]
            loss -= float(torch.logsumexp(p[right], 0)) if right else float(p[-1])
        best = min(best, (loss, float(heat)))
    return best[1]


def report_programs(found, questions, label):
    """How often the likeliest program is right, and whether that can be believed."""
    say(label)
    sums = {}
    for logits, question in zip(found, questions):
        p = F.softmax(logits, 0)
        best = int(p[:-1].argmax()) if len(p) > 1 else -1
        hit, sure = best >= 0 and question['programs'][best]['right'], float(p[best]) if best >= 0 else 0.0
        one = sums.setdefault(question['name'] + ('!' if question['statement'] else ''), {'all': 0, 'answerable': 0, 'reached': 0, 'best': 0, 'said': {t: [0, 0] for t in ('.5', '.6', '.7', '.8', '.9')}})
        one['all'] += 1
        one['answerable'] += question['answerable']
        one['reached'] += question['right']
        one['best'] += hit
        for t, (said, right) in one['said'].items():
            if sure >= float(t):
                one['said'][t] = [said + 1, right + hit]
    for name, one in sorted(sums.items()):
        said = ', '.join(f'{t}: {many} said {right / max(1, many):.2f} right' for t, (many, right) in one['said'].items())
        print(f"  {name:14} {one['all']:5} questions, {one['answerable']:5} answerable, reached {one['reached'] / max(1, one['answerable']):.3f}, best right {one['best'] / max(1, one['answerable']):.3f}; {said}", flush=True)
    return sums


def fitted(found, cases, which):
    """The temperature under which the right candidates are likeliest."""
    best = (1e9, 1.0)
    for heat in np.arange(.6, 3.01, .1):
        loss = 0
        for pair, case in zip(found, cases):
            gold = case['row' if which == 0 else 'column']
            if gold is not None:
                p = F.log_softmax(pair[which] / heat, 0)
                loss -= float(torch.logsumexp(p[gold], 0)) if gold else float(p[-1])
        best = min(best, (loss, float(heat)))
    return best[1]


def judged(found, cases):
    """(source, whether it has an answer, how sure, whether right) for each case."""
    for (rows, columns), case in zip(found, cases):
        p, q = F.softmax(rows, 0), F.softmax(columns, 0)
        sure = float(p[:-1].max() * q[:-1].max())
        said_none = int(p.argmax()) == len(p) - 1 or int(q.argmax()) == len(q) - 1
        has = bool(case['row']) and bool(case['column'])
        hit = has and int(p[:-1].argmax()) in case['row'] and int(q[:-1].argmax()) in case['column']
        yield case['source'], has, sure, hit, said_none


def report(found, cases, label):
    """Prints how often it is right and silent, and whether its probabilities can be believed."""
    sums = {}
    for source, has, sure, hit, said_none in judged(found, cases):
        one = sums.setdefault(source, {'answerable': 0, 'right': 0, 'right_said': 0, 'none': 0, 'none_said': 0, 'tenths': [[0, 0] for _ in range(10)]})
        one['answerable' if has else 'none'] += 1
        one['right'] += hit
        one['right_said'] += hit and not said_none
        one['none_said'] += not has and said_none
        one['tenths'][min(9, int(sure * 10))][0] += 1
        one['tenths'][min(9, int(sure * 10))][1] += hit
    say(label)
    for source, one in sorted(sums.items()):
        share = lambda a, b: f'{a / b:.3f}' if b else '  -  '
        tenths = ' '.join(f'.{i}:{many}/{right / many:.2f}' if many else f'.{i}:0' for i, (many, right) in enumerate(one['tenths']))
        sure, good = one['tenths'][9]
        print(f"  {source:9} {one['answerable']:5} answerable: right {share(one['right'], one['answerable'])}, said and right {share(one['right_said'], one['answerable'])}; {one['none']:5} without: silent {share(one['none_said'], one['none'])}; sure of .9: {sure}, right {share(good, sure)}\n            said/right {tenths}", flush=True)
    return sums


def everyday(locator, tokens, heats):
    """The everyday suite: right, wrong and silent at several degrees of certainty. Nothing of it was trained on."""
    cases = [json.loads(line) for line in open(args.everyday, encoding='utf-8')]
    cases = [{**case, 'row': None, 'column': None, 'source': 'everyday', 'sections': None} for case in cases]
    out = []
    for (rows, columns), case in zip(logits(locator, cases, tokens), cases):
        p, q = F.softmax(rows / heats[0], 0), F.softmax(columns / heats[1], 0)
        i, j = int(p[:-1].argmax()), int(q[:-1].argmax())
        row = case['rows'][i]
        said = row[j] if j < len(row) else ''
        good = case['want'] is not None and said.strip().lower() in [w.lower() for w in case['want']]
        out.append((float(p[i] * q[j]), good, case, said))
    lookups = [x for x in out if x[2]['want'] is not None]
    others = [x for x in out if x[2]['want'] is None]
    figures = {}
    for least in (.3, .5, .7, .9):
        right, wrong = sum(s >= least and g for s, g, _, _ in lookups), sum(s >= least and not g for s, g, _, _ in lookups)
        false = sum(s >= least for s, _, _, _ in others)
        figures[str(least)] = (right, wrong, false)
        say(f'everyday, from {least}: of {len(lookups)} look-ups {right} right, {wrong} wrong; of {len(others)} others {false} answered')
    for sure, good, case, said in sorted(out, key=lambda x: -x[0]):
        if not good and sure > .6:
            print(f"    {sure:.2f} {case['file']}: {case['question']} -> {said} (want {case['want']})")
    return figures


def thinned(cases, chance):
    """As many cases of each source as are measured."""
    by_source = {}
    for case in cases:
        by_source.setdefault(case['source'], []).append(case)
    return [case for own in by_source.values() for case in chance.sample(own, min(args.measure, len(own)))]


def few(questions, chance):
    """As many questions of each set as are measured."""
    by_name = {}
    for question in questions:
        by_name.setdefault((question['name'], question['statement']), []).append(question)
    return [question for own in by_name.values() for question in chance.sample(own, min(args.measure, len(own)))]


def main():
    data = read(args.data)
    tokens = Tokens(f'{args.model}/tokenizer.json')
    learn, held, calibrate = ([c for c in data if c['part'] == part] for part in ('learn', 'held', 'calibrate'))
    say(device, len(learn), 'cases to learn,', len(held), 'held out,', args.workers, 'workers')
    locator = Locator(weights.load(args.model, whole=not args.begin)).to(device)
    if args.begin:
        weights.begin(locator, args.begin)
    questions = read(args.programs) if args.programs else []
    for question in questions:
        question['name'] = question['set'].split('/')[-1] if question['set'].startswith('everyday:') else question['set'].split('/')[-2]
    steps = train(locator, learn, [q for q in questions if q['part'] == 'learn'])
    say(steps, 'steps,', steps * args.cases, 'cases')
    chance = random.Random(7)
    made = Maker(MADE[args.language], 77, kept=True)
    made = [made.case() for _ in range(3 * args.measure)]
    made, made_fit = made[args.measure:], made[:args.measure]
    spoil = Source(args.language, held, 99)
    spoiled = [{**case, 'source': 'spoiled'} for case in (spoil.spoiled(dict(chance.choice(spoil.found))) for _ in range(args.measure * 2)) if not (case['row'] and case['column'])]
    test = thinned(held, chance) + made + spoiled
    fit = thinned(calibrate, chance) + made_fit
    found = logits(locator, fit, tokens)
    heats = [fitted(found, fit, which) for which in (0, 1)]
    plain = report([(r / heats[0], c / heats[1]) for r, c in logits(locator, test, tokens)], test, f'held-out tables and phrasings, temperatures {heats[0]:.1f} and {heats[1]:.1f}')
    program = 1.0
    if questions:
        fit_questions, test_questions = ([q for q in questions if q['part'] == part] for part in ('calibrate', 'held'))
        some_fit, some_test = (few(own, chance) for own in (fit_questions, test_questions))
        program = program_heat(chosen(locator, some_fit, tokens), some_fit)
        report_programs([l / program for l in chosen(locator, some_test, tokens)], some_test, f'programs of held-out tables, temperature {program:.1f}')
    heads = {}
    for name, head, heat, none in (('row', locator.row, heats[0], locator.none[0]), ('column', locator.column, heats[1], locator.none[1]), ('program', locator.program, program, locator.none[2])):
        heads |= {f'{name}.weight': head.weight.detach().cpu().numpy() / heat, f'{name}.bias': head.bias.detach().cpu().numpy() / heat, f'{name}.none': none.item() / heat}
    written = weights.tensors(locator.bert, heads)
    base = args.base or hashlib.sha256(open(f'{args.model}/model.onnx', 'rb').read()).hexdigest()
    from texts import COLUMN, PROGRAM, QUESTION, ROW
    sha, size = weights.write(f'{args.out}/locator-{args.language}.safetensors', written, {'base': os.path.basename(args.model.rstrip('/')), 'base_sha256': base, 'question_tokens': QUESTION, 'row_tokens': ROW, 'column_tokens': COLUMN, 'program_tokens': PROGRAM})
    say(f'wrote locator-{args.language}.safetensors, {size} bytes, sha256 {sha}')
    weights.put_back(locator.bert, written)
    if questions:
        report_programs([l / program for l in chosen(locator, some_test, tokens)], some_test, 'the same with weights of eight bits')
        # What the judge of answers learns from: questions that this was not trained on.
        judged = fit_questions + [q for q in test_questions if q['set'].startswith('everyday:')]
        with open(f'{args.out}/scores-{args.language}.jsonl', 'w', encoding='utf-8') as file:
            for scores, question in zip(chosen(locator, judged, tokens), judged):
                scores = [round(float(score) / program, 3) for score in scores]
                file.write(json.dumps({'question': question['question'], 'texts': [key(p['text']) for p in question['programs']], 'scores': scores}, ensure_ascii=False) + '\n')
    eight = report([(r / heats[0], c / heats[1]) for r, c in logits(locator, test, tokens)], test, 'the same with weights of eight bits')
    figures = everyday(locator, tokens, heats) if args.everyday else {}
    examples(locator, test, tokens, heats)
    json.dump({'language': args.language, 'steps': steps, 'cases': steps * args.cases, 'seconds': args.seconds, 'temperatures': heats, 'sha256': sha, 'bytes': size, 'full': plain, 'eight_bits': eight, 'everyday': figures},
              open(f'{args.out}/locator-{args.language}.json', 'w'), indent=1)


def examples(locator, test, tokens, heats):
    """A few pairs with their logits, for the program's test that it computes the same."""
    chosen = [c for c in test if c['source'].startswith('made')][:3]
    with open(f'{args.out}/locator-{args.language}-examples.jsonl', 'w', encoding='utf-8') as file:
        for (rows, columns), case in zip(logits(locator, chosen, tokens), chosen):
            p, q = F.softmax(rows / heats[0], 0).tolist(), F.softmax(columns / heats[1], 0).tolist()
            file.write(json.dumps({k: case[k] for k in ('question', 'title', 'header', 'rows', 'sections')} | {'row_probabilities': p, 'column_probabilities': q}, ensure_ascii=False) + '\n')


main()
