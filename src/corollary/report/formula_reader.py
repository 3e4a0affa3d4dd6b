r"""The grammar of formulas that are typed on a keyboard, as LaTeX.

A recursive descent reads sums, products, powers, indices, calls, brackets, bars and relations:
``||x_i||^2 <= R/gamma`` is ``\|x_{i}\|^{2} \le R/\gamma``. It stops where words begin.
"""

import re

GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi chi "
    "psi omega Gamma Delta Theta Lambda Sigma Phi Psi Omega"
).split()
LETTERS = dict(zip("αβγδεζηθκλμνξπρστφχψωΓΔΘΛΣΦΨΩ", GREEK, strict=True)) | {"ℓ": "ell"}
NAMES = "exp log ln sin cos tan tanh min max sup inf arg det dim Pr argmin argmax".split()
WORDS = "tr rank diag vec KL kl Var Ber erf sign span softmax relu poly".split()
RELATIONS = {
    "<=": r"\le", ">=": r"\ge", "!=": r"\ne", "->": r"\to", "=": "=", "<": "<", ">": ">",
    "≤": r"\le", "≥": r"\ge", "≠": r"\ne", "→": r"\to", "≈": r"\approx", "∈": r"\in", "~": r"\sim",
    "∝": r"\propto", "≪": r"\ll", "≫": r"\gg",
}  # fmt: skip
SUMS = {"+": "+", "-": "-", "−": "-", "±": r"\pm"}  # noqa: RUF001
PRODUCTS = {"*": r"\cdot", "·": r"\cdot", "⊙": r"\odot", "×": r"\times", "kron": r"\otimes"}  # noqa: RUF001
SHOWN = {"{": r"\{", "}": r"\}", "⟨": r"\langle ", "⟩": r"\rangle "}
SINGLE = {"∞": r"\infty", "∇": r"\nabla ", "½": r"\tfrac12 ", "∂": r"\partial "}
BETWEEN = {"x": r"\times", "o": r"\circ"}
RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ᵀᵗⁿᵏᵈ", "0123456789+-Ttnkd", strict=True))
LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₖₙₘₜ", "0123456789+-ijknmt", strict=True))
CLOSING = {"(": ")]", "[": "])", "{": "}", "⟨": "⟩"}
SHORT = ("tx", "ty", "xy", "Xw", "Wx", "ABx", "dx", "dt", "kx")  # products of letters
ACRONYMS = "OCR SGD GPU CPU RNN CNN GRU VC PAC MDL NTK MLP".split()
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?(?![\w]*\.\d|\w*[g-su-z]{2})")
_WORD = re.compile(r"[A-Za-z]+")


class _Stop(Exception):
    """The grammar does not match here."""


