#!/usr/bin/env python3
"""Draws the diagrams of docs/pictures: the data's way, the clipped band, which model for whom.

usage: draw_pictures.py [--check]    writes them, or fails if those there are not what it draws
"""

import math
import pathlib
import sys

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
FOLDER = DOCS / "pictures"
SANS = "Inter, 'Segoe UI', 'Helvetica Neue', Helvetica, Arial, sans-serif"
MONO = "'JetBrains Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace"
INK, SOFT, LINE = "#1f2933", "#55626e", "#94a0ab"
# What is private, public, released: a strong colour and a pale one.
PRIVATE, PUBLIC, RELEASED = ("#b4470b", "#fdeee3"), ("#2255b5", "#e8f0fc"), ("#17733b", "#e4f5ea")


class Picture:
    """A card with a background of its own, so that it reads the same on a light and a dark page."""

    def __init__(self, width, height, title):
        self.size = width, height
        self.parts = [f"<title>{title}</title>",
                      f'<rect x="1" y="1" width="{width - 2}" height="{height - 2}" rx="18" '
                      'fill="#fffefb" stroke="#d5dade" stroke-width="2"/>']

    def add(self, part):
        self.parts.append(part)

    def text(self, x, y, words, size=15, colour=INK, weight=400, anchor="middle", font=None):
        """One line, or several below each other."""
        for row, line in enumerate(words.split("\n")):
            rise = f"{0.36 * size:.1f}"
            line, *rest = line.split("e^ε")
            for part in rest:  # a space at the beginning of a part would not be seen
                space = f' dx="{0.3 * size:.1f}"' if part.startswith(" ") else ""
                line += (f'e<tspan dy="-{rise}" font-size="{0.75 * size:g}">ε</tspan>'
                         f'<tspan dy="{rise}"{space}>{part.lstrip()}</tspan>')
            family = f' font-family="{font}"' if font else ""
            self.add(f'<text x="{x:g}" y="{y + row * size * 1.35:g}" font-size="{size}" fill="{colour}" '
                     f'font-weight="{weight}" text-anchor="{anchor}"{family}>{line}</text>')

    def rect(self, x, y, width, height, stroke, fill, rx=10, line=1.8, dash=""):
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.add(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{rx}" '
                 f'fill="{fill}" stroke="{stroke}" stroke-width="{line}"{dashes}/>')

    def box(self, x, y, width, height, name, words, colours):
        """A named thing; what it does stands below its name."""
        self.rect(x, y, width, height, colours[0], colours[1])
        lines = words.count("\n") + 1
        top = y + height / 2 - (lines * 18) / 2 + 3
        self.text(x + width / 2, top, name, 17, colours[0], 700)
        self.text(x + width / 2, top + 22, words, 13, INK)

    def path(self, commands, stroke, line=2.0, fill="none", dash="", opacity=1.0):
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        shade = f' fill-opacity="{opacity:g}"' if opacity < 1 else ""
        self.add(f'<path d="{commands}" fill="{fill}"{shade} stroke="{stroke}" stroke-width="{line}"'
                 f'{dashes} stroke-linejoin="round" stroke-linecap="round"/>')

    def arrow(self, points, colour, dash=""):
        """A line through the points with a head at the last one."""
        (x0, y0), (x1, y1) = points[-2:]
        length = math.hypot(x1 - x0, y1 - y0)
        ux, uy = (x1 - x0) / length, (y1 - y0) / length
        foot = [*points[:-1], (x1 - 8 * ux, y1 - 8 * uy)]
        self.path("M" + " L".join(f"{x:g} {y:g}" for x, y in foot), colour, 2.2, dash=dash)
        self.add(f'<path d="M{x1:g} {y1:g} L{x1 - 11 * ux + 5.5 * uy:g} {y1 - 11 * uy - 5.5 * ux:g} '
                 f'L{x1 - 11 * ux - 5.5 * uy:g} {y1 - 11 * uy + 5.5 * ux:g} Z" fill="{colour}"/>')

    def svg(self):
        width, height = self.size
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
                f'width="{width}" height="{height}" role="img" font-family="{SANS}">\n'
                + "\n".join(self.parts) + "\n</svg>\n")


