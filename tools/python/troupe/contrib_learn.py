"""tf.contrib.learn.preprocessing: texts as numbers of words."""

from __future__ import annotations

import collections
import pickle
import re
from typing import TYPE_CHECKING

import numpy as np

from troupe import file_io

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from troupe.typing import Path

# Words of capitals, capitalized parts of such as "OneTwo", and others.
_WORDS = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+", re.UNICODE)


def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """The words of each text."""
    for text in iterator:
        yield _WORDS.findall(text)


class CategoricalVocabulary:
    """A number for each word, in the order in which they come; 0 for those that are not known. ValueError from `reverse` where words of numbers
    were not to be kept."""

    def __init__(self, unknown_token: str = "<UNK>", support_reverse: bool = True) -> None:
        self._unknown_token, self._support_reverse, self._freeze = unknown_token, support_reverse, False
        self._mapping: dict[Any, int] = {unknown_token: 0}
        self._reverse_mapping: list[Any] = [unknown_token]
        self._freq: dict[Any, int] = collections.defaultdict(int)

    def __len__(self) -> int:
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """From now on words that come first are unknown."""
        self._freeze = freeze

    def get(self, category: Any) -> int:
        """The number of a word, which is a new one where it comes first."""
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._mapping[category] = len(self._mapping)
            if self._support_reverse:
                self._reverse_mapping.append(category)
        return self._mapping[category]

    def add(self, category: Any, count: int = 1) -> None:
        """Counts a word."""
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Keeps the words that came more often than `min_frequency`, and less than `max_frequency` where that is above 0; the most frequent have the
        lowest numbers, words of one frequency are in the order of the alphabet."""
        often = sorted(self._freq.items(), key=lambda item: (-item[1], isinstance(item[0], str), item[0]))
        kept = [(word, n) for word, n in often if n > min_frequency and not 0 < max_frequency <= n]
        self._mapping = {self._unknown_token: 0, **{word: i for i, (word, _) in enumerate(kept, 1)}}
        if self._support_reverse:
            self._reverse_mapping = list(self._mapping)
        self._freq = collections.defaultdict(int, kept)

    def reverse(self, class_id: int) -> Any:
        """The word of a number."""
        if not self._support_reverse:
            raise ValueError("This vocabulary wasn't initialized with support_reverse to support reverse() function.")
        return self._reverse_mapping[class_id]


class VocabularyProcessor:
    """Texts as rows of `max_document_length` numbers of words, 0 behind their ends and for words that are not known. Without `vocabulary`, `fit`
    makes one of the words that come more often than `min_frequency`."""

    def __init__(self, max_document_length: int, min_frequency: int = 0, vocabulary: CategoricalVocabulary | None = None,
                 tokenizer_fn: Callable[[Iterable[str]], Iterable[list[str]]] | None = None) -> None:
        self.max_document_length, self.min_frequency = max_document_length, min_frequency
        self.vocabulary_ = CategoricalVocabulary() if vocabulary is None else vocabulary
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents: Iterable[str], unused_y: Any = None) -> VocabularyProcessor:
        """Learns the words of texts."""
        for words in self._tokenizer(raw_documents):
            for word in words:
                self.vocabulary_.add(word)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents: Iterable[str], unused_y: Any = None) -> Iterator[np.ndarray]:
        """Both."""
        self.fit(raw_documents)
        return self.transform(raw_documents)

    def transform(self, raw_documents: Iterable[str]) -> Iterator[np.ndarray]:
        """An array int64 of each text."""
        for words in self._tokenizer(raw_documents):
            numbers = np.zeros(self.max_document_length, np.int64)
            for i, word in enumerate(list(words)[:self.max_document_length]):
                numbers[i] = self.vocabulary_.get(word)
            yield numbers

    def reverse(self, documents: Iterable[Iterable[int]]) -> Iterator[str]:
        """A text of each row of numbers."""
        for numbers in documents:
            yield " ".join(self.vocabulary_.reverse(n) for n in numbers)

    def save(self, filename: Path) -> None:
        """Into a file, for `restore`."""
        with file_io.GFile(filename, "wb") as file:
            file.write(pickle.dumps(self))

    @classmethod
    def restore(cls, filename: Path) -> VocabularyProcessor:
        """From a file of `save`, which must be one's own: it is a pickle."""
        with file_io.GFile(filename, "rb") as file:
            return pickle.loads(file.read())  # noqa: S301, the program's own file


class ByteProcessor:
    """Texts as rows of `max_document_length` bytes, 0 behind their ends."""

    def __init__(self, max_document_length: int) -> None:
        self.max_document_length = max_document_length

    def fit(self, x: Any) -> ByteProcessor:
        """Nothing: bytes need no vocabulary."""
        return self

    def fit_transform(self, x: Iterable[str | bytes]) -> Iterator[np.ndarray]:
        return self.transform(x)

    def transform(self, x: Iterable[str | bytes]) -> Iterator[np.ndarray]:
        """An array uint8 of each text."""
        for text in x:
            data = np.frombuffer(text.encode() if isinstance(text, str) else text, np.uint8)[:self.max_document_length]
            yield np.pad(data, (0, self.max_document_length - len(data)))

    def reverse(self, x: Iterable[np.ndarray]) -> Iterator[str]:
        """The text of each row, without what is not UTF-8."""
        for numbers in x:
            yield bytes(np.asarray(numbers, np.uint8)).rstrip(b"\0").decode("utf-8", errors="ignore")
