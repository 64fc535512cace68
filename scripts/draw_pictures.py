#!/usr/bin/env python3
"""Draws the diagrams of docs/pictures: the data's way, the clipped band, which method for whom; and, of
docs/pictures/releases.csv (scripts/release_for_pictures.py), the real data next to released records.

usage: draw_pictures.py [--check]    writes them, or fails if those there are not what it draws
"""

import csv
import math
import pathlib
import sys

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
FOLDER = DOCS / "pictures"
SANS = "Inter, 'Segoe UI', 'Helvetica Neue', Helvetica, Arial, sans-serif"
MONO = "'JetBrains Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace"
INK, SOFT, LINE, PALE, PAPER, WHITE = "#1f2933", "#55626e", "#94a0ab", "#e6e9eb", "#fffefb", "#ffffff"
# What is private, public, released: a strong colour and a pale one.
PRIVATE, PUBLIC, RELEASED = ("#b4470b", "#fdeee3"), ("#2255b5", "#e8f0fc"), ("#17733b", "#e4f5ea")
BOTH, THREE = (PRIVATE[0], RELEASED[0]), (PRIVATE[0], PUBLIC[0], RELEASED[0])
# A site's text is wider than a picture, and a phone's is two thirds of it: there the letters still have 9.5 pixels.
WIDE, EDGE, LETTERS = 560, 20, 15

# Widths of DejaVu Sans, the widest of the usual fonts, for a size of 1: fallbacks draw no wider.
NARROW = {"ijlI'|": 0.29, "f .,:;()[]": 0.36, "trJ": 0.41, "scvxyzk": 0.58, "mMW%": 0.95, "w": 0.82}
WIDTHS = {letter: width for letters, width in NARROW.items() for letter in letters}


def width_of(words, size=LETTERS, weight=400, font=None):
    words = words.replace("^", "")
    if font == MONO:
        return 0.61 * size * len(words)
    plain = math.fsum(WIDTHS.get(letter, 0.7 if letter.isupper() else 0.64) for letter in words)
    return plain * size * (1.12 if weight >= 600 else 1)


def wrapped(words, room, *style):
    """The lines of a text that fit into the room, so that no label is clipped."""
    lines = []
    for word in words.split(" "):
        if lines and width_of(f"{lines[-1]} {word}", *style) <= room:
            lines[-1] += f" {word}"
        elif width_of(word, *style) <= room:
            lines.append(word)
        else:
            raise ValueError(f"{word!r} needs {width_of(word, *style):.0f} and has {room:.0f}")
    return lines


