"""Files that are whole or not there: written under a temporary name, verified, then renamed."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Mapping

from ..errors import FileError

_CHUNK = 1 << 20
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def disk_error(error: OSError, path: Path) -> FileError:
    if error.errno in _FULL:
        return FileError("disk_full", f"There is no space left for {path} ({error.strerror}).", "Free some space, then call it again: it continues.")
    return FileError("file_unwritable", f"{path} cannot be written ({error.strerror}).", "Check who owns the folder.")


def target_path(path: str | os.PathLike[str] | None, filename: str) -> Path:
    """The file to write. A folder gets the export's own name."""
    # A name from the server must not lead out of the folder.
    name = Path(filename.replace("\\", "/")).name or "export"
    if path is None:
        return Path(name)
    is_folder = os.fspath(path).endswith(("/", os.sep)) or Path(path).is_dir()
    return Path(path) / name if is_folder else Path(path)


def sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def is_whole(path: Path, size: int, sha256: str) -> bool:
    return path.is_file() and path.stat().st_size == size and sha256_of(path) == sha256


def refuse_devices(target: Path) -> None:
    """A rename would replace a device such as `/dev/null`, for every program of the machine."""
    if target.exists() and not target.is_file():
        raise FileError("file_unwritable", f"{target} is not an ordinary file.", "Choose another path.")


def refuse_other_parts(target: Path, sha256: str, *, overwrite: bool) -> None:
    """A part that another export left shows that two downloads use one name."""
    for other in target.parent.glob("*.part"):
        is_part = re.fullmatch(re.escape(target.name) + r"\.[0-9a-f]{16}\.part", other.name)
        if is_part is None or other == part_path(target, sha256):
            continue
        if not overwrite:
            remedy = f"Delete {other.name}, choose another name, or pass overwrite=True."
            raise FileError("file_conflict", f"{other} is a part of the file of another export.", remedy)
        try:
            other.unlink(missing_ok=True)
        except OSError as error:
            raise disk_error(error, other) from error


def part_path(target: Path, sha256: str) -> Path:
    return target.with_name(f"{target.name}.{sha256[:16]}.part")


@dataclass(slots=True)
class PartFile:
    """
    The part of a file that has arrived. Its name has the hash of the whole, so that parts of two exports never mix, and a later
    download continues it, also one of another client: the name is the same in all of them.
    """

    target: Path
    size: int
    sha256: str
    done: int = 0
    _file: BinaryIO | None = None
    _digest: hashlib._Hash | None = None

    @property
    def path(self) -> Path:
        return part_path(self.target, self.sha256)

    def __enter__(self) -> PartFile:
        try:
            self.target.parent.mkdir(parents=True, exist_ok=True)
            # Two downloads at once write the same bytes at the same places, so neither appends or truncates.
            self._file = os.fdopen(os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666), "rb+")
            self._check_space()
            self._continue()
        except OSError as error:
            self._close()
            raise disk_error(error, self.path) from error
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._close()

    def _open(self) -> tuple[BinaryIO, hashlib._Hash]:
        if self._file is None or self._digest is None:
            raise ValueError("the file is not open")
        return self._file, self._digest

    def _check_space(self) -> None:
        missing = self.size - self.path.stat().st_size
        if missing > shutil.disk_usage(self.path.parent).free:
            raise OSError(errno.ENOSPC, f"{missing} bytes are missing")

    def _continue(self) -> None:
        """Hashes what an earlier download left."""
        self._digest = hashlib.sha256()
        file, digest = self._open()
        self.done = 0
        if os.fstat(file.fileno()).st_size > self.size:
            return
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            self.done += len(chunk)

    def write(self, chunk: bytes) -> None:
        file, digest = self._open()
        try:
            file.write(chunk)
        except OSError as error:
            raise disk_error(error, self.path) from error
        digest.update(chunk)
        self.done += len(chunk)

    def restart(self) -> None:
        """Forgets everything that has arrived."""
        file, _ = self._open()
        file.seek(0)
        self._digest, self.done = hashlib.sha256(), 0

    def is_right(self) -> bool:
        return self.done == self.size and self._open()[1].hexdigest() == self.sha256

    def keep(self) -> Path:
        """Gives the file its name. It is on the disk before."""
        file, _ = self._open()
        try:
            file.truncate(self.size)
            file.flush()
            os.fsync(file.fileno())
            self._close()
            os.replace(self.path, self.target)
        except OSError as error:
            # Another download of the same file was faster.
            if not isinstance(error, FileNotFoundError) or not is_whole(self.target, self.size, self.sha256):
                raise disk_error(error, self.target) from error
        return self.target

    def discard(self) -> None:
        self._close()
        self.path.unlink(missing_ok=True)

    def _close(self) -> None:
        if self._file is None:
            return
        file, self._file = self._file, None
        try:
            file.close()
        except OSError as error:
            raise disk_error(error, self.path) from error


def starts_at(headers: Mapping[str, str], status: int) -> int:
    """The position of the first byte of an answer to a request with `Range`."""
    if status != 206:
        return 0
    text = headers.get("content-range", "").removeprefix("bytes ").partition("-")[0]
    return int(text) if text.isdigit() else -1
