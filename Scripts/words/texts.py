# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""Finds the texts that people read in a file: comments and string literals of code, and the prose of documents."""
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SUFFIXES = {".swift", ".h", ".c", ".m", ".js", ".css", ".html", ".py", ".md", ".yml", ".yaml", ".sh"}


class Text:
    """A comment, a string literal without its interpolations, or a paragraph; `start` and `end` are offsets in the file."""

    def __init__(self, kind: str, start: int, end: int, words: str):
        self.kind, self.start, self.end, self.words = kind, start, end, words


def swift_texts(source: str) -> list[Text]:
    """Returns the comments, string literals and test names in Swift and C code."""
    texts, position, length = [], 0, len(source)

    def string(start: int) -> int:
        """Reads the literal that begins at `start`; returns the offset after it."""
        hashes = 0
        while source[start + hashes] == "#":
            hashes += 1
        at = start + hashes
        # Three quotation marks begin a multi-line literal only at the end of a line.
        quote = '"""' if source.startswith('"""\n', at) else '"'
        closing, escape = quote + "#" * hashes, "\\" + "#" * hashes
        at += len(quote)
        words = []
        while at < length:
            if source.startswith(closing, at):
                at += len(closing)
                break
            if quote == '"' and source[at] == "\n":
                break
            if source.startswith(escape, at):
                at += len(escape)
                if at < length and source[at] == "(":
                    at = code(at + 1, ")") + 1
                    words.append("…")
                else:
                    words.append(" ")
                    at += 1
                continue
            words.append(source[at])
            at += 1
        texts.append(Text("string", start, at, "".join(words)))
        return at

    def code(at: int, end: str | None = None) -> int:
        """Reads code from `at` to its end, or to the parenthesis that closes an interpolation."""
        depth = 0
        while at < length:
            two = source[at:at + 2]
            if two == "//":
                stop = source.find("\n", at)
                stop = length if stop < 0 else stop
                texts.append(Text("comment", at, stop, source[at:stop].lstrip("/").strip()))
                at = stop
            elif two == "/*":
                level, stop = 1, at + 2
                while stop < length and level:
                    pair = source[stop:stop + 2]
                    level += (pair == "/*") - (pair == "*/")
                    stop += 2 if pair in ("/*", "*/") else 1
                texts.append(Text("comment", at, stop, source[at + 2:stop - 2].strip()))
                at = stop
            elif source[at] == '"' or (source[at] == "#" and re.match(r'#+"', source[at:at + 8])):
                at = string(at)
            elif source[at] == "`":
                stop = source.find("`", at + 1)
                stop = length if stop < 0 else stop + 1
                # The name of a test is a sentence; other names in backticks are keywords.
                if " " in source[at:stop]:
                    texts.append(Text("string", at, stop, source[at + 1:stop - 1]))
                at = stop
            elif end and source[at] == "(":
                depth += 1
                at += 1
            elif end and source[at] == ")":
                if depth == 0:
                    return at
                depth -= 1
                at += 1
            else:
                at += 1
        return at

    while position < length:
        position = code(position)
    return sorted(texts, key=lambda text: text.start)


def script_texts(source: str) -> list[Text]:
    """Returns the comments and quoted strings in JavaScript, Python and shell code.

    Consecutive line comments are separate texts. The parsing is approximate, but good enough for reading the texts.
    """
    texts = []
    pattern = re.compile(
        r'"""(?:.|\n)*?"""|/\*(?:.|\n)*?\*/|(?:(?<=\s)|^)(?://|#(?!!|\w)).*$|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|`(?:\\.|[^`\\])*`', re.M)
    for match in pattern.finditer(source):
        words = match.group()
        if words.startswith('"""'):
            texts.append(Text("comment", match.start(), match.end(), words.strip('"').strip()))
        elif words[0] in "\"'`":
            texts.append(Text("string", match.start(), match.end(), re.sub(r"\$?\{[^{}]*\}", "…", words[1:-1])))
        else:
            texts.append(Text("comment", match.start(), match.end(), words.strip("/*# \n")))
    return texts


def document_texts(source: str) -> list[Text]:
    """Returns the lines of a document outside code blocks, with an ellipsis for each code span."""
    texts, at, fenced = [], 0, False
    for line in source.split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and line.strip():
            texts.append(Text("prose", at, at + len(line), re.sub(r"`[^`]*`", "…", line).strip()))
        at += len(line) + 1
    return texts


def texts(path: pathlib.Path, source: str) -> list[Text]:
    if path.suffix in (".swift", ".h", ".c", ".m"):
        return swift_texts(source)
    if path.suffix == ".md":
        return document_texts(source)
    if path.suffix == ".html":
        blank = lambda match: re.sub(r"[^\n]", " ", match.group())
        return document_texts(re.sub(r"<[^>]*>", blank, source))
    return script_texts(source)


def is_read(path: pathlib.Path) -> bool:
    """Returns whether people read this file: it is code or a document, and neither data nor generated."""
    if path.suffix in SUFFIXES or path.name == "Makefile":
        return "Fixtures" not in path.parts and "Corpus" not in path.parts and path.name != "axe.min.js"
    # Scripts without a suffix.
    return path.parts[0] == "Scripts" and not path.suffix


def files(paths: list[str]) -> list[pathlib.Path]:
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z", "--", *paths],
                            cwd=ROOT, capture_output=True, text=True, check=True)
    return [path for path in map(pathlib.Path, sorted(set(listed.stdout.split("\0")) - {""}))
            if is_read(path) and (ROOT / path).is_file()]


def comments(found: list[Text], source: str) -> list[tuple[int, str]]:
    """Returns comments with their first line numbers; consecutive comment lines are one comment."""
    whole: list[tuple[int, int, str]] = []
    for text in found:
        if text.kind != "comment":
            continue
        between = source[whole[-1][1]:text.start] if whole else "x"
        if whole and not between.strip() and between.count("\n") == 1:
            start, _, words = whole[-1]
            whole[-1] = (start, text.end, words + "\n" + text.words)
        else:
            whole.append((text.start, text.end, text.words))
    return [(source.count("\n", 0, start) + 1, words) for start, _, words in whole]