class Picture:
    """A card with a background of its own, so that it reads the same on a light and a dark page. It ends below its lowest part."""

    def __init__(self, title):
        self.low = 0
        self.parts = [f"<title>{title}</title>"]

    def add(self, part, low=0):
        self.parts.append(part)
        self.low = max(self.low, low)

    def text(self, x, y, words, size=LETTERS, colour=INK, weight=400, anchor="middle", font=None, room=WIDE):
        """Lines below each other, each within the room and the card; where the next line would be."""
        left, right = x - 6, WIDE - 6 - x
        room = min(room, {"start": right, "middle": 2 * min(left, right), "end": left}[anchor])
        for line in wrapped(words, room, size, weight, font):
            raised = f'e<tspan dy="{-0.36 * size:g}" font-size="{0.75 * size:g}">ε</tspan><tspan dy="{0.36 * size:g}">'
            line = line.replace("e^ε", raised) + "</tspan>" * line.count("e^ε")
            family = f' font-family="{font}"' if font else ""
            self.add(f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{colour}" font-weight="{weight}" '
                     f'text-anchor="{anchor}"{family}>{line}</text>', y + 4)
            y += size * 1.35
        return y

    def rect(self, x, y, width, height, stroke, fill, rx=10, line=1.8, dash="none"):
        self.add(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{rx}" fill="{fill}" '
                 f'stroke="{stroke}" stroke-width="{line}" stroke-dasharray="{dash}"/>', y + height)

    def box(self, x, y, width, height, name, words, colours):
        """A named thing; what it does stands below its name."""
        self.rect(x, y, width, height, *colours)
        lines = len(wrapped(words, width - 12))
        assert 20 * lines + 24 <= height, f"{name} is too low for {lines} lines"
        top = y + height / 2 - 10 * lines + 2
        self.text(x + width / 2, top, name, 17, colours[0], 700, room=width - 8)
        self.text(x + width / 2, top + 22, words, room=width - 12)

    def path(self, commands, stroke, line=2.0, fill="none", dash="none", opacity=1):
        self.add(f'<path d="{commands}" fill="{fill}" stroke="{stroke}" stroke-width="{line}" stroke-dasharray="{dash}" '
                 f'stroke-opacity="{opacity}" stroke-linejoin="round" stroke-linecap="round"/>')

    def dot(self, x, y, radius, fill, stroke="none"):
        self.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="{fill}" stroke="{stroke}" stroke-width="2"/>')

    def arrow(self, points, colour, dash="none"):
        """A line through the points with a head at the last one."""
        (x0, y0), (x1, y1) = points[-2:]
        length = math.hypot(x1 - x0, y1 - y0)
        ux, uy = (x1 - x0) / length, (y1 - y0) / length
        foot = [*points[:-1], (x1 - 8 * ux, y1 - 8 * uy)]
        self.path("M" + " L".join(f"{x:g} {y:g}" for x, y in foot), colour, 2.2, dash=dash)
        self.path(f"M{x1:g} {y1:g} L{x1 - 11 * ux + 5.5 * uy:g} {y1 - 11 * uy - 5.5 * ux:g} "
                  f"L{x1 - 11 * ux - 5.5 * uy:g} {y1 - 11 * uy + 5.5 * ux:g} Z", "none", 0, colour)

    def legend(self, y, *entries):
        """A row for each colour: colour, words, and for a line its width and dashes."""
        for colour, words, *line in entries:
            self.path(f"M{EDGE + 6} {y - 5:g} h20", colour, *(line or [12]))
            y = self.text(EDGE + 40, y, words, anchor="start") + 3
        return y

    def svg(self):
        height = math.ceil(self.low) + EDGE
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {height}" '
                f'width="{WIDE}" height="{height}" role="img" xml:space="preserve" font-family="{SANS}">\n'
                f'<rect x="1" y="1" width="{WIDE - 2}" height="{height - 2}" rx="18" fill="{PAPER}" stroke="#d5dade" stroke-width="2"/>\n'
                + "\n".join(self.parts) + "\n</svg>\n")


def data_way():
    picture = Picture("The data's way: private scores and a public band meet in the kernel")
    high, left, right, wide = 84, 54, 312, 222
    row = [EDGE, 128, 236, 368, 476, 600]
    half = [y + high / 2 for y in row]
    picture.rect(12, 350, WIDE - 24, 228, INK, "#f4f3ee", 14, 2.4)
    public = (("Spec", "domain, reference, ε: all declared in public"), ("Certificate", "what is promised, for anybody to check"),
              ("Ledger", "what it costs, written down before the draw"), ("Band", "integers lo ≤ hi ≤ e^ε lo; no private data go in"))
    private = (("Private records", "a file, memory, or an Arrow stream"), ("Cells", "one for every value there can be"),
               ("Scores", "by any code; they may be wrong"), ("Table", "integers inside the band that sum to 2⁶²"),
               ("Draw", "one random integer"), ("Record", "that anybody may see"))
    for x, boxes, all_colours, apart in ((left, public, [PUBLIC] * 4, 3), (right, private, [PRIVATE] * 4 + [RELEASED] * 2, None)):
        for at, (words, colours) in enumerate(zip(boxes, all_colours)):
            picture.box(x, row[at], wide, high, *words, colours)
            if at and at != apart:
                picture.arrow([(x + wide / 2, row[at - 1] + high), (x + wide / 2, row[at])], all_colours[at - (at == 4)][0])
    gutter = (left + wide + right) / 2
    for points in ([(left + wide, half[0]), (gutter, half[0]), (gutter, 335), (left + wide / 2, 335), (left + wide / 2, row[3])],
                   [(left + wide, half[3]), (right, half[3])],
                   [(left, half[2]), (32, half[2]), (32, half[4]), (right, half[4])]):
        picture.arrow(points, PUBLIC[0])
    picture.text(left, half[4] - 28, "charged: only now is anything drawn", colour=PUBLIC[0], anchor="start", room=wide)
    picture.text(left, half[4] + 24, "PRIVACY KERNEL: all that ε depends on", weight=700, anchor="start", room=wide)
    picture.legend(row[5] + 24, *zip(THREE, ("private", "public", "released")))
    return picture


