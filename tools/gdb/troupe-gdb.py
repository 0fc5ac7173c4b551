"""What Troupe is doing in a live process or a core: for gdb.

    (gdb) source troupe-gdb.py
    (gdb) troupe sessions             every session, and how many steps run in it
    (gdb) troupe steps                every running step
    (gdb) troupe frontier [STEP]      the nodes of running steps that are not done, and what they wait for

It reads memory and calls nothing, so that it works on cores, and on processes that hold locks.
"""
import gdb

# Of RunLife.
STATE_BITS = 3
MOST_NODES = 20
CONTROL_SLOT = -1


# --- what the standard library looks like inside ---

def vector(value):
    start, end = value["_M_impl"]["_M_start"], value["_M_impl"]["_M_finish"]
    return [(start + i).dereference() for i in range(int(end - start))]


def linked(value):
    """The elements of a std::list."""
    kind = value.type.strip_typedefs().template_argument(0)
    head = value["_M_impl"]["_M_node"]
    node = head["_M_next"]
    while int(node) != int(head.address):
        yield (node + 1).cast(kind.pointer()).dereference()
        node = node["_M_next"]


def text(value):
    size = int(value["_M_string_length"])
    return value["_M_dataplus"]["_M_p"].string(length=size, errors="replace") if size else ""


def unique(value):
    """The pointer in a std::unique_ptr, which it is as large as."""
    kind = value.type.strip_typedefs().template_argument(0)
    return value.address.cast(kind.pointer().pointer()).dereference()


def shared(value):
    """The pointer in a std::shared_ptr or std::weak_ptr; None when what it points to is gone."""
    count = value["_M_refcount"]["_M_pi"]
    if int(count) == 0 or int(count["_M_use_count"]) == 0:
        return None
    return value["_M_ptr"]


def atomic(value):
    return int(value["_M_i"])


def has_value(optional):
    return bool(optional["_M_payload"]["_M_engaged"])


# --- what is where ---

def runtimes():
    # Not parse_and_eval: the language of the frame may be another.
    first = gdb.lookup_global_symbol("troupe::DebuggerAnchor::first_")
    if first is None:
        raise gdb.GdbError("this program has no Troupe in it, or no symbols of it")
    anchor = first.value()
    impl = gdb.lookup_type("troupe::Runtime::Impl").pointer()
    while int(anchor) != 0:
        yield anchor["owner_"].cast(impl)
        anchor = anchor["next_"]


def sessions():
    for runtime in runtimes():
        for weak in linked(runtime["sessions_"]["all_"]):
            core = shared(weak)
            if core is not None:
                yield core


def steps(core):
    """The slots of a session on which a step runs."""
    for weak in vector(core["slots_"]):
        slot = shared(weak)
        if slot is not None and atomic(slot["life"]["bits_"]) & STATE_BITS:
            yield slot


def all_steps():
    return [(core, slot) for core in sessions() for slot in steps(core)]


def step_id(slot):
    return atomic(slot["life"]["id_"])


def describe(core, slot):
    code = shared(slot["code"])
    kind = "partial run" if bool(code["partial"]) else "run"
    outer = int(slot["outer_step_id"])
    if outer:
        kind = "function called in step %d" % outer
    names = ["%s: %s" % (title, ", ".join(texts[:MOST_NODES]))
             for title, texts in (("fetches", [text(t) for t in vector(code["fetches"])]),
                                  ("targets", [text(t) for t in vector(code["targets"])])) if texts]
    return "step %d of session %d (%s) %s" % (step_id(slot), int(core["id"]), kind, "; ".join(names))


# --- frontiers ---

class Partition:
    def __init__(self, partition):
        self.nodes = vector(partition["nodes_"])
        self.edges = partition["out_edges_"]["_M_impl"]["_M_start"]
        self.frames = vector(partition["frames_"])

    def name(self, node):
        info = self.nodes[node]["info"]
        return "%s (%s)" % (text(info["name"]), text(info["op"]["name"]))

    def producers(self, wanted):
        """Of these nodes: [(where in the input array or -1, name)], constants that are bound left out."""
        found = {node: [] for node in wanted}
        for source, node in enumerate(self.nodes):
            for at in range(int(node["out_edge_begin"]), int(node["out_edge_end"])):
                edge = (self.edges + at).dereference()
                consumer = int(edge["dst"])
                if consumer in found:
                    found[consumer].append((int(edge["dst_slot"]), self.edge_name(source, int(edge["src_slot"]))))
        return found

    def edge_name(self, source, slot):
        name = text(self.nodes[source]["info"]["name"])
        if slot == CONTROL_SLOT:
            return "^" + name
        return name if slot == 0 else "%s:%d" % (name, slot)


