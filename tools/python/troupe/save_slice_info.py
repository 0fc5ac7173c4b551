"""Which slice of a larger tensor a variable is: that tensor's checkpoints hold it under one name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troupe import protos

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troupe.typing import Message


class SaveSliceInfo:
    """A variable of shape `var_shape`, at `var_offset` in a tensor of `full_shape` that is called `full_name`. Lists of integers, as long as each
    other."""

    full_name: str
    full_shape: Sequence[int]
    var_offset: Sequence[int]
    var_shape: Sequence[int]

    def __init__(self, full_name: str | None = None, full_shape: Sequence[int] | None = None, var_offset: Sequence[int] | None = None,
                 var_shape: Sequence[int] | None = None, save_slice_info_def: Message | None = None, import_scope: str | None = None) -> None:
        if save_slice_info_def is not None:
            prefix = import_scope + "/" if import_scope else ""
            full_name = prefix + save_slice_info_def.full_name  # type: ignore[attr-defined]
            full_shape, var_offset, var_shape = (list(getattr(save_slice_info_def, n)) for n in ("full_shape", "var_offset", "var_shape"))
        self.full_name, self.full_shape, self.var_offset, self.var_shape = full_name, full_shape, var_offset, var_shape  # type: ignore[assignment]

    @property
    def spec(self) -> str:
        """As SaveV2 and RestoreV2 take it: "10 20 0,5:0,20"."""
        return " ".join(map(str, self.full_shape)) + " " + ":".join(f"{o},{s}" for o, s in zip(self.var_offset, self.var_shape))

    def to_proto(self, export_scope: str | None = None) -> Any:
        """A SaveSliceInfoDef; None outside of `export_scope`."""
        prefix = export_scope + "/" if export_scope else ""
        if not self.full_name.startswith(prefix):
            return None
        return protos.SaveSliceInfoDef(full_name=self.full_name.removeprefix(prefix), full_shape=self.full_shape, var_offset=self.var_offset,
                                       var_shape=self.var_shape)
