"""Draws the pictures of the book: reads the texts beside this file, and writes `book/src/pictures/*.svg`.

`python3 book/pictures/draw.py` writes all. With `--check`, it exits with 1 if a picture is not what its text says. A text has a
command a line: `title`, `desc` (for screen readers), `kind`, and those of its kind:

kind boxes    boxes in a grid, and straight arrows between them
  columns WIDTH WIDTH           the widths of the columns, in proportion
  gap ROW PIXELS                the space below a row
  box NAME COLUMNS ROWS STYLE   a box, such as in the columns `1-3`; its lines follow, indented
  arrow FROM TO LABEL           between boxes that have columns or rows in common
kind lanes    messages between lanes, from top to bottom
  lane NAME X STYLE TEXT        a lane with its head; after its `end`, a new head further down
  send FROM TO TEXT             a message
  wait TEXT                     a band over all lanes
  end NAME TEXT                 the end of a lane
kind rails    railroad diagrams of the grammar in a page of the book, so that both agree
  source FILE                   the page
  write PART = OTHER            replaces a part of the productions
  given NAME = PRODUCTION       what the page must have, so that the other part is right
  row NAME NAME+NAME            productions side by side; with `+`, below each other
  example NAME TEXT             beside a production, or as `value.number` beside a choice of it

A line of a box is a heading after `# `, and code after `> `; ` | ` parts its two sides; `.` is an empty line. In each line,
backticks enclose code, and stars what is wrong.
"""

import re
import sys
from pathlib import Path
from xml.sax.saxutils import escape

HERE = Path(__file__).parent
WIDTH, EDGE, BETWEEN, LINE, SANS, CODE = 680, 10, 28, 24, 17, 16
ROUND, APART, HALF = 8, 8, 16  # of rails: the radius of curves, the space between boxes, half the height of a box
SHEET = """text{font:17px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
.code{font:16px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.bold,.wrong{font-weight:600} .free{paint-order:stroke;stroke-width:5px;stroke-linejoin:round} rect{stroke-width:1.5}
.line{fill:none;stroke:#71809a;stroke-width:2} .head{fill:#71809a} .dashed{stroke-width:1.5;stroke-dasharray:5 5}
.life{stroke:#4f7fe0;stroke-width:6} .cross{stroke:#e11d48;stroke-width:3}"""
# Each colour in light/dark. Words outside of boxes have an outline, so that a page of the other scheme does not hide them.
COLOURS = """text{fill:#1b2430/#eceff4} .pale{fill:#465365/#c5ceda} tspan.wrong{fill:#b4123a/#ff9fb0}
.free{stroke:#ffffff/#14181f} .blue{fill:#eff6ff/#172a4d;stroke:#1d4ed8/#7fb0ff}
.green{fill:#effdf3/#12321f;stroke:#15803d/#5fce86} .amber{fill:#fffaeb/#3a2a0d;stroke:#b45309/#f0b44c}
.red{fill:#fff1f2/#421a24;stroke:#be123c/#ff8fa3} .grey{fill:#f6f8fa/#222a36;stroke:#64748b/#94a3b8}"""
LIGHT, DARK = (re.sub(r"(#\w+)/(#\w+)", kept, COLOURS) for kept in (r"\1", r"\2"))


def spans(line):
    """The parts of a line, each with its class."""
    base = {"# ": "bold", "> ": "code"}.get(line[:2], "")
    marks = r"(\*[^*]+\*)" if base == "code" else r"(`[^`]+`|\*[^*]+\*)"
    for part in re.split(marks, line[2:] if base else line):
        if part.startswith("`") and base != "code":
            yield part[1:-1], "code"
        elif part:
            yield part.strip("*"), f"{base} wrong".strip() if part.startswith("*") else base


