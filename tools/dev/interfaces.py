"""What actors/interfaces.h says, for the scripts that compare something with it."""
import pathlib
import re
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]
INTERFACE = re.compile(r"/// ([A-Z ]+): (.*?)\nusing \w+ = caf::typed_actor<(.*?)>;\n", re.S)
ALL_INTERNAL = "All handlers are INTERNAL"
PART = re.compile(r"//(?P<comment>[^\n]*)|caf::(?:reacts_to<(?P<told>\w+)>|replies_to<(?P<asked>\w+)>)")


@dataclass
class Actor:
    """One alias of the header: `what` it is in the first words of its comment, and the messages that it takes."""
    what: str
    messages: list
    # Those that only actors of the library send.
    internal: set


def read_interfaces():
    """By name: "SESSION". A comment of a handler counts for those that follow it, until the next."""
    actors = {}
    for name, comment, body in INTERFACE.findall((ROOT / "actors/interfaces.h").read_text()):
        actor = Actor(re.split(r"[;.,]", " ".join(comment.replace("///", " ").split()))[0], [], set())
        internal = ALL_INTERNAL in comment
        for part in PART.finditer(body):
            if part["comment"] is not None:
                internal = ALL_INTERNAL in comment or part["comment"].strip().startswith("INTERNAL")
                continue
            message = part["told"] or part["asked"]
            actor.messages.append(message)
            if internal:
                actor.internal.add(message)
        actors[name] = actor
    return actors
