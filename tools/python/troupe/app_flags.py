"""`tf.app` and `tf.flags`: what a program is told on its command line, and how it begins."""

from __future__ import annotations

import csv
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, NoReturn


class Error(Exception):
    """What is wrong with flags."""


class DuplicateFlagError(Error):
    """A name that is there."""


class IllegalFlagValueError(Error):
    """A value that a flag cannot have."""


class UnrecognizedFlagError(Error):
    """A flag that nobody has defined."""


class _Flag:
    def __init__(self, name, default, help_text, parse, is_boolean=False, is_multiple=False):
        self.name, self.help, self.parse, self.is_boolean, self.is_multiple = name, help_text, parse, is_boolean, is_multiple
        self.default = self.value = default if default is None else self.converted(default)
        self.present = False
        self.validators = []

    def converted(self, value):
        try:
            if self.is_multiple and isinstance(value, (list, tuple)):
                return [self.parse(v) for v in value]
            made = self.parse(value)
            return [made] if self.is_multiple else made
        except (TypeError, ValueError) as e:
            raise IllegalFlagValueError(f"flag --{self.name}={value}: {e}") from None

    def take(self, text):
        value = self.converted(text)
        self.value = self.value + value if self.is_multiple and self.present else value
        self.present = True

    def check(self):
        for test, message in self.validators:
            if not test(self.value):
                raise IllegalFlagValueError(f"flag --{self.name}={self.value}: {message}")


class FlagValues:
    """Flags by name as attributes: `FLAGS.batch_size`. The command line is read when the first is asked for, or by a call with a list like
    sys.argv, which gives those arguments that are no flags. UnrecognizedFlagError, IllegalFlagValueError."""

    def __init__(self) -> None:
        self.__dict__.update(_flags={}, _parsed=False)

    def __getattr__(self, name):
        flags = self.__dict__["_flags"]
        if name not in flags:
            raise AttributeError(name)
        if not self._parsed:
            self(sys.argv, known_only=True)
        return flags[name].value

    def __setattr__(self, name, value):
        if name not in self._flags:
            raise UnrecognizedFlagError(f"Unknown command line flag '{name}'")
        self._flags[name].value = value
        self._flags[name].check()

    def __getitem__(self, name):
        return self._flags[name]

    def __contains__(self, name):
        return name in self._flags

    def __iter__(self):
        return iter(self._flags)

    def __len__(self):
        return len(self._flags)

    def __delattr__(self, name):
        if name not in self._flags:
            raise AttributeError(name)
        del self._flags[name]

    def __dir__(self):
        return sorted(self._flags)

    def __call__(self, argv: list[str], known_only: bool = False) -> list[str]:
        self.__dict__["_parsed"] = True
        rest, waiting = argv[:1], list(argv[1:])
        while waiting:
            argument = waiting.pop(0)
            if argument == "--":
                rest += waiting
                break
            if not argument.startswith("-") or argument == "-":
                rest.append(argument)
                continue
            name, given, text = argument.lstrip("-").partition("=")
            flag = self._named(name)
            if flag is None:
                if not known_only:
                    raise UnrecognizedFlagError(f"Unknown command line flag '{name}'")
                rest.append(argument)
            elif flag.is_boolean and not given:
                flag.take(flag.name == name)
            elif given or waiting:
                flag.take(text if given else waiting.pop(0))
            else:
                raise Error(f"Missing value for flag --{name}")
        for flag in self._flags.values():
            flag.check()
        return rest

    def _named(self, name):
        flag = self._flags.get(name)
        if flag is None and name.startswith("no"):
            flag = self._flags.get(name[2:])
            return flag if flag is not None and flag.is_boolean else None
        return flag

    def is_parsed(self) -> bool:
        return self._parsed

    def unparse_flags(self) -> None:
        """Forgets the command line."""
        self.__dict__["_parsed"] = False
        for flag in self._flags.values():
            flag.value, flag.present = flag.default, False

    def flag_values_dict(self) -> dict[str, Any]:
        return {name: flag.value for name, flag in self._flags.items()}

    def get_flag_value(self, name: str, default: Any) -> Any:
        value = getattr(self, name) if name in self else None
        return default if value is None else value

    def set_default(self, name: str, value: Any) -> None:
        flag = self._flags[name]
        flag.default = value
        if not flag.present:
            flag.value = value

    def get_help(self) -> str:
        return "\n".join(f"  --{'[no]' if f.is_boolean else ''}{f.name}: {f.help}\n    (default: {f.default!r})" for f in self._flags.values())


FLAGS = FlagValues()


def _define(name, default, help_text, parse, flag_values, **others):
    flags = (FLAGS if flag_values is None else flag_values)._flags
    if name in flags:
        raise DuplicateFlagError(f"The flag '{name}' is defined twice.")
    flags[name] = _Flag(name, default, help_text, parse, **others)


def _boolean(value):
    if isinstance(value, str):
        if value.lower() in ("true", "t", "1"):
            return True
        if value.lower() in ("false", "f", "0"):
            return False
    elif value in (0, 1):
        return bool(value)
    raise ValueError("Non-boolean argument to boolean flag")


