# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""A file system that loses unsynced data in a simulated power failure: `lossy_filesystem.py BACKING MOUNTPOINT`.

Written data stays in this process until the file is synced, and is then stored in BACKING. Creating a file named
`.power-failed` at the top level simulates a power failure: every file returns to its state at the last sync. Names are
stored immediately (creating, renaming and removing files is never lost), as in nearly all journaling file systems.
"""
import errno
import os
import sys
import threading

from fuse import FUSE, FuseOSError, Operations

PAGE = 4096
POWER_FAILURE_FILE = "/.power-failed"


class File:
    """A file's synced bytes, in the backing file, and the bytes written since."""

    def __init__(self, backing, flags):
        self.fd = os.open(backing, os.O_RDWR | flags & os.O_CREAT, 0o600)
        self.pages, self.lock = {}, threading.RLock()
        self.length = self.synced = os.fstat(self.fd).st_size

    def read(self, size, offset):
        with self.lock:
            size = max(0, min(size, self.length - offset))
            data = bytearray(size)
            stored = os.pread(self.fd, max(0, min(size, self.synced - offset)), offset)
            data[: len(stored)] = stored
            for number in range(offset // PAGE, (offset + size + PAGE - 1) // PAGE):
                if (page := self.pages.get(number)) is not None:
                    start, end = max(offset, number * PAGE), min(offset + size, (number + 1) * PAGE)
                    data[start - offset : end - offset] = page[start - number * PAGE : end - number * PAGE]
            return bytes(data)

    def page(self, number):
        if number not in self.pages:
            stored = os.pread(self.fd, max(0, min(PAGE, self.synced - number * PAGE)), number * PAGE)
            self.pages[number] = bytearray(stored.ljust(PAGE, b"\0"))
        return self.pages[number]

    def write(self, data, offset):
        with self.lock:
            written = 0
            while written < len(data):
                number, start = divmod(offset + written, PAGE)
                chunk = data[written : written + PAGE - start]
                self.page(number)[start : start + len(chunk)] = chunk
                written += len(chunk)
            self.length = max(self.length, offset + len(data))
            return len(data)

    def truncate(self, length):
        with self.lock:
            for number in [number for number in self.pages if number * PAGE >= length]:
                del self.pages[number]
            # Truncated synced bytes are read as zeros when the file grows again.
            for number in range(length // PAGE, (self.synced + PAGE - 1) // PAGE):
                page = self.page(number)
                start = max(0, length - number * PAGE)
                page[start:] = bytes(PAGE - start)
            self.length = length

    def sync(self):
        with self.lock:
            for number, page in sorted(self.pages.items()):
                end = min(PAGE, self.length - number * PAGE)
                if end > 0:
                    os.pwrite(self.fd, bytes(page[:end]), number * PAGE)
            os.ftruncate(self.fd, self.length)
            self.pages, self.synced = {}, self.length

    def discard_unsynced(self):
        """Discards unsynced data, and returns whether there was any."""
        with self.lock:
            lost_data = bool(self.pages) or self.length != self.synced
            self.pages, self.length = {}, self.synced
            return lost_data


class LossyFilesystem(Operations):
    def __init__(self, backing):
        self.backing, self.files, self.handles, self.lock = backing, {}, {}, threading.RLock()

    def backing_path(self, path):
        return self.backing + path

    def file(self, path, flags=0):
        with self.lock:
            if path not in self.files:
                self.files[path] = File(self.backing_path(path), flags)
            return self.files[path]

    def fail_power(self):
        with self.lock:
            lost = 0
            for path, file in sorted(self.files.items()):
                (length, synced) = (file.length, file.synced)
                if file.discard_unsynced():
                    lost += 1
                    print(f"{path} had {length} bytes, and {synced} at its last sync", flush=True)
        print(f"the power failed: {lost} of {len(self.files)} files had unsynced data", flush=True)

    # File system operations

    def getattr(self, path, fi=None):
        try:
            status = os.lstat(self.backing_path(path))
        except OSError as error:
            raise FuseOSError(error.errno) from error
        names = "st_atime", "st_ctime", "st_gid", "st_mode", "st_mtime", "st_nlink", "st_size", "st_uid"
        attributes = {name: getattr(status, name) for name in names}
        with self.lock:
            if path in self.files:
                attributes["st_size"] = self.files[path].length
        return attributes

    def readdir(self, path, fi):
        return [".", "..", *os.listdir(self.backing_path(path))]

    def mkdir(self, path, mode):
        self.call_os(os.mkdir, self.backing_path(path), mode)

    def rmdir(self, path):
        self.call_os(os.rmdir, self.backing_path(path))

    def unlink(self, path):
        self.call_os(os.unlink, self.backing_path(path))
        with self.lock:
            self.files.pop(path, None)

    def rename(self, old, new):
        self.call_os(os.rename, self.backing_path(old), self.backing_path(new))
        with self.lock:
            if old in self.files:
                self.files[new] = self.files.pop(old)
            else:
                self.files.pop(new, None)
            # Renaming a folder moves its files.
            for path in [path for path in self.files if path.startswith(f"{old}/")]:
                self.files[new + path[len(old) :]] = self.files.pop(path)

    def chmod(self, path, mode):
        self.call_os(os.chmod, self.backing_path(path), mode)

    def utimens(self, path, times=None):
        self.call_os(os.utime, self.backing_path(path), times)

    @staticmethod
    def call_os(call, *arguments):
        try:
            call(*arguments)
        except OSError as error:
            raise FuseOSError(error.errno) from error

    def create(self, path, mode, fi):
        self.open(path, fi, os.O_CREAT)

    def open(self, path, fi, extra_flags=0):
        if path == POWER_FAILURE_FILE:
            self.fail_power()
            raise FuseOSError(errno.EEXIST)
        flags = fi.flags | extra_flags
        with self.lock:
            try:
                file = self.file(path, flags)
            except OSError as error:
                raise FuseOSError(error.errno) from error
            fi.fh = max(self.handles, default=0) + 1
            # With these flags, every write is synced before it returns.
            self.handles[fi.fh] = file, bool(flags & (os.O_SYNC | os.O_DSYNC))
        fi.direct_io = 1
        if flags & os.O_TRUNC:
            file.truncate(0)
        return 0

    def release(self, path, fi):
        with self.lock:
            self.handles.pop(fi.fh, None)

    def read(self, path, size, offset, fi):
        return self.handles[fi.fh][0].read(size, offset)

    def write(self, path, data, offset, fi):
        file, is_synchronous = self.handles[fi.fh]
        written = file.write(data, offset)
        if is_synchronous:
            file.sync()
        return written

    def truncate(self, path, length, fi=None):
        file, is_synchronous = (self.handles.get(fi.fh) if fi else None) or (self.file(path), False)
        file.truncate(length)
        if is_synchronous:
            file.sync()

    def fsync(self, path, datasync, fi):
        self.handles[fi.fh][0].sync()

    def flush(self, path, fi):
        # Closing a file does not sync it.
        return 0

    def fsyncdir(self, path, datasync, fi):
        return 0


if __name__ == "__main__":
    FUSE(LossyFilesystem(sys.argv[1]), sys.argv[2], foreground=True, raw_fi=True, attr_timeout=0, entry_timeout=0, negative_timeout=0)