def line_width(line):
    """The width in DejaVu, whose letters are wider than those of most fonts."""
    widths = {0.3: " ijlI.,:;'|!", 0.41: "frt()[]-/", 0.53: "csz{}", 0.82: "wCDGHNOQU", 0.98: "mMW…"}
    known = {letter: width for width, letters in widths.items() for letter in letters}
    width = 0
    for words, css in spans(line):
        sans = sum(known.get(letter, 0.63) for letter in words) * SANS
        width += len(words) * CODE * 0.603 if "code" in css else sans * (1.08 if css else 1)
    return width


class Drawing:
    """The shapes of a picture, and those under them."""

    def __init__(self, name):
        self.name, self.under, self.shapes, self.height = name, [], [], 0

    def check(self, about, needed, room):
        if needed > room:
            raise SystemExit(f"{self.name}: no room for {about}: {needed:.0f} of {room:.0f} pixels")

    def rect(self, left, top, right, bottom, style, radius=8):
        self.check("a box", right, WIDTH - EDGE)
        place = f'x="{left:.5g}" y="{top:.5g}" width="{right - left:.5g}" height="{bottom - top:.5g}"'
        self.shapes.append(f'<rect {place} rx="{radius}" class="{style}"/>')

    def path(self, *parts, css="line", under=False):
        d = " ".join(part if isinstance(part, str) else f"{part:.5g}" for part in parts)
        (self.under if under else self.shapes).append(f'<path d="{d}" class="{css}"/>')

    def text(self, x, y, line, room, anchor="middle", css=""):
        """Writes a line around the height `y`. A line that needs more than `room` is an error."""
        self.check(line, line_width(line), room)
        place, words = f'x="{x:.5g}" y="{y + 6:.5g}" text-anchor="{anchor}" class="{css}"', ""
        for part, kind in spans(line):
            words += f'<tspan class="{kind}">{escape(part.replace(" ", chr(160)) if "code" in kind else part)}</tspan>'
        self.shapes += [f"<text {place}>{words}</text>"] if words else []

    def arrow(self, x1, y1, x2, y2):
        """A line across or down, with a head at its second end."""
        dx, dy = (x2 > x1) - (x2 < x1), (y2 > y1) - (y2 < y1)
        self.path("M", x1, y1, "L", x2 - 8 * dx, y2 - 8 * dy)
        self.head(x2, y2, dx, dy)

    def head(self, x, y, dx, dy):
        self.path("M", x, y, "l", 5.5 * dy - 10 * dx, 5.5 * dx - 10 * dy, -11 * dy, -11 * dx, "z", css="head")

    def turn(self, left, right, y, to, first, second):
        """Two curves between the heights `y` and `to`, which turn inwards (1) or outwards (-1) at each of their ends."""
        turn = ROUND if to > y else -ROUND
        for x, first, second in ((left, ROUND * first, ROUND * second), (right, -ROUND * first, -ROUND * second)):
            if to != y:
                self.path("M", x, y, "q", first, 0, first, turn, "V", to - turn, "q", 0, turn, second, turn, under=True)

    def svg(self, title, desc):
        size = f'viewBox="0 0 {WIDTH} {self.height:.5g}" width="720" height="{self.height * 720 / WIDTH:.5g}"'
        about = f'role="img" aria-labelledby="{self.name}-title {self.name}-desc"'
        words = f'<title id="{self.name}-title">{escape(title)}</title>\n<desc id="{self.name}-desc">{escape(desc)}</desc>'
        style = f"<style>{SHEET}\n{LIGHT}\n@media(prefers-color-scheme:dark){{{DARK}}}</style>"
        lines = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} {about}>', words, style, *self.under, *self.shapes, "</svg>\n"]
        return "\n".join(lines).replace(' class=""', "")


def rests(commands, wanted):
    """What follows each of the wanted commands."""
    return [rest for command, rest, _ in commands if command == wanted]