def clip_into_band(private, lower, upper):
    """The law clip(private/r, lower, upper) on even steps, and private/r; r by bisection."""
    few, many = 1e-6, 1e6
    for _ in range(200):
        r = math.sqrt(few * many)
        law = [min(max(p / r, low), high) for p, low, high in zip(private, lower, upper)]
        few, many = (r, many) if math.fsum(law) > len(law) else (few, r)
    return law, [p / r for p in private]


def clipped_band():
    picture = Picture("The clipped band: two persons' output distributions lie in one public band")
    steps, epsilon = 240, 1.6
    at = [(i + 0.5) / steps for i in range(steps)]

    def density(*bumps):
        values = [math.fsum(w * math.exp(-(((x - m) / s) ** 2) / 2) / s for w, m, s in bumps) for x in at]
        return [value * steps / math.fsum(values) for value in values]

    reference = density((0.75, 0.48, 0.24), (0.75, 0.5, 2.0))
    lower = [math.exp(-epsilon / 2) * h for h in reference]
    upper = [math.exp(epsilon / 2) * h for h in reference]
    people = (("Person A", density((0.62, 0.27, 0.055), (0.38, 0.6, 0.06))),
              ("Person B", density((0.3, 0.5, 0.07), (0.7, 0.79, 0.055))))
    mark = 64  # where A's law is at the upper edge and B's at the lower one
    left, width, scale = 24, WIDE - 48, 50
    x, heights = left + width * at[mark], []
    for base, (name, private) in zip((242, 500), people):
        law, scaled = clip_into_band(private, lower, upper)

        def line(values):
            return " L".join(f"{left + width * x:.1f} {base - scale * v:.1f}" for x, v in zip(at, values))

        picture.path("M" + line(upper) + " L" + " L".join(reversed(line(lower).split(" L"))) + " Z", PUBLIC[0], 1.4, "#dbe7fb")
        points = [p if v < 4.3 else None for p, v in zip(line(scaled).split(" L"), scaled)]
        runs = " ".join(f"L{p}" if before else f"M{p}" for p, before in zip(points, [None, *points]) if p)
        picture.path(runs, PRIVATE[0], 2.2, dash="2 6")
        picture.path("M" + line(law), RELEASED[0], 3.4)
        picture.path(f"M{left} {base} H{left + width}", LINE, 1.5)
        picture.text(left, base - 206, name, 19, INK, 700, "start")
        picture.text(left + width, base + 20, "all records there can be", colour=SOFT, anchor="end")
        heights.append(scale * law[mark])
        picture.path(f"M{x:.1f} {base} V{base - heights[-1]:.1f}", INK, 1.6)
        picture.dot(x, base - heights[-1], 6, RELEASED[0], PAPER)
        picture.text(x, base + 20, "this record" if name == "Person A" else "the same record", weight=600)
    for_a, for_b = (base - height for height in heights)
    strong = {"colour": RELEASED[0], "weight": 700}
    picture.text(x - 46, for_a - 258 + 5, "likely for A", anchor="end", room=60, **strong)
    picture.path(f"M{x:.1f} {for_b:.1f} V{for_a:.1f}", RELEASED[0], 1.6, dash="4 4")
    picture.dot(x, for_a, 6, PAPER, RELEASED[0])
    picture.text(x - 14, for_a - 4, "as for A", colour=RELEASED[0], anchor="end")
    picture.text(x + 12, for_a + 26, "at most e^ε times", anchor="start", room=84, **strong)
    picture.text(x - 14, for_b - 12, "for B", anchor="end", **strong)
    y = picture.legend(556, (PRIVATE[0], "the private data's shape, scaled", 2.6, "none", "2 6"),
                       ("#dbe7fb", "the band: public, its upper edge e^ε times the lower"),
                       (RELEASED[0], "the output distribution", 3.6))
    picture.text(EDGE, y + 12, "Whatever the data, the output distribution is cut at the band's edges. So no record "
                 "is more than e^ε times likelier for one person than for another.", 16, INK, 600, "start")
    return picture