def _integer(value):
    if isinstance(value, str):
        return int(value, {"0x": 16, "0o": 8}.get(value[:2].lower(), 10))
    if int(value) != value:
        raise ValueError("Expect argument to be a string or int")
    return int(value)


def _list(value):
    return list(value) if isinstance(value, (list, tuple)) else [v.strip() for v in next(csv.reader([value], strict=True))] if value else []


def DEFINE_string(name: str, default: str | None, help: str | None, flag_values: FlagValues | None = None, **unused: Any) -> None:  # noqa: A002, N802
    _define(name, default, help, str, flag_values)


def DEFINE_integer(name: str, default: int | str | None, help: str | None,  # noqa: A002, N802
                   lower_bound: float | None = None, upper_bound: float | None = None, flag_values: FlagValues | None = None, **unused: Any) -> None:
    _define(name, default, help, _within(_integer, lower_bound, upper_bound), flag_values)


def DEFINE_float(name: str, default: float | str | None, help: str | None,  # noqa: A002, N802
                 lower_bound: float | None = None, upper_bound: float | None = None, flag_values: FlagValues | None = None, **unused: Any) -> None:
    _define(name, default, help, _within(float, lower_bound, upper_bound), flag_values)


def _within(parse, low, high):
    def parsed(value):
        number = parse(value)
        if low is not None and number < low or high is not None and number > high:
            raise ValueError(f"{number} is not in [{low}, {high}]")
        return number

    return parsed


def DEFINE_boolean(name: str, default: bool | str | None, help: str | None,  # noqa: A002, N802
                   flag_values: FlagValues | None = None, **unused: Any) -> None:
    """`--name`, `--noname`, `--name=false`."""
    _define(name, default, help, _boolean, flag_values, is_boolean=True)


DEFINE_bool = DEFINE_boolean


def DEFINE_list(name: str, default: Sequence[str] | None, help: str | None,  # noqa: A002, N802
                flag_values: FlagValues | None = None, **unused: Any) -> None:
    """`--name=a,b`."""
    _define(name, default, help, _list, flag_values)


def DEFINE_enum(name: str, default: str | None, enum_values: Sequence[str], help: str | None,  # noqa: A002, N802
                flag_values: FlagValues | None = None, case_sensitive: bool = True, **unused: Any) -> None:
    """One of a list of texts."""
    def one_of(value):
        for known in enum_values:
            if value == known or not case_sensitive and value.lower() == known.lower():
                return known
        raise ValueError(f"value should be one of <{'|'.join(enum_values)}>")

    _define(name, default, help, one_of, flag_values)


def DEFINE_multi_string(name: str, default: Sequence[str] | None, help: str | None,  # noqa: A002, N802
                        flag_values: FlagValues | None = None, **unused: Any) -> None:
    """`--name=a --name=b` is a list."""
    _define(name, default, help, str, flag_values, is_multiple=True)


def DEFINE_multi_integer(name: str, default: int | Sequence[int | str] | None, help: str | None,  # noqa: A002, N802
                         flag_values: FlagValues | None = None, **unused: Any) -> None:
    _define(name, default, help, _integer, flag_values, is_multiple=True)


def DEFINE_multi_float(name: str, default: float | Sequence[float | str] | None, help: str | None,  # noqa: A002, N802
                       flag_values: FlagValues | None = None, **unused: Any) -> None:
    _define(name, default, help, float, flag_values, is_multiple=True)


def register_validator(flag_name: str, checker: Callable[[Any], Any], message: str = "Flag validation failed",
                       flag_values: FlagValues | None = None) -> None:
    """`checker(value)` says whether a value is right: IllegalFlagValueError from reading the command line."""
    (FLAGS if flag_values is None else flag_values)[flag_name].validators.append((checker, message))


def mark_flag_as_required(flag_name: str, flag_values: FlagValues | None = None) -> None:
    register_validator(flag_name, lambda value: value is not None, "Flag must have a value other than None.", flag_values)


def mark_flags_as_required(flag_names: Iterable[str], flag_values: FlagValues | None = None) -> None:
    for name in flag_names:
        mark_flag_as_required(name, flag_values)


def read_command_line(argv: list[str]) -> list[str]:
    """What is left of a command line when its flags are read: those of this package, and absl's where the program has it. Error for values
    that are none."""
    rest = FLAGS(argv, known_only=True)
    absl = sys.modules.get("absl.flags")
    if absl is None or absl.FLAGS.is_parsed():
        return rest
    try:
        return absl.FLAGS(rest, known_only=True)
    except absl.Error as e:
        raise Error(str(e)) from None


def run(main: Callable[[list[str]], Any] | None = None, argv: list[str] | None = None) -> NoReturn:
    """Reads the flags, calls `main` (that of the program) with the arguments that are none, and ends the process with what it returns.
    `--help` prints the flags."""
    argv = sys.argv if argv is None else argv
    if "--help" in argv[1:] or "-h" in argv[1:]:
        print(FLAGS.get_help())
        sys.exit(1)
    try:
        rest = read_command_line(argv)
    except Error as e:
        print(f"FATAL Flags parsing error: {e}\nPass --help to see help on flags.", file=sys.stderr)
        sys.exit(1)
    main = main or sys.modules["__main__"].main
    sys.exit(main(rest))
