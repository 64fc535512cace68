#!/usr/bin/env python3
"""Draws the diagrams of docs/pictures: the data's way, the clipped band, which method for whom; and, of
docs/pictures/releases.csv (scripts/release_for_pictures.py), the real data next to released records.

usage: draw_pictures.py [--check]    writes them, or fails if those there are not what it draws
"""

import csv
import math
import pathlib
import sys

import made_from

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
FOLDER = DOCS / "pictures"
SANS = "Inter, 'Segoe UI', 'Helvetica Neue', Helvetica, Arial, sans-serif"
MONO = "'JetBrains Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace"
INK, SOFT, LINE = "#1f2933", "#55626e", "#94a0ab"
# What is private, public, released: a strong colour and a pale one.
PRIVATE, PUBLIC, RELEASED = ("#b4470b", "#fdeee3"), ("#2255b5", "#e8f0fc"), ("#17733b", "#e4f5ea")

# Widths of DejaVu Sans, the widest of the usual fonts, for a size of 1: fallbacks draw no wider.
NARROW = {"ijlI'|": 0.29, "f .,:;()[]": 0.36, "trJ": 0.41, "scvxyzk": 0.58, "mMW%": 0.95, "w": 0.82}
WIDTHS = {letter: width for letters, width in NARROW.items() for letter in letters}


