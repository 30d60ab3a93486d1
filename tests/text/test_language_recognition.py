"""Whether a text is in a language, and names of languages."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from errata import sample
from errata.corpus.files import read_lines
from errata.corpus.formats import read_corpus
from errata.edits.language import Language, language
from errata.errors import ErrataError
from errata.text.languages import CODES as LANGUAGES
from errata.text.languages import NAMES, misfit, suggestions

FILES = {
    "bg": "Bulgarian-BTB-dev", "da": "Danish-DDT-dev", "de": "German-PUD-test", "el": "Greek-GUD-test",
    "es": "Spanish-PUD-test", "et": "Estonian-EDT-dev", "fi": "Finnish-PUD-test", "fr": "French-PUD-test",
    "hu": "Hungarian-Szeged-dev", "is": "Icelandic-PUD-test", "it": "Italian-PUD-test",
    "lv": "Latvian-LVTB-dev",
    "nl": "Dutch-Alpino-dev", "pl": "Polish-PUD-test", "pt": "Portuguese-PUD-test", "ro": "Romanian-RRT-dev",
    "ru": "Russian-PUD-test", "sl": "Slovenian-SSJ-dev", "sv": "Swedish-PUD-test", "tr": "Turkish-PUD-test",
    "uk": "Ukrainian-IU-dev",
}  # fmt: skip


def sentences(data: Path, code: str) -> list[str]:
    path = data / "ud_packs" / code / f"{FILES[code]}.conllu.xz"
    if not path.is_file():
        pytest.skip(f"{path} is not here")
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [line[8:].strip() for line in lines if line.startswith("# text = ")][:300]


@pytest.mark.slow
def test_texts_fit_their_languages_and_few_others(data: Path) -> None:
    """Of wrong languages 95 % are noticed; the others are mostly close, such as Danish and Swedish."""
    texts = {code: sentences(data, code) for code in FILES}
    assert [code for code in FILES if misfit(code, texts[code])] == []
    wrong = [(code, other) for code in FILES for other in FILES if code != other]
    noticed = [pair for pair in wrong if misfit(pair[1], texts[pair[0]])]
    assert len(noticed) > 0.95 * len(wrong)


TEXTS = {
    "de": "Der Hund ist nicht im Garten , und die Katze sitzt auf dem Dach . Ich habe das Buch gelesen , "
    "das mir "
    "meine Schwester für die Reise gegeben hat . Wir fahren mit dem Zug zu den Eltern , weil es auch für "
    "die Kinder "
    "schön ist . Sie hat eine Wohnung in der Stadt und arbeitet von zu Hause .",
    "uk": "Він сказав , що це не його книга , але вона лежала на столі . Ми були у місті і бачили , як "
    "люди йдуть до "
    "театру . Це було для нас дуже важливо , та все одно ми не могли прийти . Я вчуся в школі , і мені "
    "подобається "
    "читати книги про тварин . Вона живе з батьками у великому будинку .",
    "ru": "Он сказал , что это не его книга , но она лежала на столе . Мы были в городе и видели , как "
    "люди идут в "
    "театр . Это было для нас очень важно , но мы не могли прийти . Я учусь в школе , и мне нравится "
    "читать книги "
    "про животных . Она живёт с родителями в большом доме .",
    "zh": "今天 天气 非常 好 ， 我们 决定 一起 去 公园 散步 。 "
    "他 昨天 买 了 一 本 新 书 ， 可是 还 没有 开始 看 。 "
    "老师 说 明天 有 考试 ， 大家 都 要 好好 准备 。 我 觉得 学习 汉语 很 有意思 。",
}  # fmt: skip


def texts() -> dict[str, list[str]]:
    found = {code: [text] * 3 for code, text in TEXTS.items()}
    return found | {code: sample.load(code).corpus.sources for code in sample.LANGUAGES}


@pytest.mark.parametrize("written", ["en", "cs", "de", "uk", "ru", "zh"])
def test_a_text_fits_its_own_language_and_no_other(written: str) -> None:
    lines = texts()[written]
    for expected in texts():
        wrong = misfit(expected, lines)
        if expected == written:
            assert wrong is None
        else:
            assert wrong is not None, expected
            assert wrong.found == written
    assert misfit("xx", lines) is None
    assert misfit("en", ["Only a few words ."]) is None


def test_a_language_without_a_list_of_words_is_not_named() -> None:
    basque = (
        "Txakurra lorategian korrika dabil eta katua leihoan lo dago , baina inor ez dago etxean . "
        "Hamar urte daramatzagu hiri honetan bizitzen , hemen eskola ona eta laku ederra daudelako . "
        "Bihar liburutegira joango naiz liburu berri bat irakurtzera ."
    )
    wrong = misfit("en", [basque] * 3)
    assert wrong is not None
    assert wrong.found is None
    assert misfit("eu", [basque] * 3) is None


def test_real_texts_fit_their_language(data) -> None:
    english = [
        read_corpus(data / "conll14" / "test.m2").sources,
        read_lines(data / "gmeg/fce_test/source.txt"),
    ]
    czech = [
        read_corpus(data / "geccc" / "dev" / "sentence.m2").sources,
        read_lines(data / "text/cs_ntrex.txt"),
    ]
    for code, other, corpora in (("en", "cs", english), ("cs", "en", czech)):
        for lines in corpora:
            for start in range(0, len(lines) - 50, 50):
                piece = lines[start : start + 50]
                assert misfit(code, piece) is None
                wrong = misfit(other, piece)
                assert wrong is not None
                assert wrong.found == code


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("cz", "cs"),
        ("english", "en"),
        ("Czech", "cs"),
        ("en-GB", "en"),
        ("EN", "en"),
        ("ua", "uk"),
        ("germna", "de"),
    ],
)
def test_unknown_languages_are_errors_with_the_right_spelling(name: str, meant: str) -> None:
    assert suggestions(name)[0] == meant
    with pytest.raises(ErrataError, match=f"did you mean {meant}"):
        language(name)


def test_every_known_language_is_accepted_and_every_name_has_a_code() -> None:
    assert set(NAMES) <= LANGUAGES
    for code in sorted(LANGUAGES):
        assert isinstance(language(code), Language)
    with pytest.raises(ErrataError, match="there is no language 'zzz'"):
        language("zzz")
