"""Writes docs/messages: the wording of every error and warning of the package, by its code.

    python tools/messages.py

Values in a message stand in braces. A part of a message that depends on the case stands in braces with its possible
texts below. A test compares the files with the texts that this tool would write.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import fill

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "messages"
PAGES = ("a-d", "e-m", "n", "o-z")
"""The first letters of the codes on each page; warnings are on the last one."""
HEAD = """# Messages

Each error of `mbs_dae` has a code: `error.code` names the kind of fault and stays as it is when a sentence gets better.
The values of the case are attributes, `error.facts` lists them. The pages show every message under its code, with the
class of the error. Values stand in braces.
"""
ROOTS = {
    "MbsError", "ModelError", "AssemblyError", "RedundantConstraintError", "SingularConfigurationError",
    "IntegrationError", "EquilibriumError",
}  # fmt: skip
PASSED, WARNINGS = "~ with the code of another error", "~ warnings"
"""The headings of messages without a code of their own."""
LONGEST = 40
"""Longer expressions of values are left out."""


def name_of(call: ast.Call) -> str:
    return getattr(call.func, "id", None) or getattr(call.func, "attr", "")


def trees() -> dict[str, ast.Module]:
    """Return the parsed files of the package by their paths in it."""
    package = ROOT / "mbs_dae"
    return {
        path.relative_to(package).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(package.rglob("*.py"))
    }


def error_classes(files: dict[str, ast.Module]) -> set[str]:
    """Return the names of all classes of errors, with those derived from the public ones."""
    found, bases = set(ROOTS), [
        (node.name, {getattr(base, "id", getattr(base, "attr", "")) for base in node.bases})
        for tree in files.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
    ]  # fmt: skip
    for _ in bases:
        found |= {name for name, parents in bases if parents & found}
    return found


class Wording:
    """The texts of messages in one file: constants of the package, and texts that functions assign to names."""

    def __init__(self, constants: dict[str, ast.expr]):
        self.constants = constants
        self.parts: dict[str, list[str]] = {}
        """The possible texts of names in the last message, where there are several."""

    def text(self, node: ast.expr, path: Sequence[ast.AST], before: int) -> str:
        """Return a message with its values in braces. `path` leads from the file to the call, and texts are those that
        are assigned to a name above the line `before`."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        if isinstance(node, ast.JoinedStr):
            return "".join(self.text(value, path, before) for value in node.values)
        if isinstance(node, ast.FormattedValue):
            return self.text(node.value, path, before)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and (self.is_text(node.left, path, before)):
            return self.text(node.left, path, before) + self.text(node.right, path, before)
        if isinstance(node, ast.IfExp) and self.is_text(node.body, path, before):
            return f"{{{self.text(node.body, path, before)} | {self.text(node.orelse, path, before)}}}"
        if isinstance(node, ast.Name):
            if options := assigned(node.id, path, before):
                texts = [self.text(value, path, line) for value, line in options if self.is_text(value, path, line)]
                if len(set(texts)) == 1:
                    return texts[0]
                if len(texts) > 1:
                    self.parts[node.id] = texts
            elif node.id in self.constants:
                return self.text(self.constants[node.id], path, 0)
        shown = ast.unparse(node)
        return f"{{{shown if len(shown) <= LONGEST else '...'}}}"

    def is_text(self, node: ast.expr, path: Sequence[ast.AST], before: int) -> bool:
        if isinstance(node, ast.IfExp):
            return self.is_text(node.body, path, before) or self.is_text(node.orelse, path, before)
        if isinstance(node, ast.BinOp):
            return isinstance(node.op, ast.Add) and self.is_text(node.left, path, before)
        if isinstance(node, ast.Name):
            return node.id in self.constants or any(
                self.is_text(value, path, line) for value, line in assigned(node.id, path, before)
            )
        return isinstance(node, ast.JoinedStr) or isinstance(node, ast.Constant) and isinstance(node.value, str)


def assigned(name: str, path: Sequence[ast.AST], before: int) -> list[tuple[ast.expr, int]]:
    """Return what a name may be at the end of a path, with the lines of the assignments: the last assignment above in
    the blocks around, or all in the branches of the last statement that assigns it."""
    for outer, inner in reversed([*zip(path, path[1:], strict=False)]):
        if isinstance(inner, (ast.FunctionDef, ast.ClassDef)):
            return []
        for block in (getattr(outer, field, []) for field in ("body", "orelse", "finalbody")):
            if not isinstance(block, list) or inner not in block:
                continue
            for statement in reversed(block[: block.index(inner)]):
                if found := assignments(name, statement, path, before):
                    return found
        if isinstance(outer, (ast.If, ast.While)):  # if (name := ...) is True
            for node in ast.walk(outer.test):
                if isinstance(node, ast.NamedExpr) and node.target.id == name:
                    return [(node.value, node.lineno)]
    return []