def width_of(words, size, weight, font):
    if font == MONO:
        return 0.61 * size * len(words)
    plain = sum(WIDTHS.get(letter, 0.7 if letter.isupper() else 0.64) for letter in words)
    return plain * size * (1.12 if weight >= 600 else 1)


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
            wide = width_of(line.replace("^", ""), size, weight, font)
            left = x - wide * {"start": 0, "middle": 0.5, "end": 1}[anchor]
            if left < 4 or left + wide > self.size[0] - 4:
                raise ValueError(f"this label may be clipped, from {left:.0f} to {left + wide:.0f} of {self.size[0]}: {line}")
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
    picture.text(771, 56, "PRIVACY KERNEL: all that ε depends on", 14, INK, 700)
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
    picture = Picture(1120, 500, "The clipped band: two persons' output distributions lie in one public band")
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
              (330, PUBLIC[0], "", 12, "the band: public, its upper edge e^ε times the lower"),
              (800, RELEASED[0], "", 3.6, "the output distribution"))
    for x, colour, dash, line, words in legend:
        picture.path(f"M{x} 410 H{x + 34}", "#dbe7fb" if line == 12 else colour, line, dash=dash)
        picture.text(x + 46, 415, words, 14.5, INK, anchor="start")
    picture.text(560, 450, "Whatever the data, the output distribution is cut at the band's edges. So no record\nis more than e^ε times "
                 "likelier for one person than for another.", 15.5, INK, 600)
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
    picture = Picture(1120, 520, "Which method for whom: by what must stay hidden, and by what you want to publish")
    wide, gap = 146, 8
    centres = [20 + wide / 2 + leaf * (wide + gap) for leaf in range(7)]
    picture.rect(400, 22, 320, 46, INK, "#f4f3ee", 23, 2)
    picture.text(560, 51, "What must stay hidden?", 18, INK, 700)

    def split(x, top, bottom, ends):
        for end in ends:
            picture.path(f"M{x:g} {top} V{(top + bottom) / 2:g} H{end:g} V{bottom}", LINE, 2)

    table, row = (centres[1] + centres[2]) / 2, (centres[3] + centres[6]) / 2
    split(560, 68, 98, (centres[0], table, row))
    picture.text(centres[0], 116, "everything about\neach person", 14.5, INK, 600)
    picture.text(table, 116, "the whole table,\nand any group in it", 14.5, INK, 600)
    picture.text(row, 116, "each row of a large table,\nor each person in it", 14.5, INK, 600)
    columns, numbers = (centres[3] + centres[4]) / 2, (centres[5] + centres[6]) / 2
    picture.path(f"M{centres[0]:g} 146 V220", LINE, 2)
    split(table, 146, 220, centres[1:3])
    split(row, 146, 166, (columns, numbers))
    picture.text(columns, 184, "any columns", 13.5, SOFT, 600)
    picture.text(numbers, 184, "numbers", 13.5, SOFT, 600)
    split(columns, 192, 220, centres[3:5])
    split(numbers, 192, 220, centres[5:])
    leaves = (("local", "one record\nfor each person", "ε"),
              ("integral", "two or three\nrecords", "ε"),
              ("integral-model", "many rows\nof one model", "ε"),
              ("central", "a small sample\nof few columns", "ε or (ε, δ)"),
              ("marginals", "a synthetic table\nof many columns", "ε, (ε, δ) or ρ"),
              ("gaussian", "a few rows;\ncovariance known", "ε, (ε, δ) or ρ"),
              ("gaussian-model", "many rows\nof one model", "ε, (ε, δ) or ρ"))
    shared = (2, 4, 6)
    for leaf, (x, (name, words, promise)) in enumerate(zip(centres, leaves)):
        picture.rect(x - wide / 2, 220, wide, 276, LINE, "#ffffff", 14, 1.6)
        picture.text(x, 354, name, 14, INK, 700, font=MONO)
        picture.text(x, 380, words, 13, INK)
        picture.rect(x - 62, 414, 124, 26, PUBLIC[0], PUBLIC[1], 13, 1.2)
        picture.text(x, 432, promise, 13, PUBLIC[0], 600)
        picture.text(x, 461, "more rows are free,\nall share one error" if leaf in shared else "each record costs,\nall are independent",
                     12, RELEASED[0] if leaf in shared else SOFT)
    for shift in (-36, 36):
        x = centres[0] + shift
        picture.rect(x - 28, 240, 56, 82, PRIVATE[0], PRIVATE[1], 12, 1.8, "5 4")
        person(picture, x, 276, PRIVATE[0])
        picture.rect(x - 16, 300, 32, 10, PRIVATE[0], "#ffffff", 3, 1.3)
    for leaf in (1, 2):
        picture.rect(centres[leaf] - 60, 236, 120, 92, PRIVATE[0], PRIVATE[1], 12, 1.8, "5 4")
        rows(picture, centres[leaf] - 46, 247, range(5), 92)
    for leaf in (3, 4):
        rows(picture, centres[leaf] - 46, 247, (2,), 92)
        picture.rect(centres[leaf] - 56, 270, 112, 25, PRIVATE[0], "none", 8, 1.8, "5 4")
    for leaf in (5, 6):
        rows(picture, centres[leaf] - 58, 247, (2,), 46)
        picture.rect(centres[leaf] - 66, 270, 62, 25, PRIVATE[0], "none", 8, 1.8, "5 4")
        bell = [(centres[leaf] + 6 + 56 * i / 40, 318 - 66 * math.exp(-(((i - 20) / 7.5) ** 2) / 2)) for i in range(41)]
        picture.path("M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in bell) + " Z", RELEASED[0], 2.2, RELEASED[1])
    return picture


def released(name):
    """The rows of one picture in releases.csv."""
    with (FOLDER / "releases.csv").open(encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["picture"] == name]


def legend(picture, x, y, words):
    for colour, line in zip((PRIVATE, RELEASED), words):
        picture.rect(x, y - 12, 16, 14, colour[0], colour[0], 3, 0)
        picture.text(x + 24, y, line, 14, INK, anchor="start")
        x += 60 + 8.6 * len(line)


def bars(picture, x, y, wide, shares, greatest, left):
    """For each label a bar of the real share and one of the released share; labels end at x + left."""
    for at, (label, (real, drawn)) in enumerate(shares.items()):
        top = y + at * 40
        picture.text(x + left - 12, top + 20, label, 14, INK, anchor="end")
        for row, (colours, share) in enumerate(((PRIVATE, real), (RELEASED, drawn))):
            length = (wide - left - 48) * share / greatest
            picture.rect(x + left, top + 1 + row * 15, max(length, 1), 13, colours[0], colours[0], 2, 0)
            picture.text(x + left + length + 7, top + 12 + row * 15, f"{100 * share:.0f} %", 11.5, SOFT, anchor="start")
    picture.path(f"M{x + left} {y - 4} V{y + 40 * len(shares) - 4}", LINE, 1.5)


def pairs(rows):
    """Each label's real share and released share."""
    found = {}
    for row in rows:
        found.setdefault(row["label"], {})[row["series"]] = float(row["x"])
    return {label: (of["real"], of["released"]) for label, of in found.items()}


def schools_shares():
    picture = Picture(1120, 300, "Three columns of the schools' data, and of 160 released records")
    legend(picture, 40, 46, ("in the schools' data (private)", "among 160 released records, ε = 2 for each school"))
    sums = {}
    for label, both in pairs(released("schools-records")).items():
        for word in label.split(", "):
            before = sums.get(word, (0, 0))
            sums[word] = before[0] + both[0], before[1] + both[1]
    blocks = (("sex", ("female", "male")), ("minority", ("majority", "minority")), ("math score", ("low", "middle", "high")))
    for at, (name, words) in enumerate(blocks):
        x = 40 + at * 352
        picture.text(x + 96, 92, name, 16, INK, 700, "start")
        bars(picture, x, 112, 336, {word: sums[word] for word in words}, 0.8, 96)
    picture.text(40, 272, "All records together resemble the schools; rare kinds are too frequent. ε = 2 limits what a school's record reveals about it.",
                 14.5, SOFT, anchor="start")
    return picture


def twelve(name, title, words):
    picture = Picture(1120, 350, title)
    legend(picture, 40, 46, words)
    shares = pairs(released(name))
    greatest = max(max(both) for both in shares.values())
    for at in range(2):
        half = dict(list(shares.items())[6 * at:6 * at + 6])
        bars(picture, 40 + at * 532, 76, 508, half, greatest, 186)
    picture.text(40, 334, "Kinds of pupils: sex, group, and the lower, middle or upper third of the math scale.", 13.5, SOFT, anchor="start")
    return picture


def schools_epsilon():
    picture = Picture(1120, 340, "The same records at three epsilons")
    legend(picture, 40, 46, ("in the schools' data (private)", "among released records, on average"))
    rows = released("schools-epsilon")
    for at, panel in enumerate(("ε = 0.5", "ε = 2", "ε = 8")):
        x = 40 + at * 352
        picture.text(x + 116, 92, panel, 17, INK, 700, "start")
        bars(picture, x, 112, 336, pairs([row for row in rows if row["panel"] == panel]), 0.85, 116)
    return picture


def scatter(name, title, words, x_axis, y_axis):
    """Two panels of points; an axis is its name, its ends and its ticks with their words."""
    picture = Picture(1120, 460, title)
    rows = released(name)
    for at, (series, colours, heading) in enumerate(zip(("real", "released"), (PRIVATE, RELEASED), words)):
        left, top, wide, high = 86 + at * 540, 70, 450, 310
        picture.text(left, 48, heading, 16, colours[0], 700, "start")
        picture.rect(left, top, wide, high, LINE, "#ffffff", 4, 1.2)

        def place(value, axis, length):
            low, high_end = axis[1]
            return length * (min(max(value, low), high_end) - low) / (high_end - low)

        for value, word in x_axis[2]:
            picture.text(left + place(value, x_axis, wide), top + high + 20, word, 12.5, SOFT)
        for value, word in y_axis[2]:
            picture.text(left - 8, top + high - place(value, y_axis, high) + 4, word, 12.5, SOFT, anchor="end")
        picture.text(left + wide / 2, top + high + 46, x_axis[0], 13.5, INK)
        picture.add(f'<text x="{left - 52}" y="{top + high / 2:g}" font-size="13.5" fill="{INK}" text-anchor="middle" '
                    f'transform="rotate(-90 {left - 52} {top + high / 2:g})">{y_axis[0]}</text>')
        dots = " ".join(f"M{left + place(float(row['x']), x_axis, wide):.1f} "
                        f"{top + high - place(float(row['y']), y_axis, high):.1f}h0" for row in rows if row["series"] == series)
        picture.add(f'<path d="{dots}" stroke="{colours[0]}" stroke-opacity="0.55" stroke-width="4.5" stroke-linecap="round"/>')
    return picture


def synthetic_table():
    return scatter("synthetic-table", "Real pupils, and rows of a synthetic table",
                   ("700 real pupils (private)", "700 rows of a synthetic table, ε = 1"),
                   ("ses, the family's status", (-4, 3), [(value, str(value)) for value in range(-4, 4)]),
                   ("math score", (-3, 25), [(value, str(value)) for value in (0, 5, 10, 15, 20, 25)]))


def rows_of_numbers():
    dollars = [(0, "1"), (1, "10"), (2, "100"), (3, "1000"), (4, "10000")]
    return scatter("rows-of-numbers", "Real expenses of two years, and rows of one Gaussian model",
                   ("700 real persons (private)", "700 rows of method gaussian-model, ε = 1"),
                   ("expenses in year 1, dollars", (-0.5, 4.5), dollars), ("expenses in year 2, dollars", (-0.5, 4.5), dollars))


def estimate():
    picture = Picture(1120, 380, "Shares of schools: real, and estimated from 160 reports")
    picture.add(f'<circle cx="48" cy="41" r="7" fill="{PRIVATE[0]}"/>')
    picture.text(66, 46, "real share (private)", 14, INK, anchor="start")
    picture.path("M300 41 H340", RELEASED[0], 4)
    picture.add(f'<path d="M320 33 V49" stroke="{RELEASED[0]}" stroke-width="4"/>')
    picture.text(354, 46, "estimate and its interval, from 160 reports, ε = 3 for each school", 14, INK, anchor="start")
    found = {}
    for row in released("estimate"):
        found.setdefault(row["label"], {})[row["series"]] = float(row["x"])
    left, wide, base = 190, 860, 84 + 36 * len(found)
    for share in range(0, 101, 20):
        x = left + wide * share / 100
        picture.path(f"M{x:g} 74 V{base - 16}", "#e6e9eb", 1)
        picture.text(x, base + 4, f"{share} %", 12.5, SOFT)
    for at, (label, of) in enumerate(found.items()):
        y = 92 + at * 36
        picture.text(left - 16, y + 5, label if at < 4 else f"math: {label}", 14, INK, anchor="end")
        picture.path(f"M{left + wide * of['lower']:.1f} {y} H{left + wide * of['upper']:.1f}", RELEASED[0], 4)
        picture.path(f"M{left + wide * of['estimate']:.1f} {y - 8} V{y + 8}", RELEASED[0], 4)
        picture.add(f'<circle cx="{left + wide * of["real"]:.1f}" cy="{y}" r="7" fill="{PRIVATE[0]}" stroke="#fffefb" stroke-width="2"/>')
    return picture


def plan():
    picture = Picture(1120, 420, "The error that plan predicts, against epsilon")
    left, top, wide, high = 110, 40, 600, 310
    lines = {}
    for row in released("plan"):
        lines.setdefault(row["label"], []).append((float(row["x"]), float(row["y"])))

    def place(epsilon, error):
        return left + wide * math.log2(epsilon / 0.25) / 5, top + high * -math.log10(error) / 4

    for power in range(5):
        y = place(1, 10 ** -power)[1]
        picture.path(f"M{left} {y:g} H{left + wide}", "#e6e9eb", 1)
        picture.text(left - 10, y + 4, ("1", "0.1", "0.01", "0.001", "≤ 0.0001")[power], 12.5, SOFT, anchor="end")
    for epsilon in (0.25, 0.5, 1, 2, 4, 8):
        picture.text(place(epsilon, 1)[0], top + high + 22, f"{epsilon:g}", 12.5, SOFT)
    picture.text(left + wide / 2, top + high + 50, "ε", 15, INK, 600)
    picture.text(left - 70, top - 14, "error: records that differ, of 1", 13, INK, anchor="start")
    for colour, (label, points) in zip((PRIVATE[0], "#94a0ab", PUBLIC[0], RELEASED[0]), lines.items()):
        at = [place(*point) for point in points]
        picture.path("M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in at), colour, 3)
        for x, y in at:
            picture.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{colour}"/>')
    for row, (colour, label) in enumerate(zip((PRIVATE[0], "#94a0ab", PUBLIC[0], RELEASED[0]), lines)):
        picture.path(f"M760 {90 + row * 34} H800", colour, 4)
        picture.text(814, 95 + row * 34, label, 14, INK, anchor="start")
    picture.text(760, 250, "The survey's 12 possible records.\nMore rows, or a larger ε, lower the error.", 13.5, SOFT, anchor="start")
    return picture


def value_way():
    picture = Picture(1120, 300, "From a value in the file to a released value")
    heads = ((170, "in your file", PRIVATE), (560, "cell of the domain", PUBLIC), (950, "may be released as", RELEASED))
    for x, words, colours in heads:
        picture.text(x, 44, words, 16, colours[0], 700)
    values = (("math: 19.708", "15.7 to 25", "22.4"), ("math: 31", "15.7 to 25, by outside: clip", "17.9"),
              ("math: (empty)", "-3 to 6.3, by null: -3", "1.2"), ("sex: femal", "female, by outside: clip", "female"))
    for row, words in enumerate(values):
        y = 64 + row * 56
        for (x, _, colours), word, wide in zip(heads, words, (240, 330, 240)):
            picture.rect(x - wide / 2, y, wide, 40, colours[0], colours[1])
            picture.text(x, y + 26, word, 14.5, INK, font=MONO)
        picture.arrow([(292, y + 20), (392, y + 20)], PRIVATE[0])
        picture.arrow([(727, y + 20), (827, y + 20)], RELEASED[0], "5 4")
    return picture


def budget():
    picture = Picture(1120, 210, "A total of 4, and what three releases cost")
    left, unit = 60, 175
    picture.text(left, 44, "total declared for the schools' table: ε = 4", 15, INK, 600, "start")
    for start, cost, words, colours in ((0, 0.5, "course\n0.5", PUBLIC), (0.5, 1, "synthetic\ntable 1", PUBLIC),
                                        (1.5, 2.5, "left: 2.5", (LINE, "#ffffff"))):
        picture.rect(left + unit * start, 62, unit * cost, 50, colours[0], colours[1], 6)
        picture.text(left + unit * (start + cost / 2), 84 if "\n" in words else 93, words, 12.5, INK)
    picture.rect(left + unit * 1.5, 130, unit * 4, 50, PRIVATE[0], PRIVATE[1], 6, 1.8, "6 4")
    picture.text(left + unit * 2.72, 161, "two records of the whole table: 4, refused", 13.5, PRIVATE[0], 600)
    picture.path(f"M{left + unit * 4} 52 V192", INK, 2.4)
    picture.text(left + unit * 4 + 10, 66, "the total", 13.5, INK, anchor="start")
    return picture


def main():
    pictures = {
        "data-way.svg": data_way(), "clipped-band.svg": clipped_band(), "which-model.svg": which_model(),
        "schools-shares.svg": schools_shares(), "schools-epsilon.svg": schools_epsilon(),
        "schools-records.svg": twelve("schools-records", "Twelve kinds of pupils, in the schools' data and among 160 records",
                                      ("in the schools' data (private)", "among 160 released records, ε = 2")),
        "sample-of-a-table.svg": twelve("sample-of-a-table", "Twelve kinds of pupils, in the table and in a sample of 100",
                                        ("in the table of 7185 pupils (private)", "among 100 released records, ε = 0.5")),
        "synthetic-table.svg": synthetic_table(), "rows-of-numbers.svg": rows_of_numbers(),
        "hide-a-whole-table.svg": twelve("hide-a-whole-table", "Twelve kinds of pupils, in the table and in the output distribution",
                                         ("in the table (private)", "in the distribution of each record, ε = 4 for two records")),
        "estimate.svg": estimate(), "plan.svg": plan(), "value-way.svg": value_way(), "budget.svg": budget(),
    }
    stale = []
    for name, picture in pictures.items():
        path = FOLDER / name
        if "--check" not in sys.argv[1:]:
            path.write_text(picture.svg(), encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != picture.svg():
            stale.append(name)
    for name in stale:
        print(f"docs/pictures/{name} is not what scripts/draw_pictures.py draws: scripts/make_pages.sh pictures draws it")
    if "--check" in sys.argv[1:]:
        for product in made_from.stale():
            print(f"{product} is older than its data or its script: scripts/make_pages.sh pictures makes it again")
            stale.append(product)
    return 1 if stale else 0


sys.exit(main())