def hidden(picture, x, y, answer):
    """What must stay hidden, in a dashed frame: a person, a table, or one of its rows."""
    high = 24 if "row" in answer else 76
    picture.rect(x - 30, y - high / 2, 60, high, *PRIVATE, 9, 1.8, "5 4")
    if answer.startswith("everything"):
        picture.dot(x, y - 14, 11, PRIVATE[0])
        picture.path(f"M{x - 18:g} {y + 26:g} a18 22 0 0 1 36 0 Z", "none", 0, PRIVATE[0])
        return
    for row in range(5):
        marked = row == 2 or high > 24
        picture.rect(x - 24, y - 31 + row * 13, 48, 9, *((PRIVATE[0], PRIVATE[0]) if marked else (LINE, "#eef1f3")), 3, 1)


def which_model():
    picture = Picture("Which method for whom: by what must stay hidden, and by what you want to publish")
    picture.rect(110, EDGE, 340, 44, INK, "#f4f3ee", 22, 2)
    picture.text(WIDE / 2, EDGE + 29, "What must stay hidden?", 19, INK, 700)
    noisy = "ε, (ε, δ) or ρ"
    answers = (("everything about each person", (("local", "one record for each person", "ε"),)),
               ("the whole table, and any group in it", (("integral", "two or three records", "ε"),
                                                         ("integral-model", "many rows of one model", "ε"))),
               ("each row of a table, or each person in it", (("central", "a small sample of few columns", "ε or (ε, δ)"),
                                                              ("marginals", "a synthetic table of many columns", noisy),
                                                              ("gaussian", "a few rows of numbers; covariance known", noisy),
                                                              ("gaussian-model", "many rows of numbers", noisy))))
    y = 72
    for answer, methods in answers:
        y = picture.text(EDGE, y + 32, answer, 17, INK, 700, "start") - 8
        for name, words, promise in methods:
            shared = name == "marginals" or name.endswith("model")
            picture.rect(EDGE, y, WIDE - 2 * EDGE, 88, LINE, WHITE, 12, 1.4)
            hidden(picture, 62, y + 44, answer)
            picture.text(104, y + 27, name, 17, INK, 700, "start", MONO)
            picture.text(WIDE - EDGE - 12, y + 27, promise, 15, PUBLIC[0], 600, "end")
            picture.text(104, y + 51, words, anchor="start")
            picture.text(104, y + 74, "more rows are free, all share one error" if shared else "each record costs, all are independent",
                         colour=RELEASED[0] if shared else SOFT, anchor="start")
            y += 96
    return picture


def released(name):
    """The rows of one picture in releases.csv."""
    with (FOLDER / "releases.csv").open(encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["picture"] == name]


def by_label(name, *series):
    """Each label's shares in one picture, one of each series."""
    shares = {}
    for row in released(name):
        shares.setdefault(row["label"], {})[row["series"]] = float(row["x"])
    return {label: [of[name] for name in series] for label, of in shares.items()}


