"""Takes the screenshot of the terminal in the book: `python3 book/pictures/terminal.py AGENT`, with the command `agent` that is shown.

Needs tmux, Chromium, and the fonts DejaVu Sans Mono and Noto Color Emoji. It is made by hand, because it shows what `agent` printed on
that day; the `console` blocks of the pages are what the tests compare.
"""

import html
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PICTURE = Path(__file__).parent.parent / "src/pictures/terminal.png"
COLUMNS, ROWS = 100, 31
WRONG = """[greeter:Agent {
  instruction: "Greet the user with the sayHello tool.",
  model: "OpenAI/gpt-6-luna",
  temperature: 0.2
} |
  sayHelo
]
"""
RIGHT = """[greeter:Agent {instruction: "Greet the user with the sayHello tool.", model: "OpenAI/gpt-6-luna"} |
  [sayHello:Tool {description: "Returns a friendly greeting message for the given name", requiresApproval: true} |
    (personName::Text {default: "world"})==>(::String)]
]
"""
COLOURS = dict(zip(range(30, 38), "#3b4252 #f0716b #7fc97f #e5c07b #6cb0f5 #c792ea #56c2c9 #d8dee9".split()))
STYLE = f"""body {{ margin: 0; background: #1b2029; color: #d8dee9 }}
pre {{ margin: 0; padding: 20px 24px; font: 15px/21px "DejaVu Sans Mono", "Noto Color Emoji", monospace; width: {COLUMNS}ch }}"""


def tmux(*words):
    return subprocess.run(["tmux", "-L", "picture", *words], check=True, capture_output=True, text=True).stdout


def screen():
    return tmux("capture-pane", "-p", "-e", "-t", "picture")


def wait_for(text):
    for _ in range(200):
        if text in re.sub("\x1b\\[[0-9;]*m", "", screen()):
            return
        time.sleep(0.1)
    sys.exit(f"the terminal does not show {text!r}:\n{screen()}")


def enter(line, then):
    tmux("send-keys", "-t", "picture", "-l", line)
    tmux("send-keys", "-t", "picture", "Enter")
    wait_for(then)


def to_html(text):
    """Converts the colours of a terminal: the 8 colours and their bright forms, bold and faint."""
    made, style = [], {}
    for at, piece in enumerate(re.split("\x1b\\[([0-9;]*)m", text)):
        if at % 2 == 0:
            css = ";".join(f"{name}:{value}" for name, value in style.items())
            made.append(f'<span style="{css}">{html.escape(piece)}</span>' if css else html.escape(piece))
            continue
        for code in (int(code or 0) for code in piece.split(";")):
            if code == 0:
                style.clear()
            elif code == 1:
                style["font-weight"] = "bold"
            elif code == 2:
                style["opacity"] = "0.65"
            elif code == 39:
                style.pop("color", None)
            elif code in COLOURS or code - 60 in COLOURS:
                style["color"] = COLOURS.get(code) or COLOURS[code - 60]
    return "".join(made)


def main():
    agent = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        document = Path(folder, "hello.gram")
        document.write_text(WRONG)
        shell = f"env PS1='$ ' PATH={agent.parent}:{os.environ['PATH']} XDG_DATA_HOME={folder} bash --norc --noprofile"
        tmux("new-session", "-d", "-s", "picture", "-x", str(COLUMNS), "-y", str(ROWS), "-c", folder, shell)
        try:
            wait_for("$")
            enter("agent check hello.gram", "agent explain CODE")
            document.write_text(RIGHT)
            enter("agent check hello.gram", "ok (")
            enter("agent chat hello.gram --offline", "`/help`")
            enter("Hello, I'm Ada", "or edit?")
            enter("y", "🤖")
            time.sleep(1)
            shown = screen().rstrip("\n")
        finally:
            tmux("kill-server")
        page = Path(folder, "page.html")
        page.write_text(f'<meta charset="utf-8"><style>{STYLE}</style><pre>{to_html(shown)}</pre>')
        height = 40 + 21 * len(shown.splitlines())
        width = 48 + round(COLUMNS * 9.03)
        command = ["chromium", "--headless", "--no-sandbox", "--hide-scrollbars", "--force-device-scale-factor=2"]
        options = [f"--window-size={width},{height}", f"--screenshot={PICTURE}", page.as_uri()]
        subprocess.run(command + options, check=True, capture_output=True)


main()
