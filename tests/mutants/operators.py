"""Small changes of C sources: where they can be made, and how.

A rule is a pattern over a line of which comments and texts are blanked, and what stands there
then. To add one, add a row to RULES. Lines of assertions, of messages and of the preprocessor are left alone.
"""
import os
import re

# In front of a number: room, of which more changes no answer; room that is given out in words of 8 bytes.
ROOM = re.compile(r"_array\([^;]* \+ $|_array\([^;()]*, $|\bcg_frame\(cg, $")
WORDS = re.compile(r"\bcg_frame(_free)?\(cg, $")


def one_more(m):
    return m.group(0) if ROOM.search(m.string[:m.start()]) else str(int(m.group(0)) + 1)


def one_less(m):
    number = int(m.group(0))
    return m.group(0) if number % 8 == 0 and WORDS.search(m.string[:m.start()]) else str(number - 1)


RULES = (
    (r"(?<![<=>!-])<(?![<=])", "<="), (r"(?<!<)<=", "<"),
    (r"(?<![->])>(?![>=])", ">="), (r"(?<!>)>=", ">"),
    (r"==", "!="), (r"!=", "=="),
    (r"&&", "||"), (r"\|\|", "&&"),
    (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " + "),
    (r" & ", " | "), (r" \| ", " & "), (r"\|=", "&="), (r"\+=", "-="),
    (r"<<(?!=)", ">>"), (r">>(?!=)", "<<"),
    (r"!(?=[a-z(])", ""), (r"~(?=[a-z(])", ""),
    (r"\b(?<!\.)\d+\b(?!\.)", one_more), (r"\b[1-9]\d*\b(?!\.)", one_less),
    (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
    (r"\(uint64_t\)", "(int64_t)"), (r"\(int64_t\)", "(uint64_t)"), (r"\(uint32_t\)", "(int32_t)"),
    (r"\bbreak;", ";"), (r"\bcontinue;", "break;"),
    (r"^(\t+)[a-z]\w*(?:->|\.|\(|\[)[^{}]*;$", r"\1;"),		# a statement goes
    (r"^(\t+)[a-z]\w* [-+|&]?= [^{}]*;$", r"\1;"),
    (r"\bif \((.*)\)(?= [a-z{]|$)", r"if (!(\1))"),
    (r" (?:&&|\|\|) [^&|()]*(?:\([^()]*\)[^&|()]*)*(?=\)|;| &&| \|\|)", ""),	# a term goes
)
RULES = tuple((re.compile(pattern), instead) for pattern, instead in RULES)

LEFT_ALONE = re.compile(r"^\s*(#|assert|diag_|(?:as_|cg_)?note\(|err_|case |default|static const char|\})|_Static_assert|buf_printf|buf_puts")


class Change:
    def __init__(self, file, line, old, new):
        self.file, self.line, self.old, self.new = file, line, old, new

    def apply(self, text):
        lines = text.split("\n")
        lines[self.line] = self.new
        return "\n".join(lines)

    def key(self):
        return self.file, self.old.strip(), self.new.strip()

    def __str__(self):
        return "%s:%d: %s  ->  %s" % (self.file, self.line + 1, self.old.strip(), self.new.strip())


def blanked(text):
    """Comments, texts and characters as blanks, lines as they are."""
    def blank(m):
        return re.sub(r"[^\n]", " ", m.group(0))
    return re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", blank, text, flags=re.S)


def balanced(text):
    return text.count("(") == text.count(")") and text.count("[") == text.count("]")


def what_stands_there(instead, match, line):
    if callable(instead):
        return instead(match)
    return re.sub(r"\\(\d)", lambda g: line[slice(*match.span(int(g.group(1))))], instead)


def changes_of_line(file, number, line, code):
    for pattern, instead in RULES:
        for m in pattern.finditer(code):
            new = line[:m.start()] + what_stands_there(instead, m, line) + line[m.end():]
            if new != line and balanced(new) == balanced(line):
                yield Change(file, number, line, new)


def changes_of_file(tree, file):
    text = open(os.path.join(tree, file)).read()
    inside = False
    for number, (line, code) in enumerate(zip(text.split("\n"), blanked(text).split("\n"))):
        if code.startswith("{"):
            inside = True
        elif code.startswith("}"):
            inside = False
        if inside and code.strip() and not LEFT_ALONE.search(line):
            yield from changes_of_line(file, number, line, code)


def changes(tree, folders, chance):
    """Random ones without end of repetition: each line of code is as likely."""
    every = {}
    for folder in folders:
        at = os.path.join("src", folder)
        for name in sorted(os.listdir(os.path.join(tree, at))):
            if name.endswith(".c"):
                for c in changes_of_file(tree, os.path.join(at, name)):
                    every.setdefault((c.file, c.line), []).append(c)
    lines = sorted(every)
    chance.shuffle(lines)
    for line in lines:
        yield chance.choice(every[line])
