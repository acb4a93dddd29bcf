"""A page in one file: HTML that loads nothing, which its Content-Security-Policy tells the browser."""

from html import escape
from string import Template

TEMPLATE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:">
<title>$title</title>
<link rel="icon" href="data:,">
<style>$style</style>
</head>
<body>
$body
</body>
</html>
""")


def document(title: str, style: str, body: str) -> str:
    """
    Args:
        title: text.
        style: a style sheet.
        body: HTML, with scripts in it.
    """
    return TEMPLATE.substitute(title=escape(title), style=style, body=body)


def links(addresses: dict[str, str]) -> str:
    """Words and addresses as a row of links."""
    return " · ".join(f'<a href="{escape(address)}">{escape(words)}</a>' for words, address in addresses.items())


def with_zero(title: str) -> str:
    """A title as HTML, in which the last letter of AlphaZero is drawn as the second player's stone (`face.css`)."""
    return title.replace("AlphaZero", 'AlphaZer<span class="zero"><span>o</span></span>', 1)