class FormulaReader:
    """A recursive descent over the text; every method returns LaTeX and moves ``at`` behind it."""

    def __init__(self, text: str, at: int) -> None:
        self.text, self.at, self.start = text, at, at
        self.strong = 0  # signs that this is a formula and not a word
        self.barred, self.nested = 0, 0  # open bars and brackets

    def formula(self) -> tuple[str, int] | None:
        """The longest formula from here and where it ends; None if there is none."""
        try:
            tex = self.relations()
        except _Stop:
            return None
        after = self.text[self.at : self.at + 1]
        if after.isalnum() or after in ("_", "^", "(") or not self.strong:
            return None
        return " ".join(tex.split()), self.at

    def relations(self) -> str:
        """Sums joined by relations."""
        tex = self.sum()
        while sign := self.sign(RELATIONS):
            kept = self.at, self.strong
            try:
                self.jump(sign)
                tex, self.strong = f"{tex} {RELATIONS[sign]} {self.sum()}", self.strong + 1
            except _Stop:
                self.at, self.strong = kept
                break
        return tex

    def sum(self) -> str:
        """Terms joined by plus and minus; the first may have a sign."""
        tex = ""
        if self.peek() in SUMS and not self.text[self.at + 1 : self.at + 2].isspace():
            tex, self.at = SUMS[self.peek()], self.at + 1
        tex += self.term()
        while sign := self.sign(SUMS):
            kept = self.at, self.strong
            try:
                spaced = self.text[self.at].isspace()
                self.jump(sign)
                if spaced and not self.text[self.at - 1].isspace():
                    raise _Stop  # a sign that belongs to what follows
                if not spaced and re.search(
                    r"(\d-\d|[A-Z]-\d{2})", self.text[kept[0] - 1 : self.at + 2]
                ):
                    raise _Stop  # the 0-1 loss, a T-600
                tex, self.strong = f"{tex} {SUMS[sign]} {self.term()}", self.strong + 1
            except _Stop:
                self.at, self.strong = kept
                break
        return tex

    def term(self) -> str:
        """Factors side by side, with a sign of a product, or over each other."""
        tex = self.factor()
        while True:
            kept = self.at, self.strong
            try:
                tex = self.next_factor(tex)
            except _Stop:
                self.at, self.strong = kept
                return tex

    def next_factor(self, tex: str) -> str:
        """One more factor."""
        if self.peek() == "/" or self.text[self.at : self.at + 2] == " /":
            self.jump("/")
            factor = self.factor()
            return f"{tex}/{factor}"
        if sign := self.sign(PRODUCTS):
            self.jump(sign)
            return f"{tex} {PRODUCTS[sign]} {self.factor()}"
        if re.match(r" [xo] (?=[\w(])", self.text[self.at :]) and tex[-1:].isalnum():
            sign, self.at = self.text[self.at + 1], self.at + 3
            factor = self.factor()
            self.strong += 1
            return f"{tex} {BETWEEN[sign]} {factor}"
        gap = re.match(r" ?", self.text[self.at :])
        assert gap is not None
        if gap.end() and self.text[self.at + 1 : self.at + 2] in ("(", "[", "", "{"):
            raise _Stop  # a remark in brackets
        self.at += gap.end()
        if self.peek() in ("|", "‖") and self.barred:
            raise _Stop  # the end of a norm
        if _NUMBER.match(self.text, self.at) and gap.end():
            raise _Stop  # "Theorem 5" and the like
        return f"{tex} {self.factor(beside=True)}"

    def factor(self, *, beside: bool = False) -> str:
        """A base with its powers and indices."""
        tex = self.base(beside=beside)
        while True:
            sign = self.peek()
            if accent := re.compile(r"_(hat|bar|tilde)\b").match(self.text, self.at):
                self.at = accent.end()
                tex = rf"\{accent.group(1)}{{{tex}}}"
            elif sign in ("^", "_") and self.text[self.at + 1 : self.at + 2].strip():
                self.at += 1
                tex += f"{sign}{{{self.script()}}}"
            elif sign in ("'", "′") and not self.quoted():  # noqa: RUF001
                self.at += 1
                tex = self.called(tex + "'")
            elif sign == "*" and not re.match(r"[\w(]", self.text[self.at + 1 :]):
                self.at += 1
                tex += "^*"
            elif sign == "∞" and tex.endswith("|"):
                self.at += 1
                tex += r"_\infty"
            elif sign in RAISED or sign in LOWERED:
                table, mark = (RAISED, "^") if sign in RAISED else (LOWERED, "_")
                tex += f"{mark}{{{self.unicode_script(table)}}}"
            else:
                return tex
            self.strong += 1

    def quoted(self) -> bool:
        """Whether the next sign is a quotation mark or an apostrophe, and not a prime."""
        before = re.search(r"(?:^|[\s(])'\w[^']*$", self.text[: self.at])
        return before is not None or re.match(r"s\b|$", self.text[self.at + 1 :]) is not None

    def unicode_script(self, table: dict[str, str]) -> str:
        """Raised or lowered signs."""
        body = ""
        while self.peek() in table:
            body, self.at = body + table[self.peek()], self.at + 1
        return r"\top" if body == "T" else body

    def script(self) -> str:
        """The part after ``^`` or ``_``."""
        sign = self.peek()
        if sign in ("{", "("):
            self.at += 1
            body = [self.relations()]
            while self.peek() in (",", ":"):
                body.append(self.peek())
                self.jump(self.peek())
                body.append(self.relations())
            self.close(CLOSING[sign])
            order = sign == "(" and len(body) == 1 and len(body[0]) == 1  # a derivative's, say
            return f"({body[0]})" if order else " ".join(body)
        if sign in ("*", "+", "-", "−") and not self.text[self.at + 1 : self.at + 2].isalnum():  # noqa: RUF001
            self.at += 1
            return "-" if sign == "−" else sign  # noqa: RUF001
        minus = "-" if sign in ("-", "−") else ""  # noqa: RUF001
        self.at += len(minus)
        if number := re.compile(r"\d+(?:\.\d+)?").match(self.text, self.at):
            self.at = number.end()
            return minus + number.group()
        return minus + self.index()

    def index(self) -> str:
        """A letter, a Greek letter, several indices, or a short name."""
        if self.peek() in LETTERS:
            self.at += 1
            return rf"\{LETTERS[self.text[self.at - 1]]}"
        word = _WORD.match(self.text, self.at)
        if not word:
            raise _Stop
        self.at = word.end()
        name = word.group()
        if name in GREEK or name in NAMES:
            return rf"\{name}"
        return name if len(name) == 1 or set(name) <= set("ijklmnt") else rf"\mathrm{{{name}}}"

    def base(self, *, beside: bool) -> str:
        """A number, a name, a call, brackets, or bars."""
        sign = self.peek()
        if number := _NUMBER.match(self.text, self.at):
            self.at = number.end()
            if re.match(r"[A-Za-z]{3}", self.text[self.at :]):
                raise _Stop
            return number.group().replace(",", "{,}")
        if sign in ("|", "‖"):
            return self.bars()
        if sign in CLOSING:
            self.at += 1
            body = self.listed()
            end = self.close(CLOSING[sign])
            left, right = SHOWN.get(sign, sign), SHOWN.get(end, end)
            return f"{left}{body}{right}"
        if sign == "√":
            self.at += 1
            body = self.listed_in("(") if self.peek() == "(" else self.factor()
            self.strong += 1
            return rf"\sqrt{{{body}}}"
        if sign in SINGLE:
            self.at += 1
            return SINGLE[sign]
        return self.name(beside=beside)

    def bars(self) -> str:
        """An absolute value or a norm."""
        double = self.peek() == "‖" or self.text.startswith("||", self.at)
        mark = "‖" if self.peek() == "‖" else "||" if double else "|"
        self.at += len(mark)
        self.barred, self.nested = self.barred + 1, self.nested + 1
        body = self.dot() or self.relations()
        self.barred, self.nested = self.barred - 1, self.nested - 1
        if not self.text.startswith(mark, self.at):
            raise _Stop
        self.at += len(mark)
        self.strong += 1
        return rf"\|{body}\|" if double else f"|{body}|"

    def name(self, *, beside: bool) -> str:
        """A letter or a known name, called or not."""
        if self.peek() in LETTERS:
            self.at += 1
            self.strong += 1
            tex = rf"\{LETTERS[self.text[self.at - 1]]} "
            word = _WORD.match(self.text, self.at)
            if word and word.group() in ("max", "min"):
                self.at = word.end()
                return f"{tex}_{{\\{word.group()}}}"
            return self.called(tex)
        word = _WORD.match(self.text, self.at)
        if not word:
            raise _Stop
        name, self.at = word.group(), word.end()
        accent = re.fullmatch(r"([A-Za-z])(hat|bar)", name)
        if accent and name not in ("that", "what", "chat"):
            self.strong += 1
            return self.called(rf"\{accent.group(2)}{{{accent.group(1)}}}")
        if name in ("sqrt", "floor", "ceil") and self.peek() == "(":
            body = self.listed_in("(")
            self.strong += 1
            if name == "sqrt":
                return rf"\sqrt{{{body}}}"
            return rf"\l{name} {body}\r{name}"
        if name == "eps":
            name = "epsilon"
        if name in GREEK:
            self.strong += 1
            return self.called(rf"\{name} ")
        if name == "infinity" or (name == "inf" and self.peek() in ("]", ")", ",")):
            return r"\infty"
        if name == "grad" and re.match(r" ?[A-Za-z](?![A-Za-z])", self.text[self.at :]):
            self.at += self.peek() == " "
            self.strong += 1
            return rf"\nabla {self.factor(beside=True)}"
        if name in NAMES or name in WORDS:
            return self.function(name)
        return self.letter(name, beside=beside)

    def function(self, name: str) -> str:
        """A function with its argument; without one the name is a word."""
        own = name in WORDS or name.startswith("arg")
        tex = rf"\operatorname{{{name}}}" if own else rf"\{name} "
        if self.peek() == "(":
            return self.called(tex)
        if self.peek() in ("_", "^", "[", "‖", "|"):
            return tex
        if self.nested and not re.match(r" [\w(]", self.text[self.at :]):
            return tex
        if self.peek() != " " or name in ("inf", "sup", "sign", "span", "rank", "arg", "dim"):
            raise _Stop
        self.at += 1
        if self.peek() in ("(", ""):
            raise _Stop
        self.strong += 1
        return tex + self.factor(beside=True)

    def letter(self, name: str, *, beside: bool) -> str:
        """A variable; ``a``, ``A`` and ``I`` may be words of the sentence."""
        follows = self.text[self.at : self.at + 2]
        if self.nested and re.match(r"[)\],]| - ", self.text[self.at :]):
            follows = "="  # inside brackets it is no article
        joined = follows[:1] in (*"^_([{'′/", *RAISED, *LOWERED) or re.match(
            r" ?[=<>≤≥+*·⊙→~∈]", follows
        )  # noqa: RUF001
        if len(name) > 1:
            product = name in SHORT or (name.isupper() and len(name) <= 3)
            if not product or name in ACRONYMS:
                raise _Stop
            return self.called(" ".join(name))
        if re.match(r"\.[A-Za-z]|-[a-z]{3}|'s\b|’s\b", self.text[self.at :]) and name in "aAIeisS":  # noqa: RUF001
            raise _Stop
        if re.match(r"-\d{2}", self.text[self.at :]) and name.isupper():
            raise _Stop  # a name such as T-600
        first = re.search(r"(?:^|[.:;\]\"“]\s*)$", self.text[: self.at - 1]) is not None
        article = name in ("a", "I") or (name == "A" and first)
        if re.match(r",| (and|is|has|must|be)\b", self.text[self.at :]):
            article = article and name != "A" and not self.nested
        if article and (beside or not joined or follows == " ("):
            raise _Stop
        self.strong += not beside or self.nested > 0
        tex = self.accented(name)
        if digits := re.compile(r"\d+").match(self.text, self.at):
            self.at = digits.end()
            tex += f"_{{{digits.group()}}}"
        return self.called(tex)

    def accented(self, name: str) -> str:
        """The letter with its combining accent."""
        accent = {"\u0302": "hat", "\u0304": "bar", "\u0303": "tilde"}.get(self.peek())
        self.at += bool(accent)
        return rf"\{accent}{{{name}}}" if accent else name

    def called(self, tex: str) -> str:
        """The name with its arguments, if brackets follow at once."""
        if self.peek() not in ("(", "["):
            return tex
        kept, opening = (self.at, self.strong), self.peek()
        try:
            self.at += 1
            body = self.listed()
            end = self.close(CLOSING[opening][0])
        except _Stop:
            self.at, self.strong = kept
            raise
        self.strong += 1
        return f"{tex}{opening}{body}{end}"

    def listed_in(self, opening: str) -> str:
        """A list between brackets, without them."""
        self.at += 1
        body = self.listed()
        self.close(CLOSING[opening][0])
        return body

    def listed(self) -> str:
        """Formulas with commas between them; dots and a placeholder may be among them."""
        parts = []
        self.nested += 1
        while True:
            parts.append(self.dot() or self.relations())
            mark = re.match(r"\s*([,;|])\s*", self.text[self.at :])
            if not mark:
                self.nested -= 1
                return " ".join(parts)
            self.at += mark.end()
            parts.append(r"\mid" if mark.group(1) == "|" else mark.group(1))

    def dot(self) -> str:
        """Dots, or the place of an argument."""
        dots = re.match(r"\.\.\.|…|[.·](?=[,)|‖])", self.text[self.at :])
        self.at += dots.end() if dots else 0
        return "" if not dots else r"\cdot " if dots.group() in (".", "·") else r"\dots"

    def close(self, closing: str) -> str:
        """A closing bracket."""
        if self.peek() not in tuple(closing):
            raise _Stop
        self.at += 1
        return self.text[self.at - 1]

    def peek(self) -> str:
        """The next sign, empty at the end."""
        return self.text[self.at : self.at + 1]

    def sign(self, table: dict[str, str]) -> str:
        """The sign of the table that comes next, with or without a space before it."""
        rest = self.text[self.at : self.at + 7].lstrip(" ")
        for sign in table:
            if rest.startswith(sign) and not (sign.isalpha() and rest[len(sign) :][:1].isalnum()):
                return sign
        return ""

    def jump(self, sign: str) -> None:
        """Move past a sign and the space after it."""
        self.at = self.text.index(sign, self.at) + len(sign)
        self.at += len(self.text[self.at :]) - len(self.text[self.at :].lstrip(" \n"))
