#!/usr/bin/env python3
"""draw_curves.py FIGURES.json PICTURE.svg  draws how a step, an opening and the master's work grow with the workers, from what
`troupe-cluster-simulation --json FIGURES.json` has written. Both axes are logarithmic; the grey line is what "so much for each worker" would be, from the
smallest cluster on: curves below it are better than linear."""
import json
import math
import sys

WIDTH, HEIGHT, PANEL, GAP, LEFT, TOP = 960, 360, 240, 70, 60, 50
COLOURS = ("#1f5fa8", "#c2571a", "#3d8b37")
# Title, unit, and the curves: name and path in an entry of "growth".
PANELS = (
    ("a step", "ms", 1e-3, (("all of it", "step virtual_us median"), ("links alone", "network_alone_us"), ("master's processor", "step master_cpu_us median"))),
    ("messages at the master", "", 1, (("a step", "step messages median"), ("opening", "open messages"), ("the first step", "first_step messages"))),
    ("opening, and the first step", "ms", 1e-3, (("opening", "open virtual_us"), ("the first step", "first_step virtual_us"),
                                                ("opening: master's processor", "open master_cpu_us"))),
)


def look_up(entry, path):
    for name in path.split():
        entry = entry[name]
    return entry


def text_of(value):
    return f"{value:g}" if 0.001 <= value < 1e6 else f"{value:.0e}"


class Panel:
    def __init__(self, left, title, unit, workers, curves):
        self.left = left
        self.title = f"{title}, {unit}" if unit else title
        self.workers = workers
        self.curves = curves
        values = [v for _, ys in curves for v in ys if v > 0]
        self.low = math.floor(math.log10(min(values)))
        self.high = math.ceil(math.log10(max(values)))
        self.first, self.last = math.log10(workers[0]), math.log10(workers[-1])

    def x(self, workers):
        return self.left + PANEL * (math.log10(workers) - self.first) / max(self.last - self.first, 1e-9)

    def y(self, value):
        part = (math.log10(value) - self.low) / max(self.high - self.low, 1)
        return TOP + PANEL * (1 - min(max(part, 0), 1))

    def line(self, ys, style):
        points = " ".join(f"{self.x(w):.1f},{self.y(v):.1f}" for w, v in zip(self.workers, ys) if v > 0)
        return f'<polyline points="{points}" fill="none" {style}/>'

    def draw(self):
        right, bottom = self.left + PANEL, TOP + PANEL
        out = [f'<text x="{self.left}" y="{TOP - 20}" class="title">{self.title}</text>']
        for power in range(self.low, self.high + 1):
            y = self.y(10.0**power)
            out.append(f'<line x1="{self.left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" class="grid"/>')
            out.append(f'<text x="{self.left - 6}" y="{y + 4:.1f}" class="end">{text_of(10.0**power)}</text>')
        for w in self.workers:
            out.append(f'<line x1="{self.x(w):.1f}" x2="{self.x(w):.1f}" y1="{TOP}" y2="{bottom}" class="grid"/>')
            out.append(f'<text x="{self.x(w):.1f}" y="{bottom + 16}" class="middle">{w}</text>')
        first = self.curves[0][1][0]
        out.append(self.line([first * w / self.workers[0] for w in self.workers], 'stroke="#999" stroke-dasharray="4 3"'))
        for i, (name, ys) in enumerate(self.curves):
            out.append(self.line(ys, f'stroke="{COLOURS[i]}" stroke-width="2"'))
            out += [f'<circle cx="{self.x(w):.1f}" cy="{self.y(v):.1f}" r="3" fill="{COLOURS[i]}"/>' for w, v in zip(self.workers, ys) if v > 0]
            out.append(f'<text x="{self.left + 8}" y="{TOP + 16 + 15 * i}" style="fill:{COLOURS[i]}">{name}</text>')
        return out


def draw(growth):
    workers = [entry["workers"] for entry in growth]
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">',
           "<style>text{font:11px sans-serif;fill:#333} .title{font-size:13px} .end{text-anchor:end} .middle{text-anchor:middle} .grid{stroke:#e4e4e4}</style>",
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>']
    for i, (title, unit, scale, curves) in enumerate(PANELS):
        values = [(name, [scale * look_up(entry, path) for entry in growth]) for name, path in curves]
        out += Panel(LEFT + i * (PANEL + GAP), title, unit, workers, values).draw()
    out.append(f'<text x="{LEFT + 1.5 * PANEL + GAP:.0f}" y="{TOP + PANEL + 40}" class="middle">workers</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        figures = json.load(file)
    growth = [entry for entry in figures.get("growth", []) if "error" not in entry]
    if not growth:
        sys.exit("draw_curves.py: no figures of growth in it")
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(draw(growth))


if __name__ == "__main__":
    main()
