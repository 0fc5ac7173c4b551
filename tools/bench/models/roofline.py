"""How near each kernel of a traced step comes to what the machine can do: the roofline of its arithmetic and of its memory."""
import typing

from step_stats import RESOURCE, kernel_runs

# These hand memory on, or have nothing to do with it.
_HANDS_ON = set("_Arg _Retval _Send _Recv Const Identity IdentityN Reshape Squeeze ExpandDims ReadVariableOp VarHandleOp VariableV2 AssignVariableOp"
                " NoOp Placeholder Shape ShapeN Size Rank StopGradient PreventGradient Switch Merge Enter Exit NextIteration LoopCond TensorArrayV3"
                " TensorArrayReadV3 TensorArraySizeV3 TensorArrayWriteV3 RefSwitch RefEnter While StatelessWhile If StatelessIf PartitionedCall"
                " StatefulPartitionedCall".split())
# These read no more of their first input than they write.
_READS_PART = {"Gather", "GatherV2", "GatherNd", "ResourceGather", "ResourceGatherNd", "Slice", "StridedSlice"}
# These write the variable that they read.
_UPDATES = ("ResourceApply", "Apply", "AssignAdd", "AssignSub")
_MATMULS = {"MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", "_FusedMatMul", "_FusedBatchMatMulV2"}
_CONVOLUTIONS = {"Conv2D", "_FusedConv2D", "Conv3D", "DepthwiseConv2dNative", "_FusedDepthwiseConv2dNative"}
# What comes back through a convolution is their third input; the filter is the second input of one, the output of the other.
_TO_INPUT = {"Conv2DBackpropInput", "DepthwiseConv2dNativeBackpropInput", "Conv3DBackpropInputV2"}
_TO_FILTER = {"Conv2DBackpropFilter", "DepthwiseConv2dNativeBackpropFilter", "Conv3DBackpropFilterV2"}


class Peaks(typing.NamedTuple):
    """Of the machine; operations and bytes a nanosecond, which are GF/s and GB/s."""
    gflops: float
    gbytes: float


class Kernel(typing.NamedTuple):
    """All runs in a step of one op over tensors of the same shapes. flops is None where the op is not known, bytes where it moves nothing."""
    op: str
    inputs: tuple
    outputs: tuple
    nodes: tuple
    runs: int
    nanoseconds: float
    flops: float | None
    bytes: float | None


def _convolution_flops(filters, images, data_format):
    """images is what the filters give, or what comes back to them: an element of it takes a product and a sum for each weight of its channel."""
    channels = images.shape[1 if data_format.startswith("NC") else -1]
    return 2 * images.elements * filters.elements // max(1, channels)


