"""Where Python reads a sentence: see sentences.py. Values are followed from expression to expression, through
variables of a function, and through parameters and results of functions of all files."""

import ast

# Names of variables, attributes and keys with a sentence, or several.
TEXTS = set(
    "message note notes reason reasons refusal refusals sentence sentences summary text_of_error verdict warning "
    "warnings why".split()
)
SENTENCE_TYPES = {"Message"}
ERRORS = {"error", "exception", "refused"}  # names of exceptions
ERROR_TYPES = ("Error", "Exception", "InvalidInput", "Warning")
# Methods that read or rewrite a text.
METHODS = set(
    "find rfind index rindex count startswith endswith replace split rsplit splitlines partition rpartition "
    "removeprefix removesuffix translate isdigit isnumeric isupper islower __contains__ __eq__ __ne__".split()
)
# Functions and methods that read what they are given.
READERS = set(
    "contains eq ne countOf indexOf search match fullmatch findall finditer sub subn fnmatch fnmatchcase "
    "get_close_matches SequenceMatcher get pop".split()
) | METHODS
# Methods after which it is the same sentence, or another way of writing it.
SAME = set("lower upper casefold strip lstrip rstrip title capitalize encode decode format join pop copy".split())
WRITES = {"str", "repr", "ascii", "format", "list", "tuple", "sorted", "set", "reversed", "iter", "next", "format_exception", "format_exc"}
REGULAR = {"re", "regex", "re2", "fnmatch", "sre_compile", "sre_parse", "hyperscan"}
NOTHING, ERROR, SENTENCE = range(3)


def last_name(node):
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def level_of_type(annotation):
    if annotation is None:
        return NOTHING
    names = ast.unparse(annotation).replace("|", " ").replace("[", " ").replace("]", " ").replace(".", " ").split()
    if SENTENCE_TYPES & set(names):
        return SENTENCE
    is_kind = "type" in names
    return ERROR if any(name.endswith(ERROR_TYPES) for name in names) and not is_kind else NOTHING


