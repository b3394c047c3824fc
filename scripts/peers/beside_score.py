"""Whether what another program said is right, wrong or no answer. One rule for all, and a lenient one: every value that was asked
for must stand in what was said, however it is written; what else stands there does no harm."""

import re

REFUSES = re.compile(
    r"\b(don'?t know|do(es)? not|doesn'?t|cannot|can'?t|could not|unable|not (provided|available|mentioned|specified|contain\w*|found|"
    r"possible|in the|given|included|present)|no (information|data|mention|answer|record|such|direct)|there (is|are) no\b|unknown|empty response|unfortunately|"
    r"agent stopped|nan|none)\b|没有|无法|未提|不知道",
    re.IGNORECASE,
)
NUMBER = re.compile(r"(?<![\w.])[-−]?\d[\d,'’ \u00a0\u202f]*(?:\.\d+)?(?:\s*%)?")


def plain(text):
    return " ".join(str(text).casefold().split())


def numbers(text):
    """The numbers in a text, with how many decimals they are written."""
    for written in NUMBER.findall(str(text)):
        bare = re.sub(r"[,'’\s]", "", written.rstrip("% ")).replace("−", "-")
        decimals = len(bare.partition(".")[2])
        try:
            yield float(bare), decimals
            if written.endswith("%"):
                yield float(bare) / 100, decimals + 2
        except ValueError:
            continue


def number(value):
    try:
        return float(str(value).replace(",", ""))
    except ValueError:
        return None


def says(text, value):
    """Whether a text says a value. A number may be rounded, but not by more than one in a hundred."""
    wanted = number(value)
    if wanted is None:
        return plain(value) in plain(text)
    return any(
        abs(said - wanted) <= min(0.5 * 10**-decimals, abs(wanted) / 100) + 1e-6 * abs(wanted) for said, decimals in numbers(text)
    )


def values(answers):
    return [v for answer in answers for v in (answer if isinstance(answer, list) else [answer])]


def verdict(question, answer):
    """`right`, `wrong` or `silent`; for a question without an answer, silence is right."""
    said = (answer or "").strip()
    wanted = [question["answers"], *question.get("or", [])] if question["answers"] else []
    if any(said and all(says(said, v) for v in values(one)) for one in wanted):
        return "right"
    return "silent" if not said or REFUSES.search(said) else "wrong"


def telling(question):
    """Whether finding the answer in a passage tells anything: a short number stands in many by chance."""
    wanted = values(question["answers"])
    return bool(wanted) and all(number(v) is None and len(str(v)) > 2 or len(re.sub(r"\D", "", str(v))) > 3 for v in wanted)


def found(question, passages):
    text = "\n".join(passages)
    return all(says(text, v) for v in values(question["answers"]))