def is_present(value):
    return int(value["tensor"]["buffer_"]) != 0 or int(value["ref"]["_M_ptr"]) != 0


def iterations(frame):
    """All of a frame and of those inside it: (index of the static frame, iteration)."""
    for it in [i.dereference() for i in vector(frame["iterations"])]:
        yield int(frame["index"]), it
        for child in vector(it["children"]):
            yield from iterations(child.dereference())


def frontier(executor):
    """[(node, what it does or waits for)] of one ExecutorState."""
    partition = Partition(shared(executor["partition_"]).dereference())
    lines, listed = [], set()

    def add(node, state):
        if node not in listed:
            listed.add(node)
            lines.append((partition.name(node), state))

    for task in [unique(t) for t in vector(executor["tasks_"])]:
        if has_value(task["context"]):
            add(int(task["node"]), "running")
    ring, mask = executor["ring_"]["_M_impl"]["_M_start"], int(executor["ring_mask_"])
    for at in range(int(executor["head_"]), int(executor["tail_"])):
        add(int((ring + (at & mask))["node"]), "ready")
    busy = atomic(executor["busy_node_"])
    if busy >= 0:
        add(busy, "running")
    waiting = waiting_nodes(partition, unique(executor["root_"]))
    producers = partition.producers({node for node, _ in waiting})
    for node, it in waiting:
        inputs = it["inputs"]["_M_impl"]["_M_start"]
        missing = [name for slot, name in producers[node]
                   if slot != CONTROL_SLOT and not is_present((inputs + slot).dereference())]
        controls = [name for slot, name in producers[node] if slot == CONTROL_SLOT]
        add(node, "waits for " + ", ".join(missing or controls))
    return lines


def waiting_nodes(partition, root):
    """Nodes that have some of their inputs: (node, iteration)."""
    found = []
    if int(root) == 0:
        return found
    for frame, it in iterations(root.dereference()):
        counts = it["counts"]["_M_impl"]["_M_start"]
        initial = partition.frames[frame]["initial"]["_M_impl"]["_M_start"]
        for number, node in enumerate(partition.nodes):
            if int(node["frame"]) != frame:
                continue
            local = int(node["local"])
            pending = int((counts + local)["pending"])
            begun = pending != int((initial + local)["pending"]) or int(node["bound_inputs"]) != 0
            if pending > 0 and begun:
                found.append((number, it))
    return found


# --- commands ---

class Troupe(gdb.Command):
    """What Troupe is doing: troupe sessions, troupe steps, troupe frontier [STEP]."""

    def __init__(self):
        super().__init__("troupe", gdb.COMMAND_DATA, prefix=True)


class Sessions(gdb.Command):
    """Lists the sessions of this process, and how many steps run in each."""

    def __init__(self):
        super().__init__("troupe sessions", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        found = list(sessions())
        for core in found:
            running = list(steps(core))
            print("session %d: %d steps run" % (int(core["id"]), len(running)))
        print("%d sessions" % len(found))


class Steps(gdb.Command):
    """Lists the steps that run, with their fetches and targets."""

    def __init__(self):
        super().__init__("troupe steps", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        found = all_steps()
        for core, slot in found:
            print(describe(core, slot))
        print("%d steps" % len(found))


class Frontier(gdb.Command):
    """Lists the nodes that are not done of every running step, or of the one with this number."""

    def __init__(self):
        super().__init__("troupe frontier", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        wanted = int(argument) if argument.strip() else None
        found = [(c, s) for c, s in all_steps() if wanted in (None, step_id(s))]
        if wanted is not None and not found:
            raise gdb.GdbError("step %d does not run" % wanted)
        for core, slot in found:
            print(describe(core, slot))
            for number, executor in enumerate(vector(slot["states"])):
                lines = frontier(unique(executor).dereference())
                for node, state in lines[:MOST_NODES]:
                    print("  partition %d: %s: %s" % (number, node, state))
                if len(lines) > MOST_NODES:
                    print("  partition %d: and %d more" % (number, len(lines) - MOST_NODES))


Troupe()
Sessions()
Steps()
Frontier()
