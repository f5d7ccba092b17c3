"""Errors on one line of stderr. The exit code is 2 if the command could not be read as options and arguments, 130 after
Ctrl-C, and 1 for all other errors."""

import sys
import traceback
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from ..errors import MbsError

NAME = "mbs-dae"

UsageError: Any = typer.BadParameter.__mro__[1]  # its module depends on the version of typer


class Commands(TyperGroup):
    """Commands whose errors are one line, without a traceback unless --debug is given."""

    def main(self, *args: Any, **options: Any) -> NoReturn:
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")  # a terminal without Φ shows a question mark
        try:
            code = super().main(*args, **{**options, "standalone_mode": False})
        except UsageError as error:
            code = _print_error(error)
        sys.exit(code)

    def invoke(self, ctx: Any) -> None:
        try:
            super().invoke(ctx)
            sys.stdout.flush()
        except (UsageError, BrokenPipeError, typer.Exit):
            raise  # typer knows what to do
        except (Exception, KeyboardInterrupt) as error:
            if ctx.meta.get("debug"):
                traceback.print_exc()
            raise typer.Exit(_print_error(error)) from error


def _print_error(error: Any) -> int:
    """Print an error in one line; return the exit code."""
    code, message = 1, f"error: {error}"
    if isinstance(error, KeyboardInterrupt):
        code, message = 130, str(error) or "interrupted"
    elif isinstance(error, UsageError):
        where = error.ctx.command_path if error.ctx else NAME
        code, message = 2, f"error: {error.format_message().strip().removesuffix('.')} (see {where} --help)"
    elif not isinstance(error, MbsError):
        message = f"error: unexpected {type(error).__name__}: {error}; --debug shows where"
    print(f"{NAME}: {' '.join(message.split())}", file=sys.stderr)
    return code