def data_way():
    picture = Picture(1120, 500, "The data's way: private scores and a public band meet in the kernel")
    top, middle, bottom, high = 74, 232, 382, 92
    picture.rect(600, 30, 342, 314, INK, "#f4f3ee", 14, 2.4)
    picture.text(771, 56, "PRIVACY KERNEL: all that ε rests on", 14, INK, 700)
    for x, name, words in ((28, "Private records", "a file, memory,\nor an Arrow stream"),
                           (222, "Cells", "one for every value\nthere can be"),
                           (416, "Scores", "by any code;\nthey may be wrong")):
        picture.box(x, top, 164, high, name, words, PRIVATE)
    picture.box(28, middle, 164, high, "Spec", "domain, reference, ε:\nall declared in public", PUBLIC)
    picture.box(28, bottom, 164, high, "Certificate", "what is promised,\nfor anybody to check", PUBLIC)
    picture.box(222, bottom, 164, high, "Ledger", "what it costs, written\ndown before the draw", PUBLIC)
    picture.box(614, top, 178, high, "Table", "integers inside the\nband that sum to 2⁶²", PRIVATE)
    picture.box(614, middle, 178, high, "Band", "integers lo ≤ hi ≤ e^ε lo\nfor each outcome", PUBLIC)
    picture.box(818, top, 110, high, "Draw", "one random\ninteger", RELEASED)
    picture.box(984, top, 112, high, "Record", "that anybody\nmay see", RELEASED)
    row = top + high / 2
    for x in (192, 386):
        picture.arrow([(x, row), (x + 30, row)], PRIVATE[0])
    picture.arrow([(580, row), (614, row)], PRIVATE[0])
    picture.arrow([(792, row), (818, row)], PRIVATE[0])
    picture.arrow([(928, row), (984, row)], RELEASED[0])
    picture.arrow([(192, middle + high / 2), (614, middle + high / 2)], PUBLIC[0])
    picture.arrow([(703, middle), (703, top + high)], PUBLIC[0])
    picture.arrow([(110, middle + high), (110, bottom)], PUBLIC[0])
    picture.arrow([(192, bottom + high / 2), (222, bottom + high / 2)], PUBLIC[0])
    picture.arrow([(386, bottom + high / 2), (872, bottom + high / 2), (872, top + high)], PUBLIC[0])
    picture.text(638, bottom + high / 2 - 10, "charged: only now is anything drawn", 13.5, PUBLIC[0])
    picture.text(404, middle + high / 2 - 10, "nothing private goes in here", 13.5, PUBLIC[0])
    for y, colours, words in ((392, PRIVATE, "private"), (420, PUBLIC, "public"), (448, RELEASED, "released")):
        picture.rect(984, y, 20, 16, colours[0], colours[1], 4)
        picture.text(1014, y + 13, words, 14, INK, anchor="start")
    return picture


def clip_into_band(private, lower, upper):
    """The law clip(private/r, lower, upper) on even steps, and private/r; r by bisection."""
    few, many = 1e-6, 1e6
    for _ in range(200):
        r = math.sqrt(few * many)
        law = [min(max(p / r, low), high) for p, low, high in zip(private, lower, upper)]
        few, many = (r, many) if sum(law) > len(law) else (few, r)
    return law, [p / r for p in private]


