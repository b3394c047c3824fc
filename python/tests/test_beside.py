"""How answers of other programs are judged (scripts/measure-beside): one rule for all."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "peers"))
from beside_score import found, telling, verdict  # noqa: E402


@pytest.mark.parametrize(
    ("answers", "said", "wanted"),
    [
        (["21254.65"], "The total freight is 21,254.65 USD.", "right"),
        (["52366.666667"], "about 52,367", "right"),
        (["0.251"], "It grew by 25.1 %", "right"),
        (["4"], "There are 14 people.", "wrong"),
        (["Ann Baker", "Grace Kim"], "grace kim and Ann Baker", "right"),
        (["Ann Baker", "Grace Kim"], "Ann Baker", "wrong"),
        ([["Oslo", 14], ["Paris", 7]], "Oslo: 14, Paris: 7", "right"),
        (["张江店"], "完成率最高的是张江店。", "right"),
        (["12"], "I don't know.", "silent"),
        (["12"], None, "silent"),
        ([], "The context does not say.", "silent"),
        ([], "", "silent"),
        ([], "Zorro earns 90,000.", "wrong"),
    ],
)
def test_an_answer_is_right_wrong_or_silent(answers, said, wanted):
    assert verdict({"answers": answers}, said) == wanted


def test_short_numbers_in_passages_tell_nothing():
    assert not telling({"answers": ["4"]}) and not telling({"answers": []})
    assert telling({"answers": ["Suzhou"]}) and telling({"answers": ["2875.2"]})
    assert found({"answers": ["2875.2"]}, ["a", "Nordics 2,875.2"]) and not found({"answers": ["Suzhou"]}, ["Oslo"])
