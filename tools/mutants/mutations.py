"""Mutants of a module: changes of one token in its syntax tree that a test should notice."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_GUARDS = {"strict", "stacklevel"}  # keywords that only guard against mistakes of programmers
_NOT_RUN = {"annotation", "returns", "decorator_list", "format_spec"}


@dataclass(frozen=True)
class Mutant:
    """A change of one node: where it stands, its kind, and the source of the changed module."""

    module: str
    lines: range
    column: int
    kind: str
    before: str
    after: str
    source: str

    def __str__(self) -> str:
        return f"{self.module}:{self.lines.start}:{self.column} {self.kind}: {self.before} → {self.after}"


@dataclass(frozen=True)
class Site:
    """A node, where it hangs in the tree, and what may replace it."""

    owner: ast.AST
    field: str
    index: int | None
    node: ast.AST
    replacement: ast.AST
    kind: str
    lines: range

    def put(self, node: ast.AST) -> None:
        """Let this node hang in the place of the site."""
        if self.index is None:
            setattr(self.owner, self.field, node)
        else:
            getattr(self.owner, self.field)[self.index] = node


def sites(tree: ast.Module) -> Iterator[Site]:
    """All changes that can be made to a module."""
    todo: list[tuple[ast.AST, range | None, str]] = [(tree, None, "")]
    while todo:
        owner, text, returns = todo.pop()
        if isinstance(owner, (ast.FunctionDef, ast.AsyncFunctionDef)):
            returns = ast.unparse(owner.returns) if owner.returns else ""
        for field, index, node in _children(owner):
            if field in _NOT_RUN or _ignored(node):
                continue
            lines = text or range(getattr(node, "lineno", 1), (getattr(node, "end_lineno", 1) or 1) + 1)
            for kind, replacement in _replacements(owner, field, node, returns):
                yield Site(owner, field, index, node, replacement, kind, lines)
            # Nodes inside an f-string have no reliable position before Python 3.12.
            inside = lines if isinstance(node, ast.JoinedStr) else text
            todo.append((node, inside, returns))


def mutant(module: str, tree: ast.Module, site: Site) -> Mutant:
    """The mutant that a site of this tree makes; the tree stays as it is."""
    site.put(site.replacement)
    try:
        source = ast.unparse(ast.fix_missing_locations(tree))
    finally:
        site.put(site.node)
    before, after = (" ".join(ast.unparse(node).split()) for node in (site.node, site.replacement))
    column = getattr(site.node, "col_offset", 0) + 1
    return Mutant(module, site.lines, column, site.kind, before, after, source)


def _children(owner: ast.AST) -> Iterator[tuple[str, int | None, ast.AST]]:
    for field, value in ast.iter_fields(owner):
        if isinstance(value, list):
            for index, child in enumerate(value):
                if isinstance(child, ast.AST):
                    yield field, index, child
        elif isinstance(value, ast.AST):
            yield field, None, value


def _ignored(node: ast.AST) -> bool:
    """Whether a node says nothing about behaviour: assertions, imports, types, exported names, guards."""
    match node:
        case ast.Assert() | ast.Import() | ast.ImportFrom():
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case ast.Assign(value=ast.BinOp() as value):
            return _is_type(value)
        case ast.keyword(arg=name):
            return name in _GUARDS
    return False


def _is_type(node: ast.expr) -> bool:
    """Whether this may be a union of types."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.BitOr) and _is_type(node.left) and _is_type(node.right)
    names = (ast.Name, ast.Attribute, ast.Subscript)
    return isinstance(node, names) or (isinstance(node, ast.Constant) and node.value is None)


def _replacements(owner: ast.AST, field: str, node: ast.AST, returns: str) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.Compare(ops=ops):
            for i, op in enumerate(ops):
                for other in _COMPARISONS[type(op)]:
                    yield "comparison", _with(node, ops=[*ops[:i], other(), *ops[i + 1 :]])
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in _ARITHMETIC and not _is_text(node):
            yield "arithmetic", _with(node, op=_ARITHMETIC[type(op)]())
        case ast.BoolOp(op=op):
            yield "boolean", _with(node, op=ast.Or() if isinstance(op, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand):
            yield "negation", operand
        case ast.Constant(value=bool() as value):
            yield "constant", ast.Constant(not value)
        case ast.Constant(value=int() | float() as value):
            yield "constant", ast.Constant(value + 1)
            yield "constant", ast.Constant(value - 1)
        case ast.Call(func=ast.Name(id="max" | "min")):
            pass  # the order of their arguments does not matter
        case ast.Call(args=args) if not any(isinstance(arg, ast.Starred) for arg in args):
            for i in range(len(args) - 1):
                if ast.unparse(args[i]) != ast.unparse(args[i + 1]):
                    yield "arguments", _with(node, args=[*args[:i], args[i + 1], args[i], *args[i + 2 :]])
        case ast.Return(value=ast.expr() as value):
            yield "return", _with(node, value=_other_value(value, returns))
    tested = field == "test" or (isinstance(owner, ast.comprehension) and field == "ifs")
    if tested and not isinstance(node, ast.UnaryOp):
        yield "negation", ast.UnaryOp(ast.Not(), node)
    if isinstance(owner, ast.Slice) and not isinstance(node, (ast.Constant, ast.UnaryOp)):
        yield "index", ast.BinOp(node, ast.Add(), ast.Constant(1))


def _with(node: Any, **fields: object) -> Any:
    """The same node with other values in some fields."""
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _is_text(node: ast.BinOp | ast.AugAssign) -> bool:
    """Whether one of the operands is a text, which can only be joined."""
    operands = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.value,)
    return any(
        isinstance(operand, ast.JoinedStr)
        or (isinstance(operand, ast.Constant) and isinstance(operand.value, (str, bytes)))
        for operand in operands
    )


def _other_value(value: ast.expr, returns: str) -> ast.expr:
    """Another value of the same type where the function says which, and None elsewhere."""
    if returns == "bool":
        return ast.UnaryOp(ast.Not(), value)
    if returns in ("int", "float"):
        return ast.BinOp(value, ast.Add(), ast.Constant(1))
    return ast.Constant(None)