def bars(picture, y, shares, colours, step):
    """For each label a bar of each colour, above an axis of percents; where they end."""
    left = EDGE + 12 + max(width_of(label) for label in shares)
    most = step * math.ceil(100 * max(map(max, shares.values())) / step)
    high = 11 * len(colours) + 8

    def place(percent):
        return left + (WIDE - left - EDGE - 16) * percent / most

    for percent in range(0, most + 1, step):
        picture.path(f"M{place(percent):.1f} {y - 4} V{y + high * len(shares) - 4}", LINE if percent == 0 else PALE, 1.5)
        picture.text(place(percent), y + high * len(shares) + 14, f"{percent} %", colour=SOFT)
    for label, each in shares.items():
        picture.text(left - 10, y + high / 2 + 1, label, anchor="end")
        for row, (colour, share) in enumerate(zip(colours, each)):
            picture.rect(left, y + row * 11, max(place(100 * share) - left, 1), 10, colour, colour, 2, 0)
        y += high
    return y + 30


def schools_shares():
    picture = Picture("Three columns of the schools' data, and of 160 released records")
    y = picture.legend(40, (PRIVATE[0], "in the schools' data (private)"), (RELEASED[0], "among 160 released records, ε = 2 for each school"))
    kinds = by_label("schools-records", "real", "released").items()
    words = ("female", "male", "majority", "minority", "math: low", "math: middle", "math: high")
    y = bars(picture, y + 6, {word: [math.fsum(each) for each in zip(*(both for label, both in kinds if word.split(": ")[-1] in label.split(", ")))]
                              for word in words}, BOTH, 20)
    picture.text(EDGE, y + 10, "All records together resemble the schools; rare kinds are too frequent. ε = 2 limits what a "
                 "school's record reveals about it.", colour=SOFT, anchor="start")
    return picture


def twelve(name, title, *words):
    picture = Picture(title)
    y = bars(picture, picture.legend(40, *zip(BOTH, words)) + 6, by_label(name, "real", "released"), BOTH, 5)
    picture.text(EDGE, y + 10, "Kinds of pupils: sex, group, and the lower, middle or upper third of the math scale.", colour=SOFT, anchor="start")
    return picture


def schools_epsilon():
    picture = Picture("The same records at three epsilons")
    colours = PRIVATE[0], "#9ccfae", "#4f9c6c", RELEASED[0]
    epsilons = ("0.5", "2", "8")
    y = picture.legend(40, *zip(colours, ("in the schools' data (private)", *(f"among released records, ε = {e}" for e in epsilons))))
    bars(picture, y + 6, by_label("schools-epsilon", "real", *epsilons), colours, 20)
    return picture


def scatter(name, title, words, x_axis, y_axis):
    """Two panels of points; an axis is its name, its ends and its ticks, each with its word."""
    picture = Picture(title)
    found = released(name)
    margin = 44 + max(width_of(str(word)) for word in y_axis[2].values())
    wide = (WIDE - margin - EDGE - 16) / 2
    top, high = 64, 270

    def place(value, axis, length):
        low, high_end = axis[1]
        return length * (min(max(value, low), high_end) - low) / (high_end - low)

    for at, (series, colours, heading) in enumerate(zip(("real", "released"), (PRIVATE, RELEASED), words)):
        left = margin + at * (wide + 16)
        picture.text(left, 34, heading, LETTERS, colours[0], 700, "start", room=wide)
        picture.rect(left, top, wide, high, LINE, WHITE, 4, 1.2)
        for value, word in x_axis[2].items():
            picture.text(left + place(value, x_axis, wide), top + high + 20, str(word), colour=SOFT)
        dots = " ".join(f"M{left + place(float(row['x']), x_axis, wide):.1f} "
                        f"{top + high - place(float(row['y']), y_axis, high):.1f}h0" for row in found if row["series"] == series)
        picture.path(dots, colours[0], 4 if len(found) > 500 else 6, opacity=0.7)
    for value, word in y_axis[2].items():
        picture.text(margin - 8, top + high - place(value, y_axis, high) + 5, str(word), colour=SOFT, anchor="end")
    picture.text(margin + wide + 8, top + high + 46, x_axis[0])
    x, y = EDGE + 6, top + high / 2
    picture.add(f'<text x="{x}" y="{y:g}" font-size="{LETTERS}" fill="{INK}" text-anchor="middle" '
                f'transform="rotate(-90 {x} {y:g})">{y_axis[0]}</text>')
    return picture