def draw_boxes(drawing, commands):
    columns = [int(width) for width in rests(commands, "columns")[0].split()]
    gaps = dict(map(int, rest.split()) for rest in rests(commands, "gap"))
    boxes, places = {}, {}
    for command, rest, lines in commands:
        if command == "box":
            name, cols, rows, style = rest.split()
            cols, rows = ([int(end) for end in f"{ends}-{ends}".split("-")[:2]] for ends in (cols, rows))
            boxes[name] = (cols, rows, style, lines)
    heights = [0] * (1 + max(rows[1] for _, rows, _, _ in boxes.values()))
    for _, (first, last), _, lines in boxes.values():
        above = sum(heights[row] + gaps.get(row, 36) for row in range(first, last))
        heights[last] = max(heights[last], LINE * len(lines) + 22 - above)
    tops = [0, EDGE]
    for row in range(1, len(heights)):
        tops.append(tops[row] + heights[row] + gaps.get(row, 36))
    drawing.height = tops[-2] + heights[-1] + EDGE
    unit = (WIDTH - 2 * EDGE - BETWEEN * (len(columns) - 1)) / sum(columns)
    for name, (cols, rows, style, lines) in boxes.items():
        left = EDGE + unit * sum(columns[: cols[0] - 1]) + BETWEEN * (cols[0] - 1)
        right = EDGE + unit * sum(columns[: cols[1]]) + BETWEEN * (cols[1] - 1)
        places[name] = (left, tops[rows[0]], right, tops[rows[1]] + heights[rows[1]])
        draw_box(drawing, places[name], style, lines)
    for rest in rests(commands, "arrow"):
        one, other, label = f"{rest}  ".split(" ", 2)
        draw_arrow(drawing, places[one], places[other], label.strip())


def draw_box(drawing, place, style, lines):
    left, top, right, bottom = place
    if style == "dashed":
        drawing.path("M", left, (top + bottom) / 2, "H", right, css="line dashed", under=True)
    elif style != "plain":
        drawing.rect(*place, style)
    y, room, css = (top + bottom - LINE * (len(lines) - 1)) / 2, right - left - 16, "free" if style == "plain" else ""
    code = max((line_width(line) for line in lines if line.startswith("> ")), default=0)
    for line in lines:
        first, parted, second = line.partition(" | ")
        if parted:
            drawing.text(left + 14, y, first, room - 20 - line_width(second), "start", css)
            drawing.text(right - 14, y, second, room, "end", css)
        elif line.startswith("> "):  # All lines of code begin at one column.
            drawing.text((left + right - code) / 2, y, line, room + line_width(line) - code, "start", css)
        elif line != ".":
            drawing.text((left + right) / 2, y, line, room, "middle", css)
        y += LINE


def draw_arrow(drawing, one, other, label):
    x, y = (max(one[0], other[0]) + min(one[2], other[2])) / 2, (max(one[1], other[1]) + min(one[3], other[3])) / 2
    if min(one[2], other[2]) > max(one[0], other[0]):
        start, end = (one[3], other[1]) if one[3] < other[1] else (one[1], other[3])
        drawing.arrow(x, start, x, end)
        drawing.text(x + 14, (start + end) / 2 - 2, label, WIDTH - x - 24, "start", "pale free")
    else:
        drawing.arrow(*((one[2], y, other[0], y) if one[2] < other[0] else (one[0], y, other[2], y)))


