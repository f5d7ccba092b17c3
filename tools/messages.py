"""Writes docs/messages.md: the wording of every error and warning of the package, by its code.

    python tools/messages.py

Values in a message stand in braces. A part of a message that depends on the case stands in braces with its possible
texts below. A test compares the file with the text that this tool would write.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "docs" / "messages.md"
HEAD = """# Messages

Each error of `mbs_dae` has a code: `error.code` names the kind of fault and stays as it is when a sentence gets better.
The values of the case are attributes, `error.facts` lists them. Here is every message under its code, with the class of
the error. Values stand in braces.
"""
ROOTS = {
    "MbsError", "ModelError", "AssemblyError", "RedundantConstraintError", "SingularConfigurationError",
    "IntegrationError", "EquilibriumError",
}  # fmt: skip
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


def text_of(node: ast.expr, texts: dict[str, list[ast.expr]], parts: dict[str, list[str]]) -> str:
    """Return a message with its values in braces. A name of a text in the function is replaced by this text, if there
    is one alone; the texts of other names are put into `parts`."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(value, texts, parts) for value in node.values)
    if isinstance(node, ast.FormattedValue):
        return text_of(node.value, texts, parts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return text_of(node.left, texts, parts) + text_of(node.right, texts, parts)
    if isinstance(node, ast.IfExp):
        pair = [text_of(one, texts, parts) for one in (node.body, node.orelse)]
        return f"{{{' | '.join(pair)}}}" if any(isinstance(one, (ast.Constant, ast.JoinedStr)) for one in
                                                  (node.body, node.orelse)) else "{...}"  # fmt: skip
    if isinstance(node, ast.Name) and node.id in texts:
        own, rest = texts[node.id], {name: value for name, value in texts.items() if name != node.id}
        if len(own) == 1:
            return text_of(own[0], rest, parts)
        parts[node.id] = [text_of(one, rest, parts) for one in own]
    shown = ast.unparse(node)
    return f"{{{shown if len(shown) <= LONGEST else '...'}}}"


def is_text(node: ast.expr) -> bool:
    if isinstance(node, ast.IfExp):
        return is_text(node.body) and is_text(node.orelse)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add) and is_text(node.left) and is_text(node.right)
    return isinstance(node, ast.JoinedStr) or isinstance(node, ast.Constant) and isinstance(node.value, str)


def texts_in(scope: ast.AST) -> dict[str, list[ast.expr]]:
    """Return the texts that are assigned to names in a function. A name with other values, too, is left out."""
    found, others = defaultdict[str, list[ast.expr]](list), set[str]()
    for node in ast.walk(scope):
        pairs: list[tuple[ast.expr, ast.expr | None]] = []
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, value = node.targets[0], node.value
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
                pairs += zip(target.elts, value.elts, strict=True)
            elif isinstance(target, ast.Tuple):
                pairs += [(one, None) for one in target.elts]
            else:
                pairs.append((target, value))
        elif isinstance(node, ast.NamedExpr):
            pairs.append((node.target, node.value))
        elif isinstance(node, (ast.AugAssign, ast.For, ast.comprehension)):
            pairs += [(one, None) for one in ast.walk(node.target) if isinstance(one, ast.Name)]
        for target, value in pairs:
            if isinstance(target, ast.Name):
                if value is not None and is_text(value):
                    found[target.id].append(value)
                else:
                    others.add(target.id)
    return {name: values for name, values in found.items() if name not in others}


def messages() -> dict[str, list[tuple[str, str, dict[str, list[str]]]]]:
    """Return, by their codes, the classes and texts of all messages with their parts; warnings have no code."""
    files = trees()
    classes, found = error_classes(files), defaultdict[str, list[tuple[str, str, dict[str, list[str]]]]](list)
    for tree in files.values():
        scopes: list[tuple[ast.AST, dict[str, list[ast.expr]]]] = [(tree, {})]
        while scopes:
            scope, texts = scopes.pop()
            for node in ast.iter_child_nodes(scope):
                inner = texts
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    inner = texts | texts_in(node)
                scopes.append((node, inner))
                if not isinstance(node, ast.Call) or not node.args:
                    continue
                name = name_of(node)
                if name in classes or name == "warn":
                    given = {one.arg: one.value for one in node.keywords}
                    code = given.get("code")
                    parts: dict[str, list[str]] = {}
                    text = text_of(node.args[0], texts, parts)
                    where = str(code.value) if isinstance(code, ast.Constant) else ""
                    found["" if name == "warn" else where].append((name if name != "warn" else "warning", text, parts))
    return found


def paragraphs() -> Iterator[str]:
    yield HEAD
    found = messages()
    for code in sorted(found, key=lambda code: (not code, code)):
        yield f"## {code or 'Warnings and other messages'}\n"
        rows = sorted({(kind, text, repr(parts)): (kind, text, parts) for kind, text, parts in found[code]}.items())
        for _, (kind, text, parts) in rows:
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


def page() -> str:
    """Return the text of the file."""
    return "\n".join(paragraphs()).rstrip("\n") + "\n"


if __name__ == "__main__":
    FILE.write_text(page(), encoding="utf-8")
