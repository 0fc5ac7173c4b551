"""Finds the places of a source that can be changed, and writes the source with all chosen changes in it, each behind a switch.

Nothing is parsed: rules look for operators between blanks, keywords and statements, in a text whose comments, string literals and
preprocessor lines are blanked, and match brackets. What does not compile afterwards is for the compiler to find.
"""
import bisect
import re
from dataclasses import dataclass

# Limits that something enforces; other constants are no tunables, or change no results.
LIMIT = re.compile(r"\bk(?:Max|Most|Deep|Nearest|Turn|Messages|Frontier|Nested|Expensive)\w*\b")
BLANKED = re.compile(r'//[^\n]*|/\*.*?\*/|(?P<raw>R"(?P<d>[^(\s]*)\(.*?\)(?P=d)")|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\''
                     r"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.S | re.M)
# What is said is not what is done: errors, logs, names of things. What the compiler must know cannot be switched.
SAID = re.compile(r"\b(?:absl::\w+Error|absl::Status|static_assert|caf::make_error|log\w*|decltype|sizeof|noexcept|requires|CAF_\w+|"
                  r"annotate\w*)\(|\btemplate <|\bconstexpr\b|\busing \w+ =")
HEADER = re.compile(r"(?:\b(?:if|while|for|switch)(?: constexpr)? \(|\belse\b|\bdo\b|\bdefault:|\bcase [^;{}?]*?[^:]:(?!:))$")
CHAIN = re.compile(r"\s*(?:\+\+|--|\*)?\(*\*?[A-Za-z_][\w:]*")
NOT_STATEMENTS = re.compile(r"(?:return|break|continue|goto|throw|using|static|const|auto|delete|else|case|default|typedef|friend|public|private"
                            r"|protected|constexpr|TROUPE_ASSIGN_OR_RETURN|if|while|for|switch|do)\b")
# Statements that only say or save time.
HARMLESS = re.compile(r"(?:\.|->)(?:reserve|shrink_to_fit|IgnoreError)\(|^spdlog::")
SWAPS = {"==": "!=", "!=": "==", "&&": "||", "||": "&&", "<": "<=", "<=": "<", ">": ">=", ">=": ">"}
KINDS = {"==": "equality", "!=": "equality", "&&": "and or", "||": "and or"}


@dataclass
class Mutant:
    path: str
    kind: str
    start: int
    end: int
    form: str  # how it is written; see `switched`
    other: str  # what stands there instead when it is on
    line: int = 0
    before: str = ""  # the lines that it changes, stripped
    after: str = ""
    number: int = 0
    name: str = ""  # of a planted one

    def key(self):
        return (self.path, next(line for line in self.before.split("\n") if not line.startswith("//")), self.kind)


class Source:
    def __init__(self, path, text):
        self.path, self.text = path, text
        # Of the same length, with the same line ends.
        self.bare = BLANKED.sub(lambda m: re.sub(r"[^\n]", "_" if m.group()[0] in "\"'R" else " ", m.group()), text)
        self.lines = [0] + [m.end() for m in re.finditer("\n", text)]
        self.match = self.matching_brackets()
        self.forbidden = list(self.forbidden_spans())

    def matching_brackets(self):
        match, open_at, bare = {}, [], self.bare
        for i, c in enumerate(bare):
            if c in "([{" or (c == "<" and bare[i - 1:i].isalnum() and bare[i + 1:i + 2] not in ("<", " ", "=")):
                open_at.append(i)
            elif c == ">" and open_at and bare[open_at[-1]] == "<" and bare[i - 1] not in " -":
                match[i] = open_at.pop()
                match[match[i]] = i
            elif c in ")]}":
                while open_at and bare[open_at[-1]] == "<":
                    open_at.pop()
                if open_at:
                    match[i] = open_at.pop()
                    match[match[i]] = i
        return match

    def forbidden_spans(self):
        for m in SAID.finditer(self.bare):
            if m.group().endswith("("):
                yield m.start(), self.match.get(m.end() - 1, m.end())
            elif m.group().startswith("template"):
                yield m.start(), self.bare.find("\n", m.end())
            else:
                ends = re.compile(r"[;{]").search(self.bare, m.end())
                end = ends.start() if ends else len(self.bare)
                yield m.start(), self.match.get(end, end)

    def line_of(self, at):
        return bisect.bisect_right(self.lines, at)

    def bounds(self, at, width, stops):
        """The operands of the operator at `at`, as far as operators that bind less (`stops`), and the brackets around it, let them reach."""
        stop = re.compile(r"[,;]| (?:=|\+=|-=|\|=|&=|\?|:" + "".join("|" + re.escape(s) for s in stops) + r")\s|\b(?:co_)?return\b")
        i = at - 1
        while i >= 0:
            if i in self.match and self.match[i] < i:
                i = self.match[i]
            elif self.bare[i] in "([{},;":
                break
            elif stop.match(self.bare, i) and not (self.bare[i] == ":" and ":" in self.bare[i - 1:i]):
                i = stop.match(self.bare, i).end() - 1
                break
            i -= 1
        j = at + width
        while j < len(self.bare):
            if j in self.match and self.match[j] > j:
                j = self.match[j]
            elif self.bare[j] in ")]},;" or stop.match(self.bare, j):
                break
            j += 1
        return self.trimmed(i + 1, j)

    def trimmed(self, i, j):
        while i < j and self.text[i].isspace():
            i += 1
        while j > i and self.text[j - 1].isspace():
            j -= 1
        return i, j

    def condition(self, open_at):
        """What decides, of the condition in these brackets; None where it declares."""
        begin, end = open_at + 1, self.match.get(open_at, open_at)
        i = begin
        while i < end:
            i = self.match[i] if self.match.get(i, 0) > i else i
            begin = i + 1 if self.bare[i] == ";" else begin
            i += 1
        begin, end = self.trimmed(begin, end)
        text = self.bare[begin:end]
        return None if not text or re.search(r" = ", text) else (begin, end)

    def mutants(self):
        found = [m for rule in (self.operators, self.conditions, self.answers, self.steps, self.limits, self.statements) for m in rule()]
        # A comparison that is all of a condition is turned round once.
        compared = {(m.start, m.end) for m in found if m.kind == "equality"}
        for m in found:
            if any(a <= m.start < b for a, b in self.forbidden) or (m.kind == "condition" and (m.start, m.end) in compared):
                continue
            first, last = self.line_of(m.start), self.line_of(m.end - 1)
            begin = self.lines[first - 1]
            end = self.lines[last] - 1 if last < len(self.lines) else len(self.text)
            plain = {"invert": f"!({m.other})", "drop check": "false", "drop": "", "drop macro": ""}.get(m.form, m.other)
            strip = lambda s: "\n".join(line.strip() for line in s.split("\n"))
            m.line, m.before = first, strip(self.text[begin:end])
            m.after = strip(self.text[begin:m.start] + plain + self.text[m.end:end])
            yield m

    def make(self, kind, span, form, other=None):
        return Mutant(self.path, kind, *span, form, self.text[span[0]:span[1]] if other is None else other)

    def operators(self):
        for m in re.finditer(r"(?<=\s)(==|!=|&&|\|\||<=?|>=?)(?=\s)", self.bare):
            op = m.group()
            stops = {"&&": ["||"], "||": [], "==": ["&&", "||"], "!=": ["&&", "||"]}.get(op, ["&&", "||", "==", "!="])
            start, end = self.bounds(m.start(), len(op), stops)
            if start < m.start() and end > m.end():
                other = self.text[start:m.start()] + SWAPS[op] + self.text[m.end():end]
                yield self.make(KINDS.get(op, "bound"), (start, end), "either", other)

    def conditions(self):
        for m in re.finditer(r"\b(if|while) \(", self.bare):
            span = self.condition(m.end() - 1)
            if span is None:
                continue
            yield self.make("condition", span, "invert")
            if m.group(1) == "if" and re.match(r"\s*(return|continue|break)\b", self.bare[self.match[m.end() - 1] + 1:]):
                yield self.make("check dropped", span, "drop check")
        for m in re.finditer(r"\s\?\s", self.bare):
            start, end = self.bounds(m.start(), 0, [])
            if start < end:
                yield self.make("condition", (start, end), "invert")

    def answers(self):
        for m in re.finditer(r"\breturn (true|false)(?=;)", self.bare):
            yield self.make("answer", m.span(1), "either", "false" if m.group(1) == "true" else "true")

    def steps(self):
        for m in re.finditer(r" ([+-]) (1)\b(?![.'\w])", self.bare):
            yield self.make("plus minus one", m.span(2), "either", "2" if m.group(1) == "+" else "0")

    def limits(self):
        for m in LIMIT.finditer(self.bare):
            if self.bare[m.end():m.end() + 1] not in "({" and self.bare[m.start() - 1] != ":":
                yield self.make("limit", m.span(), "either", m.group() + " * 100")

    def statements(self):
        for semicolon in re.finditer(";", self.bare):
            end, i = semicolon.start(), semicolon.start() - 1
            while i >= 0 and self.bare[i] not in ";{([":
                if self.bare[i] == "}" and re.match(r"\s*[\w*+({-]", self.bare[i + 1:end]) and "\n" in self.bare[i:end]:
                    break
                if self.bare[i] in "eo:" and not re.match(r"\w", self.bare[i + 1]) and HEADER.search(self.bare, max(0, i - 200), i + 1):
                    break
                if self.match.get(i, i) < i:
                    back = self.match[i]
                    if HEADER.search(self.bare, max(0, back - 20), back + 1):
                        break
                    i = back
                i -= 1
            if i < 0 or self.bare[i] in "([":
                continue
            yield from self.statement(*self.trimmed(i + 1, end))

    def statement(self, start, end):
        text = self.bare[start:end]
        if not text or NOT_STATEMENTS.match(text) or HARMLESS.search(text):
            return
        macro = re.match(r"(?:[A-Z]+_)+[A-Z]+\(", text)
        if macro:
            if macro.group() == "TROUPE_RETURN_IF_ERROR(" and text.endswith(")"):
                inner = self.text[start + macro.end():end - 1]
                yield self.make("check dropped", (start, end), "ignore error", inner)
                yield self.make("statement dropped", (start, end), "drop macro")
            return
        if self.is_expression(start, end):
            yield self.make("statement dropped", (start, end), "drop")

    def is_expression(self, start, end):
        """A call or an assignment, no declaration: a chain of names, brackets and members that ends, or is assigned to."""
        m = CHAIN.match(self.bare, start)
        if not m:
            return re.match(r"(\+\+|--)", self.bare[start:end]) is not None
        stepped = called = self.bare[start:start + 2] in ("++", "--")
        i = m.end() if "(" not in m.group() else start + m.group().index("(")
        while i < end:
            if self.bare[i] in "([<" and self.match.get(i, 0) > i:
                called = stepped or self.bare[i] == "("
                i = self.match[i] + 1
                continue
            member = re.compile(r"\s*(?:\.|->|::)\s*(?:template )?\w+|\+\+|--").match(self.bare, i)
            if not member:
                return re.match(r" (?:[-+|&*^]|<<|>>)?=\s", self.bare[i:end]) is not None
            called = stepped or member.group() in ("++", "--")
            i = member.end()
        return called


def on_one_line(code):
    """Without comments and line ends, so that the lines behind keep their numbers."""
    return BLANKED.sub(lambda m: " " if m.group()[0] == "/" else m.group(), code).replace("\n", " ")


def switched(number, form, inner, other):
    other = on_one_line(other)
    on = f"::mutant::on({number})"
    return {
        "invert": f"({on} != static_cast<bool>({inner}))",
        "drop check": f"(static_cast<bool>({inner}) && !{on})",
        "either": f"({on} ? ({other}) : ({inner}))",
        "drop": f"{on} ? (void)0 : (void)({inner})",
        "drop macro": f"if ({on}) {{}} else {inner}",
        "ignore error": f"if ({on}) (void)({other}); else {inner}",
        "block": f"if ({on}) {{ {other} }} else {{ {inner} }}",
    }[form]


def nested(mutants):
    """Those that lie one inside the other or apart; the first of two that cross."""
    kept = []
    for m in mutants:
        if not any(k.start < m.start < k.end < m.end or m.start < k.start < m.end < k.end for k in kept):
            kept.append(m)
    return kept


def rewritten(text, mutants):
    """The text with every mutant in it, each behind its number; inside of what a mutant puts in place there are no others."""
    def piece(start, end, inside):
        out, at = [], start
        while inside:
            m = inside.pop(0)
            inner = []
            while inside and inside[0].end <= m.end:
                inner.append(inside.pop(0))
            out += [text[at:m.start], switched(m.number, m.form, piece(m.start, m.end, inner), m.other)]
            at = m.end
        return "".join(out) + text[at:end]

    ordered = sorted(mutants, key=lambda m: (m.start, -m.end))
    return '#include "mutant.h"\n#line 1\n' + piece(0, len(text), ordered)
