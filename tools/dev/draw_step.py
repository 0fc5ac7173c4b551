#!/usr/bin/env python3
"""Draws actors/step_actors.svg, the actors of a step and their messages; with --check fails when the file is not what would be drawn.

Who is there and what each takes is read from actors/interfaces.h, who sends what is said in ARROWS below. It fails when an arrow has a
message that its receiver does not take or that its sender's sources do not name, when an actor of a step takes one that is neither drawn
nor in NOT_DRAWN, and when texts overlap."""
import html
import re
import sys

from interfaces import ROOT, read_interfaces

PICTURE = ROOT / "actors/step_actors.svg"
CLIENT = "CLIENT"

# Column and row of each.
PLACES = {
    CLIENT: (0, 0), "SESSION": (1, 0), "PARTIAL RUN": (2, 0),
    "RUNTIME": (0, 1), "STEP": (1, 1), "RENDEZVOUS": (2, 1),
    "DEVICE": (0, 2), "EXECUTOR": (1, 2),
}
# What is not asked, told or stopped by a run itself.
NOT_DRAWN = {"JoinDevice", "LeaveDevice", "CopyExecutor", "CopyRendezvous"}
OF_A_STEP = ["STEP", "EXECUTOR", "RENDEZVOUS", "DEVICE"]
# Sender, receiver, messages; those of a cancel have a mark.
ARROWS = [
    (CLIENT, "SESSION", ["RunRequest", "BeginRun", "InspectRequest", "!CancelRequest"]),
    (CLIENT, "RUNTIME", ["OpenSession", "RuntimeStatusRequest"]),
    ("SESSION", CLIENT, ["RunReply", "RunFinished", "StepEvent"]),
    ("SESSION", "STEP", ["RunStep", "InspectStep", "!CancelStep"]),
    ("SESSION", "PARTIAL RUN", ["StartPartialRun", "PartialRunTurn", "InspectTurns", "!CancelPartialRun"]),
    ("PARTIAL RUN", "STEP", ["RunStep", "!CancelStep"]),
    ("PARTIAL RUN", "RENDEZVOUS", ["RendezvousSend", "RendezvousRecv"]),
    ("RUNTIME", "DEVICE", ["DeviceStatusRequest"]),
    ("STEP", "RENDEZVOUS", ["RendezvousBegin", "!RendezvousAbort"]),
    ("STEP", "EXECUTOR", ["StartExecutor", "InspectExecutor", "!AbortExecutor"]),
    ("STEP", "DEVICE", ["!DropKernels"]),
    ("EXECUTOR", "STEP", ["ExecutorDone"]),
    ("EXECUTOR", "RENDEZVOUS", ["RendezvousSend", "RendezvousRecv", "RendezvousBatch"]),
    ("EXECUTOR", "DEVICE", ["LaunchKernels"]),
    ("DEVICE", "EXECUTOR", ["DrainKernels", "DeviceDone"]),
]
SPAWNS = ("RUNTIME", "SESSION")
LEGEND_AT = (2, 2)
LEGEND = [
    ("message cancel", "what a cancel sends"),
    ("note", "dashed: spawns"),
    ("note", "A thread in Session::run begins its step itself,"),
    ("note", "one of a single partition by StartExecutor."),
    ("note", "DrainKernels: from threads that the DEVICE feeds,"),
    ("note", "DeviceDone: from the thread that hears of a GPU"),
]
# Where the messages of each are sent.
SOURCES = {
    "SESSION": ["session_base.cc", "session_actor.cc", "message_runs.cc", "step_lease.cc", "step_slot.h", "inspections.cc", "partial_runs.cc"],
    "PARTIAL RUN": ["partial_run_actor.cc", "step_slot.h"],
    "RUNTIME": ["runtime_actor.cc"],
    "STEP": ["step_actor.cc", "step_slot.cc", "step_slot.h"],
    "EXECUTOR": ["executor_actor.cc", "rendezvous_actor.cc", "step_slot.h"],
    "DEVICE": ["step_slot.h", "executor_actor.cc"],
}