def draw_lanes(drawing, commands):
    lanes, lives, y = {}, [], EDGE + 20
    for command, rest, _ in commands:
        one, _, words = rest.partition(" ")
        if command == "lane":
            x, style, words = words.split(" ", 2)
            x, half = int(x), line_width(f"# {words}") / 2 + 14
            y += 56 if lives else 0
            drawing.rect(x - half, y - 18, x + half, y + 18, style)
            drawing.text(x, y, f"# {words}", 2 * half)
            lanes[one] = (x, style, y + 18)
        elif command == "send":
            y += 42
            other, _, words = words.partition(" ")
            x1, x2 = lanes[one][0], lanes[other][0]
            side = 6 if x2 > x1 else -6
            drawing.arrow(x1 + side, y + 8, x2 - side, y + 8)
            drawing.text((x1 + x2) / 2, y - 6, words, abs(x2 - x1) - 18, "middle", "free")
        elif command == "wait":
            y += 56
            drawing.rect(EDGE, y - 20, WIDTH - EDGE, y + 20, "amber")
            drawing.text(WIDTH / 2, y, rest, WIDTH - 2 * EDGE - 20)
        elif command == "end":
            y += 44
            lives.append((*lanes.pop(one), y))
            x = lives[-1][0]
            drawing.path("M", x - 9, y - 9, "l 18 18 m 0 -18 l -18 18", css="line cross")
            drawing.text(x + 20, y, words, 140, "start", "free")
    for x, style, top, bottom in [*lives, *((*lane, y + 24) for lane in lanes.values())]:
        drawing.path("M", x, top, "V", bottom, css="line life" if style == "blue" else "line dashed", under=True)
    drawing.height = y + 24 + EDGE


def parse(words):
    """The tree of a production, from its words: boxes as texts, and tuples that begin with a kind."""
    choices = [[]]
    while words and words[0] not in ("]", "}", ")"):
        word, parts = words.pop(0), choices[-1]
        if word == "|":
            choices.append([])
        elif word not in ("[", "{", "("):
            parts.append(word)
        else:
            inner = parse(words)
            words.pop(0)
            if word == "{" and inner[0] == "row" and inner[1][-1:] == parts[-1:]:
                parts[-1] = ("loop", parts[-1], ("row", inner[1][:-1]))
            else:
                parts.append({"{": ("option", ("loop", inner, ("row", []))), "[": ("option", inner), "(": inner}[word])
    rows = [parts[0] if len(parts) == 1 else ("row", parts) for parts in choices]
    return rows[0] if len(rows) == 1 else ("choice", rows)


def rail(part, drawing=None, x=0, y=0, end=0):
    """Returns the width of a part, and how far it reaches above and below its line; draws it from `x` to `end` in a drawing."""
    kind = part[0]
    if isinstance(part, str):
        is_code = kind == '"'
        line = "> " + part.strip('"') if is_code else part
        if drawing:
            drawing.rect(x, y - HALF, end, y + HALF, "blue" if is_code else "grey", HALF if is_code else 4)
            drawing.text((x + end) / 2, y, line, end - x)
        return max(line_width(line) + 18, 2 * HALF), HALF, HALF
    if drawing:
        drawing.path("M", x, y, "H", end, under=True)
    if kind in ("row", "choice"):
        widths, ups, downs = zip((0, 4, 0), *map(rail, part[1]))
        to = y - ups[1 % len(ups)]
        for inner, width, up, down in zip(part[1] if drawing else [], widths[1:], ups[1:], downs[1:]):
            if kind == "row":
                rail(inner, drawing, x, y, x + width)
                x += width + APART
            else:
                to += up
                rail(inner, drawing, x + 2 * ROUND, to, end - 2 * ROUND)
                drawing.turn(x, end, y, to, 1, 1)
                to += down + 8
        if kind == "row":
            return sum(widths) + APART * (len(part[1]) - 1), max(ups), max(downs)
        return max(widths) + 4 * ROUND, ups[1], sum(ups[2:]) + sum(downs) + 8 * (len(part[1]) - 1)
    (width, up, down), middle = rail(part[1]), (x + end) / 2
    if drawing:
        rail(part[1], drawing, middle - width / 2, y, middle + width / 2)
    if kind == "option":
        if drawing:
            drawing.turn(x, end, y, y - up - 10, 1, 1)
            drawing.path("M", x + 2 * ROUND, y - up - 10, "H", end - 2 * ROUND, under=True)
        return width + (2 if part[1][0] == "loop" else 4) * ROUND, up + 10, down
    back, above, below = rail(part[2])
    to = y + down + 8 + above
    if drawing:
        drawing.turn(x + ROUND, end - ROUND, y, to, -1, 1)
        drawing.path("M", x + ROUND, to, "H", end - ROUND, under=True)
        rail(part[2], drawing, middle - back / 2, to, middle + back / 2)
        drawing.head(middle - max(back / 2 + 13, 5), to, -1, 0)
    return max(width, back + 40) + 2 * ROUND, up, to - y + below


