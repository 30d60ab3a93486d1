"""`errata task submit`"""

from __future__ import annotations

import os

import click


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option("--task", "url", required=True, help="Address of the server, as in https://gec.example.org")
@click.option("--token", envvar="ERRATA_TASK_TOKEN", required=True, help="Your personal link, or its secret.")
@click.option("--track", help="Needed where the task has several tracks.")
@click.option("--phase", help="Needed where several phases are open.")
@click.option("--note", default="", help="A note for your team.")
@click.option("--anyway", is_flag=True, help="Let it be scored even if the checks say that it looks wrong.")
@click.option("--wait/--no-wait", default=True, help="Wait for the scores.")
def command(
    file: str, url: str, token: str, track: str | None, phase: str | None, note: str, anyway: bool, wait: bool
) -> None:
    """Send FILE (text, zip, M2, MultiGEC) to a shared task; print what the checks find, and the scores.

    Exits with 1 where the file is refused or cannot be scored. The token can also be in the environment, as
    ERRATA_TASK_TOKEN, where other people cannot see it.

    \b
    errata task submit outputs.txt --task https://gec.example.org --track minimal
    """
    from errata.integrations.shared_task import Client

    client = Client(url, token)
    with open(file, "rb") as content:
        data = content.read()
    answer = client.submit(data, os.path.basename(file), track=track, phase=phase, note=note, anyway=anyway)
    for finding in answer["findings"]:
        click.echo(f"{file}:{finding['line']}: {finding['code']} {finding['message']}", err=True)
        click.echo(f"  fix: {finding['fix']}", err=True)
    if answer["known"]:
        click.echo("your team has sent this very file before", err=True)
    if wait:
        answer = client.wait(answer)
    click.echo(f"{answer['uid']}: {answer['state']}")
    for metric in (answer["scores"] or {}).get("metrics", ()):
        decimals = metric["decimals"]
        low, high = (f"{metric[end]:.{decimals}f}" for end in ("low", "high"))
        click.echo(f"{metric['name']} {metric['value']:.{decimals}f} [{low}, {high}] {metric['signature']}")
    if answer["state"] in ("refused", "failed"):
        raise SystemExit(1)