def clipped_band():
    picture = Picture(1120, 500, "The clipped band: two persons' laws lie in one public band")
    steps, epsilon = 240, 1.6
    at = [(i + 0.5) / steps for i in range(steps)]

    def density(*bumps):
        values = [sum(w * math.exp(-(((x - m) / s) ** 2) / 2) / s for w, m, s in bumps) for x in at]
        return [value * steps / sum(values) for value in values]

    reference = density((0.75, 0.48, 0.24), (0.75, 0.5, 2.0))
    lower = [math.exp(-epsilon / 2) * h for h in reference]
    upper = [math.exp(epsilon / 2) * h for h in reference]
    people = (("Person A", density((0.62, 0.27, 0.055), (0.38, 0.6, 0.06))),
              ("Person B", density((0.3, 0.5, 0.07), (0.7, 0.79, 0.055))))
    mark = 64  # where A's law is at the upper edge and B's at the lower one
    heights = []
    for panel, (name, private) in enumerate(people):
        left, base, width, scale = 40 + panel * 540, 352, 500, 74
        law, scaled = clip_into_band(private, lower, upper)

        def line(values):
            return " L".join(f"{left + width * x:.1f} {base - scale * v:.1f}" for x, v in zip(at, values))

        picture.path("M" + line(upper) + " L" + " L".join(reversed(line(lower).split(" L"))) + " Z", PUBLIC[0],
                     1.4, "#dbe7fb")
        picture.path(f"M{left} {base} L{line(law)} L{left + width} {base} Z", "none", 0, RELEASED[1], opacity=0.55)
        points = [p if v < 4.3 else None for p, v in zip(line(scaled).split(" L"), scaled)]
        runs = " ".join(f"L{p}" if before else f"M{p}" for p, before in zip(points, [None, *points]) if p)
        picture.path(runs, PRIVATE[0], 2.2, dash="2 6")
        picture.path("M" + line(law), RELEASED[0], 3.4)
        picture.path(f"M{left} {base} H{left + width}", LINE, 1.5)
        picture.text(left + 6, 50, name, 19, INK, 700, "start")
        picture.text(left + width, base + 22, "all records there can be", 13, SOFT, anchor="end")
        x, y = left + width * at[mark], base - scale * law[mark]
        heights.append((x, y, base))
        picture.path(f"M{x:.1f} {base} V{y:.1f}", INK, 1.6)
        picture.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="{RELEASED[0]}" stroke="#fffefb" stroke-width="2"/>')
    ax, ay, base = heights[0]
    bx, by, _ = heights[1]
    picture.text(ax, base + 22, "this record", 13, INK, 600)
    picture.text(bx, base + 22, "the same record", 13, INK, 600)
    picture.text(ax - 42, ay + 5, "likely for A", 14, RELEASED[0], 700, "end")
    picture.path(f"M{bx:.1f} {by:.1f} V{ay:.1f}", RELEASED[0], 1.6, dash="4 4")
    picture.add(f'<circle cx="{bx:.1f}" cy="{ay:.1f}" r="6" fill="#fffefb" stroke="{RELEASED[0]}" stroke-width="2"/>')
    picture.text(bx - 14, ay - 4, "as for A", 14, RELEASED[0], 400, "end")
    picture.text(bx + 12, (2 * ay + by) / 3 + 2, "at most\ne^ε times", 14, RELEASED[0], 700, "start")
    picture.text(bx - 14, by - 12, "for B", 14, RELEASED[0], 700, "end")
    legend = ((40, PRIVATE[0], "2 6", 2.6, "the private data's shape, scaled"),
              (330, PUBLIC[0], "", 12, "the band: public, its upper edge e^ε times its lower one"),
              (770, RELEASED[0], "", 3.6, "the law a record is drawn from"))
    for x, colour, dash, line, words in legend:
        picture.path(f"M{x} 410 H{x + 34}", "#dbe7fb" if line == 12 else colour, line, dash=dash)
        picture.text(x + 46, 415, words, 14.5, INK, anchor="start")
    picture.text(560, 460, "Whatever the data, the law is cut at the band's edges. So no record is more than e^ε times likelier "
                 "for one person than for another.", 15.5, INK, 600)
    return picture


def person(picture, x, y, colour, size=1.0):
    picture.add(f'<circle cx="{x:g}" cy="{y - 15 * size:g}" r="{8 * size:g}" fill="{colour}"/>')
    picture.add(f'<path d="M{x - 14 * size:g} {y + 16 * size:g} a{14 * size:g} {17 * size:g} 0 0 1 '
                f'{28 * size:g} 0 Z" fill="{colour}"/>')