def assignments(name: str, statement: ast.AST, path: Sequence[ast.AST], before: int) -> list[tuple[ast.expr, int]]:
    """Return the values that a statement, or statements in it, assign to a name; a text that is added to it stands
    behind the earlier one."""
    found: list[tuple[ast.expr, int]] = []
    for node in ast.walk(statement):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and line < before:
            target, value = node.targets[0], node.value
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
                found += [
                    (one, line) for to, one in zip(target.elts, value.elts, strict=True)
                    if isinstance(to, ast.Name) and to.id == name
                ]  # fmt: skip
            elif name in {one.id for one in ast.walk(target) if isinstance(one, ast.Name)}:
                found.append((value if isinstance(target, ast.Name) else ast.Name("..."), line))
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
            if line < before:
                found.append((ast.BinOp(ast.Name(name), node.op, node.value), line))
        elif isinstance(node, ast.NamedExpr) and node.target.id == name and line < before:
            found.append((node.value, line))
    return found


def messages() -> dict[str, list[tuple[str, str, dict[str, list[str]]]]]:
    """Return, by their codes, the classes and texts of all messages with their parts; warnings have no code."""
    files = trees()
    classes, found = error_classes(files), defaultdict[str, list[tuple[str, str, dict[str, list[str]]]]](list)
    constants = {
        target.id: node.value for tree in files.values() for node in tree.body if isinstance(node, ast.Assign)
        for target in node.targets if isinstance(target, ast.Name) and target.id.isupper()
        and isinstance(node.value, (ast.Constant, ast.JoinedStr))
    }  # fmt: skip
    for tree in files.values():
        paths: list[list[ast.AST]] = [[tree]]
        while paths:
            path = paths.pop()
            node = path[-1]
            paths += [[*path, inner] for inner in ast.iter_child_nodes(node)]
            if not isinstance(node, ast.Call) or not node.args or name_of(node) not in {*classes, "warn"}:
                continue
            name, wording = name_of(node), Wording(constants)
            code = next((one.value for one in node.keywords if one.arg == "code"), (*node.args[1:], None)[0])
            text = wording.text(node.args[0], path, node.lineno)
            if name == "warn":
                found[WARNINGS].append(("warning", text, wording.parts))
            elif isinstance(code, ast.Constant):
                found[str(code.value)].append((name, text, wording.parts))
            else:
                found[PASSED].append((name, text, wording.parts))
    return found


def pages() -> dict[str, str]:
    """Return the texts of the files by their names: an index of all codes, and the messages by the first letters."""
    found, codes = messages(), {name: [] for name in PAGES}
    for code in sorted(found):
        codes[next(name for name in PAGES if code[0] <= name[-1] or name == PAGES[-1])].append(code)
    index, texts = [HEAD], {}
    for name, own in codes.items():
        title = name.replace("-", " to ")
        links = ", ".join(f"[{code}]({name}.md#{code.strip('~ ').replace(' ', '-')})" for code in own)
        index += [f"## [{title}]({name}.md)\n", fill(links, 138, break_long_words=False, break_on_hyphens=False), ""]
        lines = [line for code in own for line in section(code, found[code])]
        texts[f"{name}.md"] = joined([f"# Messages, {title}\n", *lines])
    return {"README.md": joined(index), **texts}


def joined(lines: Sequence[str]) -> str:
    return "\n".join(lines).rstrip("\n") + "\n"


def section(code: str, found: Sequence[tuple[str, str, dict[str, list[str]]]]) -> Iterator[str]:
    """Give the lines of one code: its messages, each with its possible parts."""
    yield f"## {code.strip('~ ')}\n"
    for kind, text, parts in {repr(row): row for row in sorted(found, key=repr)}.values():
        yield bullet(f"{kind}: {text}", 0)
        for name, options in parts.items():
            for option in dict.fromkeys(options):
                yield bullet(f"{name}: {option}", 2)
    yield ""


def bullet(text: str, indent: int) -> str:
    plain = " ".join(text.split()).replace("`", "'")
    kind, _, rest = plain.partition(": ")
    lead = " " * indent
    return fill(
        f"{kind}: `{rest}`", 138, initial_indent=f"{lead}- ", subsequent_indent=f"{lead}  ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