# Pixels.
MARGIN, BOX, GAP = 44, (290, 84), (180, 120)
NAME_SIZE, TEXT_SIZE = 15, 12
LINE = 16
# A letter's width by its font's size, at most: monospace for messages, sans-serif otherwise.
MONO, SANS = 0.61, 0.56
STYLE = """
  .card { fill: #ffffff } .box { fill: #f3f6fa; stroke: #5b6b7f; stroke-width: 1.5 }
  .client { fill: #ffffff; stroke: #5b6b7f; stroke-width: 1.5; stroke-dasharray: 5 4 }
  text { font-family: system-ui, "DejaVu Sans", Arial, sans-serif; fill: #1c2430 }
  .name { font-weight: 700 } .note { fill: #4c5866 }
  .message { font-family: ui-monospace, "DejaVu Sans Mono", monospace; fill: #1d4f91 } .cancel { fill: #b3261e }
  .arrow { stroke: #5b6b7f; stroke-width: 1.5; fill: none; marker-end: url(#head) } .spawns { stroke-dasharray: 5 4 }
  #head path { fill: #5b6b7f }
  @media (prefers-color-scheme: dark) {
    .card { fill: #12171e } .box { fill: #1d2530; stroke: #93a1b3 } .client { fill: #12171e; stroke: #93a1b3 }
    text { fill: #e6ebf1 } .note { fill: #aab6c3 } .message { fill: #8fc1ff } .cancel { fill: #ff9d94 }
    .arrow { stroke: #93a1b3 } #head path { fill: #93a1b3 }
  }
"""


class Wrong(Exception):
    """Why there is no picture."""


def all_actors():
    actors = read_interfaces()
    missing = PLACES.keys() - actors.keys() - {CLIENT}
    if missing:
        raise Wrong(f"actors/interfaces.h has no {', '.join(sorted(missing))}")
    return actors


def check_arrows(actors):
    """That what is drawn is so, and that what a step's actors take is drawn."""
    client_takes = " ".join(p.read_text() for p in (ROOT / "actors/messages").glob("*.h"))
    for sender, receiver, messages in ARROWS:
        for message in [m.lstrip("!") for m in messages]:
            if receiver == CLIENT:
                known = re.search(rf"\bstruct {message}\b|reacts_to<{message}>", client_takes)
            else:
                known = message in actors[receiver].messages
            if not known:
                raise Wrong(f"{receiver} takes no {message}")
            if sender == CLIENT:
                continue
            sources = " ".join((ROOT / "actors" / name).read_text() for name in SOURCES[sender])
            if not re.search(rf"\b{message}\b", sources):
                raise Wrong(f"{sender} sends no {message}: its sources do not name it")
    for actor in OF_A_STEP:
        drawn = {m.lstrip("!") for _, receiver, messages in ARROWS for m in messages if receiver == actor}
        left = set(actors[actor].messages) - drawn - NOT_DRAWN
        if left:
            raise Wrong(f"{actor} takes {', '.join(sorted(left))}, of which tools/dev/draw_step.py says nothing")


def corner(actor):
    return cell(*PLACES[actor])


def cell(column, row):
    return MARGIN + column * (BOX[0] + GAP[0]), MARGIN + row * (BOX[1] + GAP[1])