class Reader(ast.NodeVisitor):
    """One walk over a file; `taken` has what parameters are given, by function and name or place, and `made` what
    functions return. The walk finds more of both."""

    def __init__(self, taken, made):
        self.taken, self.made = taken, made
        self.found, self.scopes, self.functions = set(), [{}], []

    def set(self, target, level):
        if isinstance(target, ast.Name):
            self.scopes[-1][target.id] = max(level, self.scopes[-1].get(target.id, NOTHING))
        elif isinstance(target, (ast.Tuple, ast.List)):
            for one in target.elts:
                self.set(one, level)
        elif isinstance(target, ast.Starred):
            self.set(target.value, level)

    def known(self, name):
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return SENTENCE if name in TEXTS else ERROR if name in ERRORS else NOTHING

    def level(self, node):
        """What the value of an expression has: nothing, an exception, or a sentence."""
        if isinstance(node, ast.Name):
            return self.known(node.id)
        if isinstance(node, ast.Attribute):
            if node.attr in ("args", "__notes__") and self.level(node.value) == ERROR:
                return SENTENCE
            return SENTENCE if node.attr in TEXTS else NOTHING
        if isinstance(node, ast.Subscript):
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                return SENTENCE if node.slice.value in TEXTS | {"text"} else NOTHING
            return self.level(node.value)
        if isinstance(node, ast.JoinedStr):
            parts = [one.value for one in node.values if isinstance(one, ast.FormattedValue)]
            return SENTENCE if any(map(self.level, parts)) else NOTHING
        if isinstance(node, ast.BinOp):
            inside = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
            levels = [self.level(one) for one in (node.left, *inside)]
            return SENTENCE if any(levels) else NOTHING
        if isinstance(node, (ast.BoolOp, ast.List, ast.Tuple, ast.Set)):
            return max(map(self.level, node.values if isinstance(node, ast.BoolOp) else node.elts), default=NOTHING)
        if isinstance(node, ast.IfExp):
            return max(self.level(node.body), self.level(node.orelse))
        if isinstance(node, (ast.Starred, ast.NamedExpr, ast.Await)):
            return self.level(node.value)
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            return self.level(node.elt)
        return self.level_of_call(node) if isinstance(node, ast.Call) else NOTHING

    def level_of_call(self, node):
        name, given = last_name(node.func), [self.level(one) for one in node.args]
        if name == "exception" and not given and last_name(getattr(node.func, "value", None)) == "sys":
            return ERROR
        if name in WRITES and any(given):
            return SENTENCE
        if isinstance(node.func, ast.Attribute):
            if name == "get" and node.args and getattr(node.args[0], "value", None) in TEXTS | {"text"}:
                return SENTENCE
            if name in SAME and (self.level(node.func.value) == SENTENCE or any(given)):
                return SENTENCE
        if name in TEXTS and not given and not node.keywords and isinstance(node.func, ast.Attribute):
            return SENTENCE
        return self.made.get(name, NOTHING)

    def give(self, node):
        name = last_name(node.func)
        for place, one in [*enumerate(node.args), *((one.arg, one.value) for one in node.keywords)]:
            level = self.level(one)
            if level:
                self.taken[name, place] = max(level, self.taken.get((name, place), NOTHING))

    def visit_Call(self, node):
        name, is_method = last_name(node.func), isinstance(node.func, ast.Attribute)
        if is_method and name in METHODS and self.level(node.func.value) == SENTENCE:
            self.found.add(node.lineno)
        if name in READERS and any(self.level(one) == SENTENCE for one in node.args):
            self.found.add(node.lineno)
        if name in ("import_module", "__import__") and getattr(node.args[0], "value", None) in REGULAR:
            self.found.add(node.lineno)
        self.give(node)
        if name in ("filter", "map", "sorted", "min", "max") and isinstance(node.args[0] if node.args else None, ast.Lambda):
            of = max((self.level(one) for one in node.args[1:]), default=NOTHING)
            self.scopes.append({one.arg: of for one in node.args[0].args.args})
            self.visit(node.args[0].body)
            self.scopes.pop()
        self.generic_visit(node)

    def visit_Compare(self, node):
        sides = [node.left, *node.comparators]
        for place, operator in enumerate(node.ops):
            pair = sides[place : place + 2]
            if isinstance(operator, (ast.In, ast.NotIn)):
                # Whether a list has a whole message, not whether a message has a word.
                reads = self.level(pair[0]) == SENTENCE or self.level(pair[1]) == SENTENCE
            elif isinstance(operator, (ast.Eq, ast.NotEq)):
                is_text = not any(isinstance(one, (ast.List, ast.Tuple)) and not one.elts for one in pair)
                reads = is_text and any(self.level(one) == SENTENCE for one in pair)
            else:
                reads = False
            if reads:
                self.found.add(node.lineno)
        self.generic_visit(node)

    def visit_Subscript(self, node):
        is_key = isinstance(node.slice, (ast.Call, ast.Name, ast.JoinedStr)) and self.level(node.slice) == SENTENCE
        if is_key:
            self.found.add(node.lineno)
        self.generic_visit(node)

    def visit_Match(self, node):
        if self.level(node.subject) == SENTENCE:
            self.found.add(node.lineno)
        self.generic_visit(node)

    def visit_Import(self, node):
        if any(one.name.partition(".")[0] in REGULAR for one in node.names):
            self.found.add(node.lineno)

    def visit_ImportFrom(self, node):
        if (node.module or "").partition(".")[0] in REGULAR:
            self.found.add(node.lineno)

    def visit_Assign(self, node):
        for target in node.targets:
            self.set(target, self.level(node.value))
        self.generic_visit(node)

    def visit_AugAssign(self, node):
        self.set(node.target, SENTENCE if self.level(node.value) else NOTHING)
        self.generic_visit(node)

    def visit_AnnAssign(self, node):
        self.set(node.target, max(level_of_type(node.annotation), self.level(node.value) if node.value else NOTHING))
        self.generic_visit(node)

    def visit_NamedExpr(self, node):
        self.set(node.target, self.level(node.value))
        self.generic_visit(node)

    def visit_For(self, node):
        self.set(node.target, self.level(node.iter))
        self.generic_visit(node)

    def visit_comprehension(self, node):
        self.set(node.target, self.level(node.iter))
        self.generic_visit(node)

    def in_comprehension(self, node):
        self.scopes.append({})
        for one in node.generators:
            self.visit(one)
        for part in ("elt", "key", "value"):
            if hasattr(node, part):
                self.visit(getattr(node, part))
        self.scopes.pop()

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = in_comprehension

    def visit_ExceptHandler(self, node):
        if node.name:
            self.scopes[-1][node.name] = ERROR
        self.generic_visit(node)

    def visit_Return(self, node):
        level = self.level(node.value) if node.value else NOTHING
        if level and self.functions:
            self.made[self.functions[-1]] = max(level, self.made.get(self.functions[-1], NOTHING))
        self.generic_visit(node)

    def visit_FunctionDef(self, node):
        arguments = node.args.posonlyargs + node.args.args
        names = {}
        skipped = bool(arguments) and arguments[0].arg in ("self", "cls")
        for place, one in enumerate(arguments + node.args.kwonlyargs):
            places = [one.arg] if place >= len(arguments) else [one.arg, place - skipped]
            given = [self.taken.get((node.name, at), NOTHING) for at in places]
            own = SENTENCE if one.arg in TEXTS else ERROR if one.arg in ERRORS and one.annotation is None else NOTHING
            names[one.arg] = max(level_of_type(one.annotation), own, *given)
        self.scopes.append(names)
        self.functions.append(node.name)
        for one in node.body:
            self.visit(one)
        self.functions.pop()
        self.scopes.pop()

    visit_AsyncFunctionDef = visit_FunctionDef


def reads_in_python(texts):
    """The places, by file and line, where programs read a sentence."""
    trees = {place: ast.parse(text) for place, text in texts.items()}
    taken, made = {}, {}
    while True:
        known = dict(taken), dict(made)
        found = []
        for place, tree in trees.items():
            reader = Reader(taken, made)
            reader.visit(tree)
            found += [(place, line) for line in sorted(reader.found)]
        if (taken, made) == known:
            return found