def flops(run):
    """Products and sums of one run; None of an op that is not counted, or where shapes are missing."""
    inputs, outputs = run.inputs, run.outputs
    if run.op in _MATMULS and inputs and inputs[0] and outputs and len(inputs[0].shape) >= 2 and len(outputs[0].shape) >= 2:
        # Whichever of its last two dimensions is not the output's is summed over.
        rows, (a, b) = outputs[0].shape[-2], inputs[0].shape[-2:]
        return 2 * outputs[0].elements * (a * b // rows) if rows else 0
    if run.op in _CONVOLUTIONS and len(inputs) > 1 and inputs[1] and outputs:
        return _convolution_flops(inputs[1], outputs[0], run.data_format)
    if run.op in _TO_INPUT and len(inputs) > 2 and inputs[1] and inputs[2]:
        return _convolution_flops(inputs[1], inputs[2], run.data_format)
    if run.op in _TO_FILTER and len(inputs) > 2 and inputs[2] and outputs:
        return _convolution_flops(outputs[0], inputs[2], run.data_format)
    return None


def moved_bytes(run):
    """Bytes of inputs and outputs, each once; a variable that is updated twice. None of an op that hands its memory on."""
    if run.op in _HANDS_ON:
        return None
    written = sum(t.bytes for t in run.outputs if t)
    read = [t.bytes if t and t.dtype != RESOURCE else 0 for t in run.inputs]
    if run.op in _READS_PART and read:
        read[0] = min(read[0], written)
    elif run.op.startswith(_UPDATES):
        # Variable and slots come first, then numbers and the gradient: all that is as large as the variable, but the gradient, is written again.
        written += max(0, sum(size for size in read if size == read[0]) - read[0])
    return sum(read) + written


def kernels(steps):
    """Kernels of a step, the longest first, from RunMetadata of several steps: the time of each is the median of its times in them."""
    groups = {}
    for number, metadata in enumerate(steps):
        for run in kernel_runs(metadata):
            of_steps = groups.setdefault((run.op, run.inputs, run.outputs), [[] for _ in steps])
            of_steps[number].append(run)
    result = []
    for (op, inputs, outputs), of_steps in groups.items():
        totals = sorted(sum(run.nanoseconds for run in runs) for runs in of_steps)
        runs = max(of_steps, key=len)
        operations, moved = [flops(run) for run in runs], [moved_bytes(run) for run in runs]
        result.append(Kernel(op, inputs, outputs, tuple(dict.fromkeys(run.name for run in runs)), len(runs), totals[len(totals) // 2],
                             None if None in operations else sum(operations), None if None in moved else sum(moved)))
    return sorted(result, key=lambda kernel: -kernel.nanoseconds)


def bound_nanoseconds(kernel, peaks):
    """The least that the kernel can take, and what makes it so ("compute" or "memory"); None and "" of one that moves nothing."""
    if kernel.bytes is None:
        return None, ""
    by_memory, by_compute = kernel.bytes / peaks.gbytes, (kernel.flops or 0) / peaks.gflops
    return (by_compute, "compute") if by_compute > by_memory else (by_memory, "memory")


def fraction(some, peaks):
    """Of the roofline, of these kernels together, none of which counts as more than 1; those that move nothing are left out. None when nothing is left."""
    bounds = [(bound_nanoseconds(kernel, peaks)[0], kernel.nanoseconds) for kernel in some]
    bounds = [(min(bound, taken), taken) for bound, taken in bounds if bound is not None and taken > 0]
    return sum(bound for bound, _ in bounds) / sum(taken for _, taken in bounds) if bounds else None


def title(kernel):
    shapes = ["[" + ",".join(map(str, t.shape)) + "]" if t else "?" for t in kernel.inputs[:2]]
    return " ".join([kernel.op, *shapes]) + (" ..." if len(kernel.inputs) > 2 else "")


def described(kernel, peaks, total):
    """The figures of a kernel, for a table and for JSON."""
    bound, bound_by = bound_nanoseconds(kernel, peaks)
    taken = max(kernel.nanoseconds, 1)
    return {"kernel": title(kernel), "op": kernel.op, "nodes": kernel.nodes, "runs": kernel.runs, "ns": kernel.nanoseconds,
            "share": kernel.nanoseconds / total if total else 0, "flops": kernel.flops, "bytes": kernel.bytes,
            "gflops_per_s": None if kernel.flops is None else kernel.flops / taken,
            "gbytes_per_s": None if kernel.bytes is None else kernel.bytes / taken,
            "fraction": None if bound is None else bound / taken, "bound_by": bound_by}


def _figure(value):
    return "-" if value is None else f"{value:.3g}"


def _part(value):
    return "-" if value is None else f"{value:.2f}"


def table(name, some, peaks, longest, text):
    """Lines of Markdown: the longest kernels of a row and all of them together; text writes nanoseconds."""
    total = sum(kernel.nanoseconds for kernel in some)
    lines = [f"`{name}`: {len(some)} kernels, {text(total)} in all; peaks {peaks.gflops:.3g} GF/s, {peaks.gbytes:.3g} GB/s", "",
             "| kernel | runs | share | a run | GF/s | GB/s | of the roofline | bound by |", "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for kernel in some[:longest]:
        d = described(kernel, peaks, total)
        lines.append(f"| {d['kernel']} | {d['runs']} | {d['share']:.1%} | {text(d['ns'] / d['runs'])} | {_figure(d['gflops_per_s'])} | "
                     f"{_figure(d['gbytes_per_s'])} | {_part(d['fraction'])} | {d['bound_by'] or '-'} |")
    lines.append(f"| all | {sum(kernel.runs for kernel in some)} | 100 % | | | | {_part(fraction(some, peaks))} | |")
    return lines