class Canvas:
    """What is drawn, and where texts and boxes are, so that none lies on another."""

    def __init__(self):
        self.lines, self.texts, self.boxes = [], [], []

    def text(self, x, y, text, kind, size=TEXT_SIZE, anchor="middle"):
        """Its baseline begins, ends or is centred at (x, y)."""
        wide = len(text) * size * (MONO if "message" in kind else SANS) * (1.08 if kind == "name" else 1)
        left = x - {"start": 0, "middle": wide / 2, "end": wide}[anchor]
        self.texts.append((left, y - size * 0.8, left + wide, y + size * 0.25, text))
        self.lines.append(f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" class="{kind}">{html.escape(text)}</text>')

    def box(self, x, y, kind):
        self.boxes.append((x, y, x + BOX[0], y + BOX[1]))
        self.lines.append(f'<rect x="{x}" y="{y}" width="{BOX[0]}" height="{BOX[1]}" rx="8" class="{kind}"/>')

    def arrow(self, x1, y1, x2, y2, kind="arrow"):
        self.lines.append(f'<path d="M{x1:g} {y1:g}L{x2:g} {y2:g}" class="{kind}"/>')

    def messages(self, x, y, messages, anchor):
        for i, m in enumerate(messages):
            self.text(x, y + i * LINE, m.lstrip("!"), "message cancel" if m.startswith("!") else "message", anchor=anchor)

    def check(self, size):
        for i, (left, top, right, bottom, text) in enumerate(self.texts):
            if left < 0 or top < 0 or right > size[0] or bottom > size[1]:
                raise Wrong(f"'{text}' is not on the picture")
            for other in self.texts[:i]:
                if left < other[2] and other[0] < right and top < other[3] and other[1] < bottom:
                    raise Wrong(f"'{text}' lies on '{other[4]}'")
            for box in self.boxes:
                apart = right <= box[0] or box[2] <= left or bottom <= box[1] or box[3] <= top
                inside = box[0] <= left and right <= box[2] and box[1] <= top and bottom <= box[3]
                if not apart and not inside:
                    raise Wrong(f"'{text}' crosses the edge of a box")


def draw_actor(canvas, actor, what, takes):
    x, y = corner(actor)
    canvas.box(x, y, "client" if actor == CLIENT else "box")
    middle = x + BOX[0] / 2
    canvas.text(middle, y + 26, actor, "name", NAME_SIZE)
    canvas.text(middle, y + 48, what, "note")
    canvas.text(middle, y + 66, takes, "note")


def draw_arrow(canvas, sender, receiver, messages):
    """Beside the line, never on it; two that go between the same two lie apart."""
    (x1, y1), (x2, y2) = corner(sender), corner(receiver)
    back = any((s, r) == (receiver, sender) for s, r, _ in ARROWS)
    height = (len(messages) - 1) * LINE
    if y1 == y2:
        right = x2 > x1
        start, end = (x1 + BOX[0], x2) if right else (x1, x2 + BOX[0])
        y = y1 + BOX[1] / 2 + (0 if not back else -8 if right else 8)
        canvas.arrow(start, y, end, y)
        canvas.messages((start + end) / 2, y + 20 if back and not right else y - 8 - height, messages, "middle")
    elif x1 == x2:
        down = y2 > y1
        start, end = (y1 + BOX[1], y2) if down else (y1, y2 + BOX[1])
        x = x1 + BOX[0] / 2 + (0 if not back else -16 if down else 16)
        canvas.arrow(x, start, x, end)
        side = -8 if back and down else 8
        canvas.messages(x + side, (start + end - height) / 2 + 4, messages, "end" if side < 0 else "start")
    else:
        draw_slanted(canvas, (x1, y1), (x2, y2), messages)


def draw_slanted(canvas, start, end, messages, kind="arrow"):
    """From corner to corner, through the gap between four boxes; the text below the middle of the line."""
    (x1, y1), (x2, y2) = start, end
    from_x, to_x = (x1 + BOX[0] - 20, x2 + 20) if x2 > x1 else (x1 + 20, x2 + BOX[0] - 20)
    from_y, to_y = (y1 + BOX[1], y2) if y2 > y1 else (y1, y2 + BOX[1])
    canvas.arrow(from_x, from_y, to_x, to_y, kind)
    height = (len(messages) - 1) * LINE
    falls = (to_x - from_x) * (to_y - from_y) > 0
    middle = (from_x + to_x) / 2
    canvas.messages(middle + (12 if falls else -12), (from_y + to_y - height) / 2 + (-12 if falls else -12),
                    messages, "start" if falls else "end")


def draw(actors):
    canvas = Canvas()
    size = (2 * MARGIN + 3 * BOX[0] + 2 * GAP[0], 2 * MARGIN + 3 * BOX[1] + 2 * GAP[1])
    draw_actor(canvas, CLIENT, "an actor, or a thread in Session::run", "of the application's")
    for name, actor in actors.items():
        draw_actor(canvas, name, actor.what, f"takes {len(actor.messages)} messages")
    for sender, receiver, messages in ARROWS:
        draw_arrow(canvas, sender, receiver, messages)
    draw_slanted(canvas, corner(SPAWNS[0]), corner(SPAWNS[1]), [], "arrow spawns")
    x, y = cell(*LEGEND_AT)
    for i, (kind, text) in enumerate(LEGEND):
        canvas.text(x - GAP[0] / 2, y + 8 + i * LINE, text, kind, anchor="start")
    canvas.check(size)
    body = "\n".join(canvas.lines)
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" role="img">
<title>The actors of a step, and the messages between them</title>
<!-- Written by tools/dev/draw_step.py, from actors/interfaces.h. -->
<style>{STYLE}</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>
<rect width="{size[0]}" height="{size[1]}" rx="12" class="card"/>
{body}
</svg>
"""


def main():
    try:
        actors = all_actors()
        check_arrows(actors)
        picture = draw(actors)
    except Wrong as why:
        print(f"picture: FAILED: {why}")
        return 1
    if "--check" not in sys.argv[1:]:
        PICTURE.write_text(picture)
    elif not PICTURE.is_file() or PICTURE.read_text() != picture:
        print(f"{PICTURE.relative_to(ROOT)} is not what tools/dev/draw_step.py draws: run it")
        return 1
    print("picture: OK")
    return 0


if __name__ == "__main__":
    sys.exit(main())
