"""Every finding of `errata corpus check`: its code, what it means, an example, and what to do."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Literal

from errata.errors import ErrataError


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """Something a check found in a line of a file; `fix` says what to do about this very one."""

    path: str
    line: int
    code: str
    message: str
    fix: str = ""

    @property
    def is_error(self) -> bool:
        return self.code.startswith("E")

    @property
    def remedy(self) -> str:
        """What to do: its own fix, or what the code always advises."""
        return self.fix or CODES[self.code].remedy


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of finding: `E…` makes scores wrong or a file unreadable, `W…` may.

    The first digit is what was looked at: 1 a file by itself, 2 sentences and edits, 3 files together.
    """

    code: str
    title: str
    meaning: str
    example: str
    remedy: str
    fix: Literal["", "safe", "on request"] = ""  # on request: only when `--select` names the code

    @property
    def is_error(self) -> bool:
        return self.code.startswith("E")

    def text(self) -> str:
        """The whole explanation as `errata explain` prints it."""
        fixed = {
            "": "",
            "safe": "\nFix: errata corpus check --fix does it.\n",
            "on request": f"\nFix: errata corpus check --fix --select {self.code} does it "
            "(only when named, for it can change scores).\n",
        }[self.fix]
        example = "\n".join("    " + line for line in self.example.split("\n"))
        meaning, remedy = (textwrap.fill(text, 90) for text in (self.meaning, "Remedy: " + self.remedy))
        return f"{self.code}: {self.title}\n\n{meaning}\n\nExample:\n{example}\n\n{remedy}\n{fixed}"