SES = "ses, the family's status", (-4, 3), {value: value for value in (-2, 0, 2)}
MATH = "math score", (-3, 25), {value: value for value in range(0, 26, 5)}
DOLLARS = (-0.5, 4.5), {0: "1", 2: "100", 4: "10 000"}


def estimate():
    picture = Picture("Shares of schools: real, and estimated from 160 reports")
    y = picture.legend(40, (PRIVATE[0], "real share (private)"),
                       (RELEASED[0], "its estimate and interval, ε = 3 for each school", 4)) + 12
    found = by_label("estimate", "real", "estimate", "lower", "upper")
    left, wide = 130, WIDE - 130 - EDGE - 16
    for share in range(0, 101, 20):
        x = left + wide * share / 100
        picture.path(f"M{x:g} {y - 14} V{y + 34 * len(found) - 16}", PALE, 1)
        picture.text(x, y + 34 * len(found) + 4, f"{share} %", colour=SOFT)
    for label, (real, middle, lower, upper) in found.items():
        picture.text(left - 14, y + 5, label, anchor="end")
        picture.path(f"M{left + wide * lower:.1f} {y} H{left + wide * upper:.1f} M{left + wide * middle:.1f} {y - 8} v16", RELEASED[0], 4)
        picture.dot(left + wide * real, y, 7, PRIVATE[0], PAPER)
        y += 34
    return picture