def draw_rails(drawing, commands):
    page = (HERE / rests(commands, "source")[0]).read_text(encoding="utf-8")
    grammar = " ".join(page.split("## Grammar")[1].split("```")[1].split())
    for part, other in (rest.split(" = ") for rest in rests(commands, "write")):
        grammar = grammar.replace(part, other)
    found = dict(re.findall(r"(?<![^ ])([a-z]+) = (.*?)(?= [a-z]+ = |$)", grammar))
    for name, production in (rest.split(" = ") for rest in rests(commands, "given")):
        if found[name] != production:
            raise SystemExit(f"{drawing.name}: `{name}` is `{found[name]}`")
    examples = dict(rest.split(" ", 1) for rest in rests(commands, "example"))
    y = EDGE
    for row in rests(commands, "row"):
        left, bottom = EDGE, y
        for stack in row.split():
            top, right = y, left
            for name in stack.split("+"):
                tree = parse(re.findall(r'"[^"]+"|[\w-]+|[^\s\w]', found[name]))
                width, up, down = rail(tree)
                line, end = top + 32 + max(up, HALF + 10), left + 32 + width
                beside = {(left + line_width(f"# {name}") + 14, top + 14): examples.get(name, "")}
                for index, inner in enumerate(tree[1] if tree[0] == "choice" else []):
                    beside[end + 12, line + index * (2 * HALF + 8)] = examples.get(f"{name}.{inner}", "")
                drawing.text(left, top + 14, f"# {name}", WIDTH, "start", "free")
                for (x, at), text in beside.items():
                    drawing.text(x, at, text, WIDTH - EDGE - x, "start", "pale free")
                drawing.path("M", left + 4, line, "H", end - 4, under=True)
                for dot in (left, end - 8):
                    drawing.path("M", dot, line, "a 4 4 0 1 0 8 0 a 4 4 0 1 0 -8 0 z", css="head")
                rail(tree, drawing, left + 16, line, end - 16)
                right = max(right, end, *(x + line_width(text) for (x, _), text in beside.items()))
                top = line + down + 20
            left, bottom = right + 32, max(bottom, top)
        y = bottom + 10
    drawing.height = y - 18


def picture(file):
    """The SVG of a text."""
    commands = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            commands[-1][2].append(line[2:])
        elif line.strip():
            command, _, rest = line.partition(" ")
            commands.append((command, rest.strip(), []))
    title, desc, kind = (" ".join(rests(commands, wanted)) for wanted in ("title", "desc", "kind"))
    unknown = {command for command, _, _ in commands} - {"title", "desc", "kind", *re.findall(r"(?m)^  ([a-z]+) ", __doc__)}
    if unknown:
        raise SystemExit(f"{file.name}: no command is called {', '.join(sorted(unknown))}")
    drawing = Drawing(file.stem)
    {"boxes": draw_boxes, "lanes": draw_lanes, "rails": draw_rails}[kind](drawing, commands)
    return drawing.svg(title, desc)


def main(arguments):
    if arguments not in ([], ["--check"]):
        raise SystemExit("usage: draw.py [--check]")
    for file in sorted(HERE.glob("*.txt")):
        path, svg = HERE.parent / f"src/pictures/{file.stem}.svg", picture(file).encode()
        if not arguments:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(svg)
        elif not path.is_file() or path.read_bytes() != svg:
            raise SystemExit(f"{path} is not what its text says: run `python3 book/pictures/draw.py`")


if __name__ == "__main__":
    main(sys.argv[1:])
