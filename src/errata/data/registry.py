"""The public corpora errata knows: what they are, whose, under which licence, and where to get them.

A fact that could not be verified is left empty and shown as "see the homepage".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from errata.errors import ErrataError, one_of

_ARCHIVES = (".tar.gz", ".tgz", ".tar", ".zip")


@dataclass(frozen=True)
class File:
    """Something to download: a file that goes to `path`, or an archive some of whose members are kept."""

    url: str
    path: str = ""
    members: Mapping[str, str] = field(default_factory=dict)  # of an archive: name there -> path here
    keep: tuple[str, ...] = ()  # of an archive: folders taken whole, without the archive's top folder
    sha256: str | None = None  # of an archive; None: recorded at the first fetch, and compared from then on

    @property
    def is_archive(self) -> bool:
        return not self.path and self.url.endswith(_ARCHIVES)


@dataclass(frozen=True)
class Dataset:
    """A public corpus or set of judgments."""

    name: str
    title: str
    kind: str  # corpus, outputs, judgments
    languages: tuple[str, ...]
    size: str
    homepage: str
    citation: str
    licence: str = ""
    folder: str = ""  # in the data folder; its name where empty
    expected: tuple[str, ...] = ()  # files and folders that a complete copy has; patterns with * too
    files: tuple[File, ...] = ()
    how: str = ""  # to get it, where it cannot be fetched: a licence to agree to, a form
    notes: str = ""

    @property
    def place(self) -> str:
        return self.folder or self.name

    def checksum(self, path: str) -> str | None:
        """The SHA-256 of a file of this data set, where it is known."""
        return _checksums().get(f"{self.place}/{path}")


@cache
def _checksums() -> dict[str, str]:
    """SHA-256 by path in the data folder; the file is as `sha256sum` writes and checks it."""
    text = (resources.files("errata.data") / "checksums.txt").read_text("utf-8")
    return {name: digest for digest, name in (line.split("  ", 1) for line in text.splitlines())}


def _github(repository: str, files: Mapping[str, str], commit: str = "HEAD") -> tuple[File, ...]:
    """Single files of a GitHub repository: path there -> path here.

    `HEAD` stands where the revision that the checksums belong to is not known.
    """
    base = f"https://raw.githubusercontent.com/{repository}/{commit}"
    return tuple(File(f"{base}/{there}", path=here) for there, here in files.items())


_GECMETRICS = "68414aaa2bbdc669daa6a63efa049d5e7cd7c282"
_GECCC = "257381c8cb0f9855c0c5b2680691c0a1ac18e48f"
_CONLL_SYSTEMS = ("AMU", "CAMB", "CUUI", "IITB", "IPN", "NTHU", "PKU", "POST", "RAC", "SJTU", "UFC", "UMC")
_GECCC_FILES = tuple(
    f"{part}/{level}.{kind}"
    for part in ("dev", "test")
    for level in ("sentence", "paragraph")
    for kind in ("m2", "input", "gold", "meta")
)
_JFLEG_FILES = tuple(
    f"{part}/{part}.{kind}"
    for part in ("dev", "test")
    for kind in ("src", "ref0", "ref1", "ref2", "ref3", "spellchecked.src")
)
_GECMETRICS_FILES = (
    *(f"sentence_pairwiseranks_humans/{name}.csv.gz" for name in ("expanded", "unexpanded")),
    *(f"system_scores_humans/{name}.txt.gz" for name in ("expected_wins", "trueskill")),
    *(
        f"{level}_scores_metrics/{name}.txt.gz"
        for level in ("sentence", "system")
        for name in ("gleu", "imeasure", "m2score")
    ),
)
_GJG15_SCORES = ("bleu", "iwacc", "m2", "m2.0", "m2.1", "meteor")
_REWRITES = {
    f"annotations/{group}_annotations/{folder}_{kind}/{group}_{kind}{which}": f"{group}_{kind}{which}.txt"
    for group, folder in (("expert", "expert"), ("turker", "turkers"))
    for kind in ("fluency", "minimal")
    for which in "AB"
}

_SEEDA_SYSTEMS = (
    "BART", "BERT-fuse", "GECToR-BERT", "GECToR-ens", "GPT-3.5", "INPUT", "LM-Critic", "PIE", "REF-F",
    "REF-M", "Riken-Tohoku", "T5", "TemplateGEC", "TransGEC", "UEDIN-MS",
)  # fmt: skip
_SEEDA_OUTPUTS = {f"outputs/all/{system}.txt": f"systems/{system}.txt" for system in _SEEDA_SYSTEMS}
_SEEDA_HUMAN = ("EW_edit", "EW_sent", "TS_edit", "TS_sent")
_GMEG_TEXTS = (
    "source", "source+error", "ref0", "ref1", "ref2", "ref3",
    "amu", "lstm", "lstm-r", "marian", "nus", "transformer",
)  # fmt: skip
_GMEG_FILES = {
    there: here
    for domain in ("fce", "wiki", "yahoo")
    for part in ("test", "dev")
    for there, here in (
        *((f"data/{part}/{domain}/{text}", f"{domain}_{part}/{text}.txt") for text in _GMEG_TEXTS),
        *(
            (f"data/{part}/{domain}-{level}-scores.csv", f"{domain}_{part}/{level}_scores.csv")
            for level in ("segment", "corpus")
        ),
    )
}

_ALL = (
    Dataset(
        "conll14",
        "CoNLL-2014 shared task, test set",
        "corpus",
        ("en",),
        "1,312 sentences of 50 essays, 2 annotators",
        "https://www.comp.nus.edu.sg/~nlp/conll14st.html",
        "Ng, Wu, Briscoe, Hadiwinoto, Susanto and Bryant (2014): The CoNLL-2014 Shared Task on Grammatical "
        "Error Correction. CoNLL Shared Task, 1-14.",
        expected=("test.m2",),
        files=(
            File(
                "https://www.comp.nus.edu.sg/~nlp/conll14st/conll14st-test-data.tar.gz",
                members={
                    "conll14st-test-data/noalt/official-2014.combined.m2": "test.m2",
                    "conll14st-test-data/alt/official-2014.combined-withalt.m2": "test.withalt.m2",
                },
            ),
            *_github(
                "nusnlp/gecmetrics",
                {
                    "data/conll14st-test/conll14st-test.tok.src": "source.txt",
                    "data/conll14st-test/refs/conll14st-test.tok.trg0": "refs/nucle0.txt",
                    "data/conll14st-test/refs/conll14st-test.tok.trg1": "refs/nucle1.txt",
                },
                _GECMETRICS,
            ),
        ),
        notes="The references in refs/ are the M2 edits without those of type Um; test.withalt.m2 has the "
        "alternative answers of the second evaluation, too.",
    ),
    Dataset(
        "conll14-systems",
        "CoNLL-2014 shared task, twelve submissions",
        "outputs",
        ("en",),
        "12 systems, 1,312 sentences each",
        "https://www.comp.nus.edu.sg/~nlp/conll14st.html",
        "Ng, Wu, Briscoe, Hadiwinoto, Susanto and Bryant (2014): The CoNLL-2014 Shared Task on Grammatical "
        "Error Correction. CoNLL Shared Task, 1-14.",
        folder="conll14/systems",
        expected=tuple(f"{system}.txt" for system in _CONLL_SYSTEMS),
        files=(
            File(
                "https://www.comp.nus.edu.sg/~nlp/conll14st/official_submissions.tar.gz",
                members={f"official_submissions/{system}": f"{system}.txt" for system in _CONLL_SYSTEMS},
            ),
        ),
        notes="`errata corpus check` knows their quirks: CR LF, blanks, an empty line, shifted lines.",
    ),
    Dataset(
        "jfleg",
        "JFLEG: JHU fluency-extended GUG",
        "corpus",
        ("en",),
        "754 + 747 sentences, 4 fluency references",
        "https://github.com/keisks/jfleg",
        "Napoles, Sakaguchi and Tetreault (2017): JFLEG: A Fluency Corpus and Benchmark for Grammatical "
        "Error Correction. EACL, 229-234.",
        licence="CC BY-NC-SA 4.0",
        expected=_JFLEG_FILES,
        files=_github("keisks/jfleg", {name: name for name in _JFLEG_FILES}),
    ),
    Dataset(
        "geccc",
        "GECCC: Grammar Error Correction Corpus for Czech (dev and test)",
        "corpus",
        ("cs",),
        "8,478 + 7,907 sentences of four domains, 1-2 annotators",
        "http://hdl.handle.net/11234/1-4861",
        "Náplava, Straka, Straková and Rosen (2022): Czech Grammar Error Correction with a Large and Diverse "
        "Corpus. TACL 10, doi:10.1162/tacl_a_00470.",
        licence="CC BY-SA 4.0",
        expected=("meta.tsv", *_GECCC_FILES),
        files=_github(
            "ufal/GECCC", {f"data/{name}": name for name in ("meta.tsv", *_GECCC_FILES)}, _GECCC
        ),
        notes="The training part is on the homepage.",
    ),
    Dataset(
        "ua-gec",
        "UA-GEC: grammatical error correction and fluency corpus for Ukrainian",
        "corpus",
        ("uk",),
        "33,735 sentences, 1-2 annotators",
        "https://github.com/grammarly/ua-gec",
        "Syvokon, Nahorna, Kuchmiichuk and Osidach (2023): UA-GEC: Grammatical Error Correction and Fluency "
        "Corpus for the Ukrainian Language. UNLP, 96-102.",
        licence="CC BY 4.0",
        expected=("data/gec-fluency/test", "data/gec-only/test", "data/metadata.csv"),
        files=(File("https://github.com/grammarly/ua-gec/archive/HEAD.tar.gz", keep=("data",)),),
        notes="The package ua-gec on PyPI ships it too.",
    ),
    Dataset(
        "wi-locness",
        "Write & Improve + LOCNESS (BEA-2019)",
        "corpus",
        ("en",),
        "3,600 annotated submissions to W&I, and essays of native students",
        "https://www.cl.cam.ac.uk/research/nl/bea2019st/",
        "Bryant, Felice, Andersen and Briscoe (2019): The BEA-2019 Shared Task on Grammatical Error "
        "Correction. BEA, 52-75.",
        licence="non-commercial research and education; its own licences",
        expected=("m2",),
        how="Downloading it means agreeing to its licences. Read them on the homepage, download "
        "wi+locness_v2.1.bea19.tar.gz there and unpack it.",
    ),
    Dataset(
        "fce",
        "FCE: First Certificate in English (BEA-2019 version)",
        "corpus",
        ("en",),
        "33,236 sentences",
        "https://www.cl.cam.ac.uk/research/nl/bea2019st/",
        "Yannakoudakis, Briscoe and Medlock (2011): A New Dataset and Method for Automatically Grading ESOL "
        "Texts. ACL, 180-189.",
        licence="non-commercial research and education; its own licence",
        expected=("m2",),
        how="Downloading it means agreeing to its licence. Read it on the homepage, download "
        "fce_v2.1.bea19.tar.gz there and unpack it.",
    ),
    Dataset(
        "falko-merlin",
        "Falko-MERLIN: German learner texts",
        "corpus",
        ("de",),
        "training, development and test sentences in M2",
        "https://github.com/adrianeboyd/boyd-wnut2018",
        "Boyd (2018): Using Wikipedia Edits in Low Resource Grammatical Error Correction. W-NUT, W18-6111.",
        licence="Falko CC BY 3.0, MERLIN CC BY-SA 4.0",
        expected=("fm-test.m2",),
        files=(
            File(
                "https://github.com/adrianeboyd/boyd-wnut2018/releases/download/wnut2018/data.tar.gz",
                members={f"data/fm-{part}.m2": f"fm-{part}.m2" for part in ("train", "dev", "test")},
            ),
        ),
    ),
    Dataset(
        "seeda",
        "SEEDA: edit- and sentence-based judgments of modern correctors",
        "judgments",
        ("en",),
        "15 outputs for CoNLL-2014, 391 sentences of them judged by edits and by sentences",
        "https://github.com/tmu-nlp/SEEDA",
        "Kobayashi, Mita and Komachi (2024): Revisiting Meta-evaluation for Grammatical Error Correction. "
        "TACL, 2024.tacl-1.47.",
        expected=("judgments_edit.xml", "judgments_sent.xml", "human*", *_SEEDA_OUTPUTS.values()),
        files=_github(
            "tmu-nlp/SEEDA",
            {
                "data/all/judgments_edit.xml": "judgments_edit.xml",
                "data/all/judgments_sent.xml": "judgments_sent.xml",
                **{f"scores/human/{name}.txt": f"human/{name}.txt" for name in _SEEDA_HUMAN},
                **_SEEDA_OUTPUTS,
            },
            "0c6c07f98dcfab016f1169b680997f1f29ea0705",
        ),
    ),
    Dataset(
        "gmeg",
        "GMEG: three domains with references, outputs and ratings",
        "judgments",
        ("en",),
        "6,000 sentences, 4 references, 6 systems with mean human ratings",
        "https://github.com/grammarly/GMEG",
        "Napoles, Nădejde and Tetreault (2019): Enabling Robust Grammatical Error Correction in New Domains: "
        "Data Sets, Metrics, and Analyses. TACL 7, 551-566.",
        expected=("fce_test/segment_scores.csv", "fce_test/source.txt", "fce_test/ref0.txt"),
        files=_github("grammarly/GMEG", _GMEG_FILES, "83be7cd"),
        notes="A folder per domain and part: fce_test, wiki_test, yahoo_test, fce_dev, wiki_dev, yahoo_dev.",
    ),
    Dataset(
        "tmu-gfm",
        "TMU-GFM: outputs rated for grammar, fluency and meaning",
        "judgments",
        ("en",),
        "4,221 outputs of five systems, five ratings each",
        "https://github.com/tmu-nlp/TMU-GFM-Dataset",
        "Yoshimura, Kaneko, Kajiwara and Komachi (2020): SOME: Reference-less Sub-Metrics Optimized for "
        "Manual Evaluations of Grammatical Error Correction. COLING, 2020.coling-main.573.",
        expected=("tmu-gfm*",),
        files=_github(
            "tmu-nlp/TMU-GFM-Dataset",
            {"tmu-gfm-dataset.csv": "tmu-gfm-dataset.csv"},
            "e22b35502e0fcdbf79bfe2a2bc1771c7ad301786",
        ),
        notes="102 ratings are 0, which the published averages leave out.",
    ),
    Dataset(
        "gjg15",
        "Rankings of the CoNLL-2014 systems by Grundkiewicz et al.",
        "judgments",
        ("en",),
        "rankings by 8 judges, and metric scores",
        "https://github.com/grammatical/evaluation",
        "Grundkiewicz, Junczys-Dowmunt and Gillian (2015): Human Evaluation of Grammatical Error Correction "
        "Systems. EMNLP, 461-470.",
        expected=("judgments.xml",),
        files=_github(
            "grammatical/evaluation",
            {
                "data/judgments.xml": "judgments.xml",
                **{f"data/metrics/scores.{name}": f"scores.{name}" for name in _GJG15_SCORES},
            },
        ),
    ),
    Dataset(
        "napoles15",
        "Rankings of the CoNLL-2014 systems by Napoles et al.",
        "judgments",
        ("en",),
        "28,146 pairs by 3 judges",
        "https://github.com/cnap/gec-ranking",
        "Napoles, Sakaguchi, Post and Tetreault (2015): Ground Truth for Grammatical Error Correction "
        "Metrics. ACL, 588-593.",
        expected=("all_judgments.csv", "all_judgments.xml"),
        files=_github(
            "cnap/gec-ranking",
            {"data/all_judgments.csv": "all_judgments.csv", "data/all_judgments.xml": "all_judgments.xml"},
        ),
    ),
    Dataset(
        "reassess",
        "Fluency and minimal rewrites of CoNLL-2014, with rankings",
        "judgments",
        ("en",),
        "8 rewrites of 1,312 sentences, crowd rankings",
        "https://github.com/keisks/reassess-gec",
        "Sakaguchi, Napoles, Post and Tetreault (2016): Reassessing the Goals of Grammatical Error "
        "Correction: Fluency Instead of Grammaticality. TACL 4, 169-182.",
        expected=(*_REWRITES.values(), "merged_ids.txt", "Main_merged.csv", "Ctrl_merged.csv"),
        files=_github(
            "keisks/reassess-gec",
            {
                **_REWRITES,
                "annotations/merged_ids": "merged_ids.txt",
                "annotations/extra_fluency/results_extra-HITs.csv": "extra_fluency.csv",
                "inter_annotator_agreements/Main_merged.csv": "Main_merged.csv",
                "inter_annotator_agreements/Ctrl_merged.csv": "Ctrl_merged.csv",
                "inter_annotator_agreements/highAgreedAMU.txt": "highAgreedAMU.txt",
                "metric_scores": "metric_scores.tsv",
            },
        ),
        notes="merged_ids.txt lists the sentences (from 1) that the paper leaves out.",
    ),
    Dataset(
        "gecmetrics",
        "Scores and human pairs of Chollampatt and Ng",
        "judgments",
        ("en",),
        "sentence and system scores of three metrics, human pairs",
        "https://github.com/nusnlp/gecmetrics",
        "Chollampatt and Ng (2018): A Reassessment of Reference-Based Grammatical Error Correction Metrics. "
        "COLING.",
        expected=_GECMETRICS_FILES,
        files=_github(
            "nusnlp/gecmetrics", {f"scores/{name}": name for name in _GECMETRICS_FILES}, _GECMETRICS
        ),
    ),
)  # fmt: skip

DATASETS: dict[str, Dataset] = {dataset.name: dataset for dataset in _ALL}


def dataset(name: str) -> Dataset:
    """The entry of this name; raises with the names there are."""
    found = DATASETS.get(name)
    if found is None:
        raise ErrataError(f"there is no data set {name!r}\n  hint: {one_of(name, DATASETS)}")
    return found