def rows(picture, x, y, marked, width=112):
    """A table of five rows; the marked ones are hidden."""
    for row in range(5):
        colours = PRIVATE if row in marked else (LINE, "#eef1f3")
        picture.rect(x, y + row * 15, width, 11, colours[0], colours[0] if row in marked else colours[1], 3, 1)


def which_model():
    picture = Picture(1120, 560, "Which method for whom: by what must stay hidden, and of what kind the data are")
    picture.rect(360, 26, 400, 52, INK, "#f4f3ee", 26, 2)
    picture.text(560, 59, "What must stay hidden?", 19, INK, 700)
    centres = (150, 423, 696, 969)
    questions = ((150, "everything about each\nperson or device"), (423, "the whole table,\nany group in it"),
                 (832, "each row of a large table,\nor each person in it"))
    for x, words in questions:
        picture.path(f"M560 78 V98 H{x} V114", LINE, 2)
        picture.text(x, 134, words, 15, INK, 600)
    picture.path("M423 160 V204", LINE, 2)
    picture.path("M150 160 V204", LINE, 2)
    for x, words in ((696, "any columns"), (969, "numbers, roughly Gaussian")):
        picture.path(f"M832 160 V170 H{x} V176", LINE, 2)
        picture.text(x, 192, words, 13.5, SOFT, 600)
    leaves = (("Local", "One record for each person,\nas if drawn from that person's\nown records.", "ε for each person",
               "local\n--unit COLUMN"),
              ("Integral", "A few records, as if drawn\nfrom the table.\n", "ε for the table as a whole", "integral"),
              ("Central", "Many rows, as if drawn from\nthe table: the more rows it has,\nthe nearer they are.",
               "ε or (ε, δ) for each row", "central"),
              ("Gaussian", "Rows of real numbers,\nas if drawn from the Gaussian\nbehind the table.", "ε, (ε, δ) or ρ for each row",
               "gaussian"))
    for x, (name, words, promise, flags) in zip(centres, leaves):
        picture.rect(x - 128, 204, 256, 330, LINE, "#ffffff", 14, 1.6)
        picture.text(x, 352, name, 20, INK, 700)
        picture.text(x, 380, words, 14.5, INK)
        picture.rect(x - 108, 452, 216, 28, PUBLIC[0], PUBLIC[1], 14, 1.2)
        picture.text(x, 471, promise, 14, PUBLIC[0], 600)
        picture.text(x, 503, flags, 12.5, SOFT, font=MONO)
    for shift in (-72, 0, 72):
        x = centres[0] + shift
        picture.rect(x - 29, 228, 58, 86, PRIVATE[0], PRIVATE[1], 12, 1.8, "5 4")
        person(picture, x, 264, PRIVATE[0])
        picture.rect(x - 17, 290, 34, 10, PRIVATE[0], "#ffffff", 3, 1.3)
    picture.rect(centres[1] - 76, 226, 152, 92, PRIVATE[0], PRIVATE[1], 12, 1.8, "5 4")
    rows(picture, centres[1] - 56, 237, range(5))
    rows(picture, centres[2] - 56, 237, (2,))
    picture.rect(centres[2] - 66, 260, 132, 25, PRIVATE[0], "none", 8, 1.8, "5 4")
    rows(picture, centres[3] - 100, 237, (2,), 84)
    picture.rect(centres[3] - 110, 260, 104, 25, PRIVATE[0], "none", 8, 1.8, "5 4")
    bell = [(centres[3] + 14 + 92 * i / 40, 312 - 74 * math.exp(-(((i - 20) / 7.5) ** 2) / 2)) for i in range(41)]
    picture.path("M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in bell) + " Z", RELEASED[0], 2.2, RELEASED[1])
    return picture


def main():
    pictures = {"data-way.svg": data_way(), "clipped-band.svg": clipped_band(), "which-model.svg": which_model()}
    stale = []
    for name, picture in pictures.items():
        path = FOLDER / name
        if "--check" not in sys.argv[1:]:
            path.write_text(picture.svg(), encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != picture.svg():
            stale.append(name)
    for name in stale:
        print(f"docs/pictures/{name} is not what scripts/draw_pictures.py draws")
    return 1 if stale else 0


sys.exit(main())
