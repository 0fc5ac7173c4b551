"""A picture of ratios: for each row a bar of each series, from the line at 1, on an axis of powers of two."""
import html
import math

# Pixels.
_MARGIN, _BAR, _GAP, _PLOT = 24, 13, 10, 560
_TEXT, _TITLE = 12, 16
# A letter's width by its font's size, at most.
_LETTER = 0.58
_COLOURS = ["#d9730d", "#2f6fb0", "#3f8f5f", "#8a5fb0"]
_STYLE = """
  text { font-family: system-ui, "DejaVu Sans", Arial, sans-serif; font-size: 12px; fill: #1c2430 }
  .title { font-size: 16px; font-weight: 700 } .note { fill: #4c5866 }
  .grid { stroke: #dde3ea; stroke-width: 1 } .one { stroke: #1c2430; stroke-width: 1.5 }
"""


def axis(values):
    """The least and the greatest power of two that the axis shows: all values lie between them, and room for their numbers is left."""
    logs = [math.log2(value) for value in values]
    return math.floor(min(logs + [0]) - 0.4), math.ceil(max(logs + [0]) + 0.4)


def _number(power):
    return str(2**power) if power >= 0 else f"1/{2**-power}"


def draw(title, label, series, rows):
    """The text of an SVG. series: names; rows: (name, ratios), a ratio or None for each of the series."""
    low, high = axis([ratio for _, ratios in rows for ratio in ratios if ratio is not None])
    names = max([len(name) for name, _ in rows] + [0]) * _TEXT * _LETTER
    left, top = _MARGIN + names + 10, _MARGIN + _TITLE + 2 * _TEXT + 24
    tall = len(series) * _BAR + _GAP
    bottom = top + len(rows) * tall + _GAP
    legend = sum(len(name) * _TEXT * _LETTER + 32 for name in series)
    wide = max(left + _PLOT, _MARGIN + max(len(title) * _TITLE * _LETTER * 1.1, legend)) + _MARGIN
    high_pixels = bottom + 2 * _TEXT + 20 + _MARGIN

    def x_of(log):
        return left + (log - low) / (high - low) * _PLOT

    out = [f'<text x="{_MARGIN}" y="{_MARGIN + _TITLE - 3}" class="title">{html.escape(title)}</text>']
    at = _MARGIN
    for name, colour in zip(series, _COLOURS, strict=False):
        y = _MARGIN + _TITLE + 12
        out += [f'<rect x="{at:g}" y="{y}" width="12" height="12" fill="{colour}"/>',
                f'<text x="{at + 18:g}" y="{y + 10}">{html.escape(name)}</text>']
        at += len(name) * _TEXT * _LETTER + 32
    for power in range(low, high + 1):
        x = x_of(power)
        out += [f'<path d="M{x:g} {top}V{bottom:g}" class="{"one" if power == 0 else "grid"}"/>',
                f'<text x="{x:g}" y="{bottom + _TEXT + 4:g}" text-anchor="middle">{_number(power)}</text>']
    for number, (name, ratios) in enumerate(rows):
        y = top + _GAP + number * tall
        out.append(f'<text x="{left - 8:g}" y="{y + (tall - _GAP) / 2 + 4:g}" text-anchor="end">{html.escape(name)}</text>')
        for place, ratio in enumerate(ratios):
            if ratio is None:
                continue
            begin, end = sorted([x_of(0), x_of(math.log2(ratio))])
            bar, right = y + place * _BAR, ratio >= 1
            out += [f'<rect x="{begin:g}" y="{bar:g}" width="{max(end - begin, 1):g}" height="{_BAR - 1}" fill="{_COLOURS[place % len(_COLOURS)]}"/>',
                    f'<text x="{end + 4 if right else begin - 4:g}" y="{bar + _BAR - 3:g}" text-anchor="{"start" if right else "end"}">{ratio:.2f}</text>']
    out.append(f'<text x="{left + _PLOT / 2:g}" y="{bottom + 2 * _TEXT + 14:g}" text-anchor="middle" class="note">{html.escape(label)}</text>')
    body = "\n".join(out)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {high_pixels:g}" width="{wide:g}" height="{high_pixels:g}" role="img">
<title>{html.escape(title)}</title>
<style>{_STYLE}</style>
<rect width="{wide:g}" height="{high_pixels:g}" fill="#ffffff"/>
{body}
</svg>
"""
