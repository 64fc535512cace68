"""Where C++ reads a sentence: see sentences.py. A chain, such as `refused.remedy.others[0].find("x")`, is followed
from part to part, and variables, parameters and results from statement to statement of a file."""

import re

TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<raw>R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)")
    |(?P<string>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*")
    |(?P<letter>'(?:[^'\\\n]|\\.)+')
    |(?P<name>[A-Za-z_]\w*)
    |(?P<number>\d[\w.']*)
    |(?P<sign><=>|->|::|==|!=|<=|>=|&&|\|\||[+\-*/|&^%]=|<<|.)""",
    re.S | re.X,
)

# How much of a sentence a value has: one of several facts, as a message has it, or all of it.
NOTHING, HOLDER, SENTENCE = range(3)
# Names of fields, of variables and of functions without parameters that have a sentence, or several.
TEXTS = set("reason reasons clauses why refusal note notes sentence sentences summary".split())
# What has one among other facts; a variable of such a type, and these names.
HOLDING_TYPES = {"Message", "Remedy", "InvalidInput", "Unserved"}
HOLDERS = {"message", "messages", "warning", "warnings", "refused", "remedy"}
SINGLE = {"message", "warning", "refused"}
# Their fields and functions with a sentence.
OF_HOLDERS = {"verdict", "reason", "clauses", "others", "text", "brief", "shown", "words"}
# Keys of JSON.
KEYS = {"text", "why", "reason", "refusal", "note", "notes", "warnings"}
TEXT_TYPES = {"string", "string_view", "auto", "char", "vector", "span", "Text", "T"}
SEARCHES = set(
    "find rfind find_first_of find_last_of find_first_not_of find_last_not_of starts_with ends_with contains compare "
    "replace substr erase remove_prefix remove_suffix".split()
)
# Free functions that read what they are given.
READERS = set(
    "strstr strcasestr strchr strrchr strcmp strncmp strcasecmp strncasecmp strpbrk strspn strcspn strtok memmem memcmp "
    "memchr fnmatch sscanf search equal mismatch find find_first_of find_end starts_with ends_with contains icontains "
    "istarts_with iends_with iequals find_first ifind_first replace_all replace_first erase_all replace replace_copy "
    "equal_ignoring_case lexicographical_compare split".split()
)
# Functions of other files that return one, or a part of one.
MADE_ELSEWHERE = {"words_of", "refusal_json", "messages_json", "mollify_last_error"}
# What is made of a text to read it piece by piece.
READING_TYPES = {"istringstream", "stringstream", "istrstream", "ispanstream"}
REGULAR = re.compile(r"\w*regex\w*|regcomp|regexec|RE2|pcre\w*|hs_scan")
# Parts of a chain after which it is the same sentence, or one of several.
SAME = set("front back at begin end cbegin cend data c_str str value get get_ref get_ptr string view top first second".split())
AT = {"at", "value", "find", "get"}  # of JSON
NO_TEXTS = {"nullptr", "operator", "' '", r"'\0'", r"'\n'", r"'\r'"}  # what a sentence is not compared with
TEMPLATED = SAME | {"static_cast", "const_cast", "dynamic_cast"}
WORDS = set("return throw co_return else case new delete if while for switch catch sizeof not and or const auto".split())
SCALARS = {"bool", "int", "size_t", "double", "char", "Code", "Severity", "Concern"}
OPENS = {"(": ")", "[": "]", "{": "}"}


class Source:
    def __init__(self, text):
        self.kinds, self.texts, self.lines = [], [], []
        line = 1
        for found in TOKEN.finditer(text):
            kind = found.lastgroup if found.lastgroup != "mark" else "raw"
            if kind != "skip":
                self.kinds.append("string" if kind == "raw" else kind)
                self.texts.append(found.group())
                self.lines.append(line)
            line += found.group().count("\n")
        self.close = {}
        opened = []
        for at, one in enumerate(self.texts):
            if self.kinds[at] != "sign":
                continue
            if one in OPENS:
                opened.append(at)
            elif one in OPENS.values() and opened and OPENS[self.texts[opened[-1]]] == one:
                self.close[opened.pop()] = at

    def at(self, place):
        return self.texts[place] if 0 <= place < len(self.texts) else ""

    def kind(self, place):
        return self.kinds[place] if 0 <= place < len(self.kinds) else ""


class Reader:
    """One walk over a file. `taken` are the parameters, by function and place, that are given a sentence, and `made`
    the functions that return one; the walk finds more of both."""

    def __init__(self, source, taken, made):
        self.source, self.taken, self.made = source, taken, made
        self.found, self.scopes, self.pending = set(), [{}], {}
        self.functions = []

    def level_of(self, name):
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return SENTENCE if name in TEXTS else HOLDER if name.rstrip("_") in HOLDERS else NOTHING

    def declared(self, name, types, level=NOTHING):
        """What a variable of a type has that is given a value of that level."""
        if SCALARS & types and not {"vector", "span"} & types:
            return "*" in types and "char" in types and level or NOTHING
        if HOLDING_TYPES & types:
            return HOLDER
        if not TEXT_TYPES & types:
            return NOTHING
        return max(level, SENTENCE if name in TEXTS else NOTHING)

    def skip_template(self, at):
        """The place after `<...>`, if it is one of a cast or of JSON's `get`."""
        source, depth = self.source, 0
        for place in range(at, min(at + 40, len(source.texts))):
            depth += {"<": 1, ">": -1}.get(source.at(place), 0)
            if depth == 0:
                return place + 1
        return at

    def arguments(self, opening):
        """The places where each argument begins and ends."""
        source, end = self.source, self.source.close.get(opening, opening)
        begin = at = opening + 1
        while at < end:
            if source.at(at) in OPENS and source.kind(at) == "sign":
                at = source.close.get(at, at)
            elif source.at(at) == ",":
                yield begin, at
                begin = at + 1
            at += 1
        if begin < end:
            yield begin, end

    def chain(self, at):
        """The place after the chain that begins here, and how much of a sentence its value has."""
        source, is_first, level = self.source, True, NOTHING
        before = ""
        while source.kind(at) == "name":
            name, here = source.at(at), at
            at += 1
            if source.at(at) == "<" and name in TEMPLATED:
                at = self.skip_template(at)
            is_call = source.at(at) == "(" and at in source.close
            is_call |= source.at(at) == "{" and at in source.close and name in ("string", "string_view")
            given, literal = [], None
            if is_call:
                given = self.given(at)
                literal = source.at(at + 1).strip('"') if source.kind(at + 1) == "string" else None
                if is_first:
                    self.give(name, given)
                searches = name in SEARCHES and (level == SENTENCE or before in SINGLE)
                if searches or name in SEARCHES | READERS and SENTENCE in given:
                    self.found.add(source.lines[here])
            if is_first and not is_call:
                level = self.level_of(name)
            elif name == "what" or name in TEXTS and not given or level == HOLDER and name in OF_HOLDERS and not given:
                level = SENTENCE
            elif is_call and (is_first and (name in self.made or SENTENCE in given) or name in AT and literal in KEYS):
                level = SENTENCE
            elif is_first or name not in SAME or literal is not None:
                level = HOLDER if name in HOLDERS else NOTHING
            before = name
            if is_call:
                at = source.close[at] + 1
            while source.at(at) == "[" and at in source.close:
                key = source.at(at + 1).strip('"') if source.kind(at + 1) == "string" else None
                self.value(at + 1, source.close[at])
                level = level if key is None else SENTENCE if key in KEYS else NOTHING
                at = source.close[at] + 1
            is_first = False
            if source.at(at) in (".", "->"):
                at += 1 + (source.at(at + 1) == "template")
            elif source.at(at) == "::":
                at += 1
                is_first = True
            else:
                break
        return at, level

    def give(self, name, given):
        self.taken |= {(name, place) for place, level in enumerate(given) if level == SENTENCE}

    def given(self, opening):
        """What the arguments of a call have. A lambda among them is given what the others have."""
        parts = list(self.arguments(opening))
        levels = [NOTHING if self.is_lambda(begin) else self.value(begin, end) for begin, end in parts]
        for begin, end in parts:
            if self.is_lambda(begin):
                self.in_lambda(begin, end, max(levels))
        return levels

    def is_lambda(self, at):
        source = self.source
        return source.at(at) == "[" and at in source.close and source.at(source.close[at] + 1) in ("(", "{")

    def in_lambda(self, begin, end, level=NOTHING):
        source = self.source
        after, names = source.close[begin] + 1, {}
        if source.at(after) == "(":
            parameters = [self.parameter(*one) for one in self.arguments(after)]
            names = {name: self.declared(name, types, level) for name, types in parameters}
            after = source.close.get(after, after) + 1
        self.scopes.append(names)
        self.functions.append("")
        first = after
        for at in range(after, end):
            if source.kind(at) == "sign" and source.at(at) in (";", "{", "}"):
                self.statement(first, at)
                first = at + 1
        self.functions.pop()
        self.scopes.pop()

    def parameter(self, begin, end):
        """The name of a parameter, and the words of its type."""
        names = [at for at in range(begin, end) if self.source.kind(at) == "name"]
        for at in range(begin, end):
            if self.source.at(at) == "=":
                names = [one for one in names if one < at]
        return (self.source.at(names[-1]), set(self.source.texts[begin : names[-1]])) if names else ("", set())

    def value(self, begin, end):
        """How much of a sentence the value of the tokens has. Finds what reads one within."""
        at, most, source = begin, NOTHING, self.source
        while at < end:
            if source.kind(at) == "name" and source.at(at) not in WORDS:
                after, level = self.chain(at)
                equals = ("==", "!=", "<=>")
                against = after + 1 if source.at(after) in equals else at - 2 if source.at(at - 1) in equals else None
                if against is not None:
                    is_text = source.at(against) not in NO_TEXTS and source.kind(against) != "number"
                    if level == SENTENCE and is_text:
                        self.found.add(source.lines[at])
                    level = NOTHING
                most = max(most, level)
                at = max(after, at + 1)
            elif self.is_lambda(at) and source.kind(at - 1) not in ("name", "number") and source.at(at - 1) not in (")", "]"):
                close = source.close[at] + 1
                if source.at(close) == "(":
                    close = source.close.get(close, close) + 1
                while close < end and source.at(close) != "{":
                    close += 1
                close = source.close.get(close, end)
                self.in_lambda(at, close)
                at = close
            else:
                at += 1
        return most

    def statement(self, begin, end):
        """A statement or the head of a block; takes note of what it declares and assigns."""
        source, at = self.source, begin
        head = source.at(begin)
        if head == "for" and source.at(begin + 1) == "(":
            close = source.close.get(begin + 1, end)
            for place in range(begin + 2, close):
                if source.at(place) == ":":
                    level, types = self.value(place + 1, close), set(source.texts[begin + 2 : place])
                    names = [one for one in range(begin + 2, place) if source.kind(one) == "name"]
                    bound = names if source.at(place - 1) == "]" else names[-1:]
                    for name in [source.at(one) for one in bound]:
                        self.pending[name] = self.declared(name, types, level)
                    break
        equals = None
        while at < end and equals is None:
            one = source.at(at)
            if source.kind(at) == "sign":
                if one in OPENS and at in source.close and not (one == "[" and source.at(at - 1) in ("auto", "&")):
                    if source.at(at - 1) in ("if", "while", "switch") and one == "(":
                        self.statement(at + 1, source.close[at])
                    at = source.close[at]
                elif one in ("=", "+=") and source.at(at - 1) != "operator":
                    equals = at
            at += 1
        level = self.value(begin, end)
        if equals is not None:
            level = self.value(equals + 1, end)
            self.assigned(begin, equals, level)
        elif head not in WORDS - {"const", "auto"}:
            self.constructed(begin, end)
        if head == "return" and level == SENTENCE and self.functions and self.functions[-1]:
            self.made.add(self.functions[-1])

    def assigned(self, begin, equals, level):
        source, last = self.source, equals - 1
        types = set(source.texts[begin:last])
        if source.at(last) == "]" and "auto" in types:  # auto& [one, other]
            for at in range(begin, last):
                if source.kind(at) == "name" and source.at(at) not in WORDS:
                    self.scopes[-1][source.at(at)] = level
        elif source.kind(last) == "name" and source.at(last - 1) not in (".", "->"):
            name = source.at(last)
            if last == begin:  # a new value of a variable
                if level > self.level_of(name):
                    self.scopes[-1][name] = level
            else:
                self.scopes[-1][name] = self.declared(name, types, level)

    def constructed(self, begin, end):
        """std::string text(e.what()); std::string text{e.what()}; std::size_t others;"""
        source = self.source
        for at in range(begin + 1, end + 1):
            opens = at < end and source.at(at) in ("(", "{") and at in source.close
            if opens or at == end:
                if source.kind(at - 1) == "name" and (source.kind(at - 2) == "name" or source.at(at - 2) in ("&", "*", ">")):
                    name, types = source.at(at - 1), set(source.texts[begin : at - 1])
                    level = self.value(at + 1, source.close[at]) if opens else NOTHING
                    if level == SENTENCE and READING_TYPES & types:
                        self.found.add(source.lines[at])
                    self.scopes[-1][name] = self.declared(name, types, level)
                return

    def defined(self, begin, end):
        """The function that the head of a block defines, and what its parameters have."""
        source = self.source
        for at in range(begin, end):
            if source.at(at) == "(" and at in source.close and source.kind(at - 1) == "name":
                name = source.at(at - 1)
                if name in WORDS or source.at(at - 2) in (".", "->", "=", "(", ","):
                    return "", {}
                return name, {
                    one: self.declared(one, types, SENTENCE if (name, place) in self.taken else NOTHING)
                    for place, (one, types) in enumerate(self.parameter(*part) for part in self.arguments(at))
                }
        return "", {}

    def walk(self):
        source, at, begin = self.source, 0, 0
        while at < len(source.texts):
            one = source.at(at)
            if source.kind(at) != "sign":
                at += 1
            elif one in "([" and at in source.close:
                at = source.close[at] + 1
            elif one == "{" and at in source.close:
                is_value = source.at(at - 1) in ("=", ",", "(", "return") or (
                    source.kind(at - 1) == "name" and not self.is_head(begin, at)
                )
                if is_value:
                    at = source.close[at] + 1
                    continue
                self.statement(begin, at)
                name, names = self.defined(begin, at)
                self.scopes.append(names | self.pending)
                self.pending = {}
                self.functions.append(name or (self.functions[-1] if self.functions else ""))
                at += 1
                begin = at
            elif one == "}":
                if begin < at:
                    self.statement(begin, at)
                if len(self.scopes) > 1:
                    self.scopes.pop()
                    self.functions.pop()
                at += 1
                begin = at
            elif one == ";":
                self.statement(begin, at)
                at += 1
                begin = at
            else:
                at += 1
        return self.found

    def is_head(self, begin, brace):
        """Whether the brace after a name begins a block: of a class, a namespace, an enum, or a function that is
        const, noexcept or has a type at its end."""
        head = self.source.texts[begin:brace]
        if set(head) & {"class", "struct", "namespace", "enum", "union", "else", "do", "try", "extern"}:
            return "=" not in head
        return head[-1:] and head[-1] in {"const", "noexcept", "override", "final", "mutable"} or "->" in head and ")" in head


def reads_in_cpp(texts):
    """The places, by file and line, where sources read a sentence."""
    places = []
    for place, text in texts.items():
        source = Source(text)
        lines = set()
        for at, one in enumerate(source.texts):
            is_name = source.kind(at) == "name" and source.at(at - 1) not in (".", "->")
            if is_name and REGULAR.fullmatch(one):
                lines.add(source.lines[at])
        taken, made = set(), set(MADE_ELSEWHERE)
        while True:
            known = len(taken), len(made)
            found = Reader(source, taken, made).walk()
            if (len(taken), len(made)) == known:
                break
        places += [(place, line) for line in sorted(lines | found)]
    return places
