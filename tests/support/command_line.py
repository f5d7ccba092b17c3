"""Commands as a person at a prompt gives them, in this process: what they print, and how they fail."""

from typer.testing import CliRunner

from mbs_dae.cli.commands import app


def run(*args):
    return CliRunner().invoke(app, [*map(str, args)], prog_name="mbs-dae")


def output(*args):
    """Of a command that goes well."""
    done = run(*args)
    assert (done.exit_code, spoken(done)) == (0, "")
    return done.stdout


def spoken(done):
    """What went to stderr, but for the line that a first use of the compiled core writes."""
    lines = done.stderr.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("mbs_dae: compiling"))


def failure(*args):
    """Exit code and message of a command that goes wrong; exactly one line."""
    done = run(*args)
    message = spoken(done)
    assert message.startswith("mbs-dae: ") and message.endswith("\n") and message.count("\n") == 1
    return done.exit_code, message.removeprefix("mbs-dae: ").rstrip("\n")