_ALL = (
    # -- 1: the file by itself -----------------------------------------------------------------------
    Code("E101", "unreadable file",
         "The file is missing, is a folder, may not be read, or its compression is broken, so nothing "
         "else could be checked.",
         "corpus.m2.gz: Compressed file ended before the end-of-stream marker was reached",
         "Check the path and the permissions; download or compress the file again."),
    Code("E102", "not UTF-8",
         "Some bytes are no UTF-8. Every reader of errata refuses such a file, for guessing an encoding "
         "changes letters without a trace.",
         "caf\\xe9 (Latin-1) instead of caf\\xc3\\xa9",
         "Convert the file, for example: iconv -f LATIN1 -t UTF-8 old.txt > new.txt"),
    Code("E103", "NUL character",
         "Text does not contain NUL (U+0000). Usually the file is UTF-16 or not text at all.",
         "T\\0h\\0e\\0",
         "Convert from UTF-16 (iconv -f UTF-16 -t UTF-8), or look where the bytes come from."),
    Code("W101", "byte-order mark",
         "The file begins with U+FEFF, which many programs take for a part of the first token: the first "
         "sentence then matches nothing.",
         "\\ufeffThe cat sat .",
         "Remove it. errata's readers skip it; other scorers do not.", "safe"),
    Code("W102", "Windows line ends (CRLF)",
         "Lines end with CR LF. Programs that split at LF alone keep the CR, and it becomes a token or a "
         "part of the last one.",
         "The cat sat .\\r\\n",
         "Convert to LF. errata's readers drop the CR; other scorers may not.", "safe"),
    Code("W103", "control characters",
         "Characters below U+0020 other than tab and line ends, U+007F to U+009F, and the invisible "
         "U+200B, U+2060 and U+FEFF inside a line. They do not show but make tokens differ; some of them "
         "split tokens or lines in some programs.",
         "The\\x07 cat sat .",
         "Find out where they come from and remove them, in source, references and outputs alike."),
    Code("W104", "other line separators",
         "U+0085, U+2028 and U+2029 end a line for some programs (Python's splitlines among them) but not "
         "for others: files that are aligned for one are astray for the next. For errata they are text.",
         "one line\\u2028still the same line",
         "Replace them by blanks."),
    Code("W105", "not NFC",
         "The text is not in Unicode normal form C: letters with accents are written as letter and "
         "accent. It looks the same as the normal form but does not equal it, so a correct correction "
         "counts as wrong.",
         "e + U+0301 instead of é (U+00E9)",
         "Normalise source, references and outputs alike.", "on request"),
    Code("W106", "lost characters",
         "The line has U+FFFD, which a program wrote in place of bytes it could not decode.",
         "caf\\ufffd",
         "Go back to the original file and convert it with its true encoding."),
    Code("W107", "blanks at the end or beginning of a line",
         "Invisible, and programs that split at single blanks see empty tokens there.",
         "The cat sat . ␣",
         "Strip them. Tokens stay the same.", "safe"),
    Code("W108", "doubled blanks",
         "Several blanks between two tokens. Programs that split at single blanks see empty tokens, so "
         "the offsets of edits mean something else for them than for errata.",
         "The␣␣cat sat .",
         "Leave one blank, unless the offsets of an M2 file count the empty tokens.", "on request"),
    Code("W109", "white space other than blank and tab",
         "No-break spaces, ideographic spaces and the like split tokens in Python but not in every program.",
         "5\\u00a0km",
         "Replace them by blanks where they separate tokens."),
    Code("W110", "empty line",
         "A line without text. In a source it is a sentence of no tokens; in an output it usually means "
         "that the system failed there.",
         "(an output whose line 24 is empty)",
         "If the line is there by mistake, remove it in all parallel files; otherwise leave it."),
    Code("W111", "no line end at the end of the file",
         "The last line is not closed, so `wc -l` counts one line less and `cat` joins it with the next "
         "file.",
         "…\\nThe cat sat .(end of file)",
         "Add the line end.", "safe"),
    # -- 2: sentences and edits (M2) -----------------------------------------------------------------
    Code("E201", "neither an S nor an A line",
         "Every line of M2 is empty or begins with `S ` (a sentence) or `A ` (an edit).",
         "The cat sat .",
         "Is it an M2 file? Otherwise a sentence was broken into two lines, or its S is missing."),
    Code("E202", "malformed edit",
         "An edit has two offsets and six fields, the last being the annotator's number.",
         "A 3 4|||Vt|||sat|||REQUIRED|||0",
         "Write it as: A <start> <end>|||<type>|||<correction>|||REQUIRED|||-NONE-|||<annotator>"),
    Code("E203", "edit without a sentence",
         "An A line follows an empty line or begins the file, so it belongs to no sentence.",
         "S The cat sit .\n\nA 2 3|||Vform|||sits|||REQUIRED|||-NONE-|||0",
         "Remove the empty line, or put the S line back."),
    Code("E204", "edit outside its sentence",
         "The offsets leave the sentence, or the end comes before the start. Often the sentence was "
         "tokenised again after the edits were made.",
         "S The cat sit .\nA 3 9|||Vform|||sits|||REQUIRED|||-NONE-|||0",
         "Correct the offsets; tokens are counted from 0, the end is the token behind."),
    Code("E205", "overlapping edits",
         "Two edits of one annotator change the same tokens, so there is no corrected sentence. "
         "Alternatives belong to another annotator, or into one edit separated by `||`.",
         "A 1 3|||Nn|||dogs|||REQUIRED|||-NONE-|||0\nA 2 4|||Vt|||sat|||REQUIRED|||-NONE-|||0",
         "Merge the edits into one, or give one of them to another annotator."),
    Code("E206", "the same edit twice",
         "An annotator replaces the same tokens by the same correction twice: it counts twice in the gold.",
         "A 2 3|||Vt|||sat|||REQUIRED|||-NONE-|||0\nA 2 3|||Vform|||sat|||REQUIRED|||-NONE-|||0",
         "Remove one of them."),
    Code("W201", "edits out of order",
         "An annotator's edits do not come from left to right. The official M² scorer walks through the "
         "gold in the file's order and loses matches then; errata follows it, so the order changes M².",
         "A 5 6|||Nn|||dogs|||REQUIRED|||-NONE-|||0\nA 2 3|||Vt|||sat|||REQUIRED|||-NONE-|||0",
         "Sort them in a corpus of your own. Leave a published one as it is, or say so: "
         "scores change.", "on request"),
    Code("W202", "edit that changes nothing",
         "The correction equals the tokens it replaces, or nothing is inserted. It can never be found by "
         "comparing texts, so it counts as missed by every system.",
         "S The cat sat .\nA 1 2|||Nn|||cat|||REQUIRED|||-NONE-|||0",
         "Remove it, or correct the correction."),
    Code("W203", "no annotation, though others say noop",
         'The sentence has no A line while others of the file say "nothing to correct" with a noop. It '
         "reads as a noop of annotator 0, but may as well mean that nobody looked at it.",
         "S The cat sat .\n\nS It sleeps .\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0",
         "Write the noop of annotator 0, which is how the official scorers read it.", "safe"),
    Code("W204", "annotator who appears only sometimes",
         "An annotator has edits or noops for some of the sentences only. Scorers that choose the best "
         "annotator have fewer to choose from elsewhere; converted to parallel text, it is missing.",
         "annotator 1 says something about 1,088 of 1,312 sentences",
         "Write a noop where the annotator found nothing to correct; leave it where nobody looked."),
    Code("W205", "noop beside edits",
         'An annotator says "nothing to correct" and corrects something in the same sentence.',
         "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\nA 2 3|||Vt|||sat|||REQUIRED|||-NONE-|||0",
         "Remove the noop."),
    Code("W206", "sentence without tokens",
         "An S line with nothing behind it.",
         "S ",
         "Remove the block here and its line in all outputs, or leave it if the outputs have it too."),
    Code("W207", "no empty line between two sentences",
         "Two S lines stand in one block. Each is read as a sentence of its own that has the edits of the "
         "whole block, as the official M² scorer reads it: gold edits that are meant for one sentence "
         "count for both. Scores of corrected texts (GLEU, I-measure) end with an error.",
         "S The cat sat .\nS It sleeps .",
         "Add the empty line.", "on request"),
    Code("W208", "blanks in a correction",
         "The correction begins or ends with a blank or has a doubled one. Blanks at both ends are left "
         "out, as the official M² scorer does; other programs keep them. With a doubled blank inside, the "
         "correction equals nothing that a system can produce.",
         "A 2 3|||Vt|||had  sat|||REQUIRED|||-NONE-|||0",
         "Strip the correction, and leave single blanks in it."),
    Code("W209", "the same insertion twice in a row",
         "An annotator inserts the same text twice at one place: it is inserted twice and counts twice. "
         "Rarely it is meant.",
         "A 2 2|||ArtOrDet|||the|||REQUIRED|||-NONE-|||0\nA 2 2|||ArtOrDet|||the|||REQUIRED|||-NONE-|||0",
         "Remove one of them, or write both into one edit."),
    Code("W210", "unusual offsets",
         "More than two numbers with one blank between them stand before the first `|||`. The first two "
         "are read, as by the official M² scorer; other programs may refuse the line.",
         "A 2  3 |||Vt|||sat|||REQUIRED|||-NONE-|||0",
         "Leave two numbers with one blank between them."),
    Code("W211", "more than six fields",
         "An edit has further fields behind the annotator's number. They are not read, as in the official "
         "M² scorer.",
         "A 2 3|||Vt|||sat|||REQUIRED|||-NONE-|||0|||checked",
         "Remove them, or look whether a correction contains `|||`."),
    Code("W212", "I line",
         "A line that begins with `I ` is not read, as in the official M² scorer.",
         "S The cat sat .\nI sentence 17",
         "Remove the line."),
    # -- 3: files against each other -----------------------------------------------------------------
    Code("E301", "different numbers of lines",
         "A reference or an output must have exactly one line a sentence of the corpus. The line named is "
         "the first from which on the texts stop resembling each other.",
         "out.txt has 1,311 lines, source.txt 1,312",
         "Compare the files around that line: a sentence was lost, doubled, split or joined there."),
    Code("E302", "lines that belong to other sentences",
         "Several lines close together hardly resemble their own source but do resemble a neighbouring "
         "one: the file is shifted there, even if it has the right number of lines. Every score of these "
         "lines is meaningless.",
         "source 41: The weather was fine .    output 41: (the correction of sentence 42)",
         "Compare the files around that line."),
    Code("E303", "the whole file tokenised otherwise than the source",
         "Throughout the file, punctuation is attached to words where the source has it apart, or the "
         "other way round. Each sign counts as a change of the system, and correct corrections beside it "
         "count as wrong.",
         "source: He came , and left .    output: He came, and left.    (in nearly all lines)",
         "Tokenise the file as the source is tokenised (errata corpus tokenize), or score the file that "
         "the system wrote before detokenising."),
    Code("E304", "shifted lines",
         "From some line on, the lines belong to the source sentences one or more lines further down or "
         "up: a line was lost or doubled, even if the number of lines is right. Scores of these lines are "
         "meaningless.",
         "output 41 is the correction of sentence 42, output 42 that of sentence 43, and so on",
         "Compare the files around the first of these lines: a sentence was lost, doubled, split or "
         "joined there."),
    Code("E305", "lines in another order than the source",
         "Many lines resemble a source sentence elsewhere in the corpus far more than their own: the file "
         "is sorted, shuffled, or in the order of another edition of the corpus.",
         "output 1 is the correction of sentence 517, output 2 that of sentence 40",
         "Put the lines back into the order of the source. Was the output sorted by length or written by "
         "parallel workers?"),
    Code("E306", "letter case lost",
         "Sentences begin with a capital letter in the source but not in the file, or the file is written "
         "in capitals. Every sentence gets a change that nobody made.",
         "source: The cat sat .    output: the cat sat .    (in nearly all lines)",
         "Restore the case of the source: score the output before lower-casing, or recase it."),
    Code("E307", "the same line for many sentences",
         "One and the same text, often an empty line, stands for many different source sentences: the "
         "output was cut short and filled up, or the system answered something else than a correction.",
         "lines 1,113 to 1,312 of the output are empty",
         "Run the system again for these sentences. Where it fails, put the source sentence in."),
    Code("E308", "another text than the source",
         "At least half of the lines resemble no sentence of the source: the file belongs to another "
         "corpus, is a translation, or has other content in its lines.",
         "source: The cat sat on the mat .    output: Dnes ráno pršelo .",
         "Check that source and output are those of the same test set, and in the same order."),
    Code("E309", "a language that does not fit the text",
         "A metric that follows the rules of one language scores text that seems to be in another. Its "
         "edits and error types are then found with the wrong rules, tagger and word list.",
         "errant, which is English unless told otherwise, on Czech text",
         "Name the language of the text, for example: --metric errant:language=cs"),
    Code("E310", "several columns in a line",
         "Lines contain tabs where the source has none: the file is a table, for example of several "
         "references or of source and correction, and all of its columns are taken for one text.",
         "source: He come .    reference: He came .\\tHe comes .",
         "Cut the file into one file per column, for example: cut -f1 gold.txt > ref0.txt"),
    Code("W301", "empty where the source is not",
         "The reference or output is empty for a sentence that has text: everything was deleted.",
         "source: The cat sat .    output: (nothing)",
         "Did the system fail? Put the source in its place if that is what the system would return."),
    Code("W302", "tokenised otherwise than the source",
         "Punctuation is attached in one file and apart in the other. Each such place counts as a change "
         "of the system, so all scores drop. In a few lines it may be a correction: learners forget "
         "blanks too.",
         "source: He came , and left .    output: He came, and left.",
         "Tokenise the outputs as the source is (`errata corpus tokenize`), or detokenise both."),
    Code("W303", "escapes the source does not have",
         "The line has `&apos;`, `&quot;`, `&amp;`, `-LRB-` or the like where the source has the "
         "characters themselves, left there by a tokeniser.",
         "source: the cat 's tail    output: the cat &apos;s tail",
         "Tokenise without escapes, or replace them."),
    Code("W304", "nothing in common with its source",
         "Source and line have at least five tokens each and not one in common: a made-up sentence, "
         "another language, or a line that belongs elsewhere.",
         "source: The cat sat on it .    output: I am a language model and cannot",
         "Look at the line."),
    Code("W305", "line that resembles a neighbouring sentence more than its own",
         "As E302, but a single line: two sentences may have been joined or split there, or it is a free "
         "rewriting.",
         "source 7: It rained .    source 8: So the match was put off .    output 7: As it rained , the "
         "match was put off .",
         "Look at the line and its neighbours."),
    Code("W306", "text without tokenisation",
         "Most punctuation of the source is attached to words. Most metrics split text at white space: "
         'for them "left" and "left." are different words, and scores cannot be compared with those on '
         "tokenised text.",
         "He came, and left.    instead of    He came , and left .",
         "Tokenise source, references and outputs alike (errata corpus tokenize), or use metrics of "
         "characters (cer, chrf)."),
    Code("W307", "copy of a reference",
         "The output equals one reference for nearly all of the sentences that the reference changes. "
         "Systems do not do that: the reference may have been given as output, or the system has seen the "
         "test set.",
         "1,270 of the 1,300 sentences that reference 0 changes are the same in the output",
         "Check the file. To score people, leave their own reference out."),
)  # fmt: skip

CODES: dict[str, Code] = {code.code: code for code in _ALL}


def explanation(code: str) -> str:
    """What a code means, with an example and the remedy; raises for a code there is not."""
    found = CODES.get(code.upper())
    if found is None:
        raise ErrataError(f"there is no check {code!r}\n  hint: one of {', '.join(CODES)}")
    return found.text()