def plan():
    picture = Picture("The error that plan predicts, against epsilon")
    left, top, wide, high = 96, 56, WIDE - 96 - 36, 270
    lines = {}
    for row in released("plan"):
        lines.setdefault(row["label"], []).append((float(row["x"]), float(row["y"])))

    def place(epsilon, error):
        return left + wide * math.log2(epsilon / 0.25) / 5, top + high * -math.log10(error) / 4

    for power, word in enumerate(("1", "0.1", "0.01", "0.001", "≤ 0.0001")):
        y = place(1, 10 ** -power)[1]
        picture.path(f"M{left} {y:g} H{left + wide}", PALE, 1)
        picture.text(left - 10, y + 5, word, colour=SOFT, anchor="end")
    for epsilon in (0.25, 0.5, 1, 2, 4, 8):
        picture.text(place(epsilon, 1)[0], top + high + 22, f"{epsilon:g}", colour=SOFT)
    picture.text(left + wide / 2, top + high + 46, "ε", 17, INK, 600)
    picture.text(EDGE, top - 22, "error: records that differ, of 1", anchor="start")
    colours = PRIVATE[0], LINE, PUBLIC[0], RELEASED[0]
    for colour, points in zip(colours, lines.values()):
        at = [place(*point) for point in points]
        picture.path("M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in at), colour, 3)
        for x, y in at:
            picture.dot(x, y, 4.5, colour)
    y = picture.legend(top + high + 76, *((colour, label, 4) for colour, label in zip(colours, lines)))
    picture.text(EDGE, y + 10, "The survey's 12 possible records. More rows, or a larger ε, lower the error.", colour=SOFT, anchor="start")
    return picture


def way(title, heads, steps, dashed=()):
    """A row of boxes for each step, from left to right: a word and its colours. Heads name the columns."""
    picture = Picture(title)
    columns = list(zip(*steps))
    wide = [max(width_of(word, font=MONO) for word, _ in column) + 14 for column in columns]
    gap = (WIDE - 2 * EDGE - math.fsum(wide)) / (len(wide) - 1)
    assert gap >= 18, f"{title}: there is no room for arrows, but {gap:.0f}"
    x, top = EDGE, 36 + 20 * max(len(wrapped(head, width + 16, LETTERS, 700)) for head, width in zip(heads, wide))
    for at, (head, width, column) in enumerate(zip(heads, wide, columns)):
        picture.text(x + width / 2, 40, head, LETTERS, INK, 700, room=width + 16)
        for row, (word, colours) in enumerate(column):
            y = top + row * 52
            picture.rect(x, y, width, 40, *colours)
            picture.text(x + width / 2, y + 26, word, font=MONO)
            if at:
                picture.arrow([(x - gap + 2, y + 20), (x - 2, y + 20)], colours[0], "5 4" if at in dashed else "none")
        x += width + gap
    return picture


def value_way():
    steps = (("math: 19.708", "15.7 to 25", "22.4"), ("math: 31", "15.7 to 25, by outside: clip", "17.9"),
             ("math: (empty)", "-3 to 6.3, by null: -3", "1.2"), ("sex: femal", "female, by outside: clip", "female"))
    return way("From a value in the file to a released value", ("in your file (private)", "cell of the domain (public)", "may be released"),
               [list(zip(step, (PRIVATE, PUBLIC, RELEASED))) for step in steps], dashed=[2])


def calls():
    public, table, release = ("domain, ε", PUBLIC), ("your table", PRIVATE), ("release", RELEASED)
    call = (INK, "#f4f3ee")
    steps = ((public, "plan()", "expected error", PUBLIC), (table, "check(data)", "misfit values", PRIVATE),
             (table, "compare(data)", "how close it is", PRIVATE), (table, "sample(data)", "release", RELEASED),
             (release, "mo.verify(…)", "holds or not", RELEASED), (release, "mo.estimate(…)", "shares, means", RELEASED))
    picture = way("What each call opens, and who may see what it gives", ("opens", "call", "gives you"),
                  [(opened, (name, call), (given, colours)) for opened, name, given, colours in steps])
    picture.legend(picture.low + 32, *zip(THREE, ("private: for you alone", "public before the release", "released: anybody may see it")))
    return picture


def spark_way():
    picture = Picture("Who draws on Spark: workers by one key, or the driver from the sum of their counts")
    for top, heading, driver, worker, up in (
            (EDGE, "local with a unit: each worker draws", "certificate, ledger, release key", "a unit's rows and the key make its record", False),
            (304, "other methods: workers count, the driver draws", "certificate, ledger, and all draws", "rows become counts or sums", True)):
        picture.text(EDGE, top + 20, heading, 17, INK, 700, "start")
        picture.box(130, top + 40, 300, 66, "driver", driver, RELEASED if up else PUBLIC)
        for at in range(3):
            x = EDGE + at * 178
            picture.box(x, top + 150, 164, 104, f"worker {at + 1}", worker, PRIVATE if up else RELEASED)
            ends = [(160 + at * 120, top + 106), (x + 82, top + 150)]
            picture.arrow(ends[::-1] if up else ends, PRIVATE[0])
    return picture


def budget():
    picture = Picture("A total of 4, and what three releases cost")
    x, unit, total = EDGE + 4, 92, EDGE + 4 + 4 * 92
    picture.text(x, 42, "total declared for the schools' table: ε = 4", 16, INK, 600, "start")
    for row, (cost, words) in enumerate(((0.5, "a course: 0.5"), (1, "a synthetic table: 1"))):
        picture.rect(x, 62 + 48 * row, unit * cost, 36, *PUBLIC, 6)
        x += unit * cost
        picture.text(x + 10, 85 + 48 * row, words, LETTERS, PUBLIC[0], 600, "start")
    picture.rect(x, 158, unit * 4, 36, *PRIVATE, 6, 1.8, "6 4")
    picture.text(x, 216, "two records of the whole table: 4, refused", LETTERS, PRIVATE[0], 600, "start")
    picture.path(f"M{total} 58 V198", INK, 2.4)
    picture.text(total + 10, 85, "the total", anchor="start")
    return picture


def ask_every_day():
    """Thirty days of one device, or of three that answer by turns: a draw costs, a repeat does not."""
    picture = Picture("Thirty days, asked in three ways: which days draw a new answer, and what they cost")
    days, wide = 30, 17
    ways = (("anew each day: 30 draws", "ε of a draw × 30", [range(days)], True),
            ("anew each week, kept between: 5 draws", "× 5", [range(0, days, 7)], True),
            ("by turns, three of the devices: 1 draw each", "× 1", [[4], [17], [26]], False))
    y = 38
    for words, cost, devices, keeps in ways:
        picture.text(EDGE + 4, y, words, 16, INK, 600, "start")
        picture.text(WIDE - EDGE - 4, y, cost, 16, PRIVATE[0], 600, "end")
        for draws in devices:
            for day in range(days):
                colours = (PRIVATE[0], PRIVATE[0]) if day in draws else RELEASED if keeps else (LINE, PALE)
                picture.rect(EDGE + 5 + wide * day, y + 12, wide - 3, 20, *colours, 3, 1)
            y += 26
        y += 42
    picture.legend(y - 8, (PRIVATE[0], "a new draw, which costs ε"), (RELEASED[0], "the last answer again: free"),
                   (PALE, "nothing sent"))
    return picture


def main():
    drawn = "among 160 released records, ε = 2"
    pictures = {
        "data-way": data_way(), "clipped-band": clipped_band(), "which-model": which_model(),
        "schools-shares": schools_shares(), "schools-epsilon": schools_epsilon(),
        "schools-records": twelve("schools-records", "Twelve kinds of pupils, in the schools' data and among 160 records",
                                  "in the schools' data (private)", drawn),
        "sample-of-a-table": twelve("sample-of-a-table", "Twelve kinds of pupils, in the table and in a sample of 100",
                                    "in the table of 7185 pupils (private)", "among 100 released records, ε = 0.5"),
        "hide-a-whole-table": twelve("hide-a-whole-table", "Twelve kinds of pupils, in the table and in the output distribution",
                                     "in the table (private)", "in the distribution of each record, ε = 4 for two records"),
        "synthetic-table": scatter("synthetic-table", "Real pupils, and rows of a synthetic table",
                                   ("700 real pupils (private)", "700 rows of a synthetic table, ε = 1"), SES, MATH),
        "one-of-each": scatter("one-of-each", "One real pupil of each school, and the released record of each",
                               ("a real pupil of each school (private)", "the released record of each, ε = 4"), SES, MATH),
        "rows-of-numbers": scatter("rows-of-numbers", "Real expenses of two years, and rows of one Gaussian model",
                                   ("700 real persons (private)", "700 rows of gaussian-model, ε = 1"),
                                   ("expenses in year 1, dollars", *DOLLARS), ("expenses in year 2, dollars", *DOLLARS)),
        "estimate": estimate(), "plan": plan(), "value-way": value_way(), "budget": budget(), "calls": calls(),
        "spark-way": spark_way(), "ask-every-day": ask_every_day(),
    }
    texts = {FOLDER / f"{name}.svg": picture.svg() for name, picture in pictures.items()}
    if "--check" not in sys.argv[1:]:
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")
        return 0
    stale = [f"docs/pictures/{path.name} is not what scripts/draw_pictures.py draws" for path, text in texts.items()
             if not path.is_file() or path.read_text(encoding="utf-8") != text]
    for words in stale:
        print(f"{words}: scripts/make_pages.sh pictures makes it again")
    return 1 if stale else 0


sys.exit(main())
