# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Trackway authors
"""A file system that loses unsynced data in a simulated power failure: `forgetful.py BACKING MOUNTPOINT`.

Written data stays in this process until the file is synced; then it is stored in BACKING. Creating a file named
`.power-failed` at the top level simulates a power failure: every file returns to its state at the last sync. Names are
stored immediately (creating, renaming and removing files is never lost), as in nearly all journaling file systems.
"""
import errno
import os
import sys
import threading

from fuse import FUSE, FuseOSError, Operations

PAGE = 4096
SIGN = "/.power-failed"


class File:
    """A file's synced bytes, in the backing file, and the bytes written since."""

    def __init__(self, backing, flags):
        self.fd = os.open(backing, os.O_RDWR | flags & os.O_CREAT, 0o600)
        self.pages, self.lock = {}, threading.RLock()
        self.length = self.synced = os.fstat(self.fd).st_size

    def read(self, size, offset):
        with self.lock:
            size = max(0, min(size, self.length - offset))
            found = bytearray(size)
            below = os.pread(self.fd, max(0, min(size, self.synced - offset)), offset)
            found[: len(below)] = below
            for number in range(offset // PAGE, (offset + size + PAGE - 1) // PAGE):
                if (page := self.pages.get(number)) is not None:
                    start, end = max(offset, number * PAGE), min(offset + size, (number + 1) * PAGE)
                    found[start - offset : end - offset] = page[start - number * PAGE : end - number * PAGE]
            return bytes(found)

    def page(self, number):
        if number not in self.pages:
            below = os.pread(self.fd, max(0, min(PAGE, self.synced - number * PAGE)), number * PAGE)
            self.pages[number] = bytearray(below.ljust(PAGE, b"\0"))
        return self.pages[number]

    def write(self, data, offset):
        with self.lock:
            done = 0
            while done < len(data):
                number, start = divmod(offset + done, PAGE)
                piece = data[done : done + PAGE - start]
                self.page(number)[start : start + len(piece)] = piece
                done += len(piece)
            self.length = max(self.length, offset + len(data))
            return len(data)

    def truncate(self, length):
        with self.lock:
            for number in [number for number in self.pages if number * PAGE >= length]:
                del self.pages[number]
            # Synced bytes that are cut off read as zeros when the file grows again.
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

    def forget(self):
        """Discards unsynced data, and returns whether there was any."""
        with self.lock:
            is_lost = bool(self.pages) or self.length != self.synced
            self.pages, self.length = {}, self.synced
            return is_lost


class Forgetful(Operations):
    def __init__(self, backing):
        self.backing, self.files, self.handles, self.guard = backing, {}, {}, threading.RLock()

    def below(self, path):
        return self.backing + path

    def known(self, path, flags=0):
        with self.guard:
            if path not in self.files:
                self.files[path] = File(self.below(path), flags)
            return self.files[path]

    def fail_power(self):
        with self.guard:
            lost = 0
            for path, file in sorted(self.files.items()):
                (length, synced) = (file.length, file.synced)
                if file.forget():
                    lost += 1
                    print(f"{path} had {length} bytes, and {synced} at its last sync", flush=True)
        print(f"the power failed: {lost} of {len(self.files)} files had unsynced data", flush=True)

    # File system operations

    def getattr(self, path, fi=None):
        try:
            found = os.lstat(self.below(path))
        except OSError as error:
            raise FuseOSError(error.errno) from error
        names = "st_atime", "st_ctime", "st_gid", "st_mode", "st_mtime", "st_nlink", "st_size", "st_uid"
        attributes = {name: getattr(found, name) for name in names}
        with self.guard:
            if path in self.files:
                attributes["st_size"] = self.files[path].length
        return attributes

    def readdir(self, path, fi):
        return [".", "..", *os.listdir(self.below(path))]

    def mkdir(self, path, mode):
        self.on_names(os.mkdir, self.below(path), mode)

    def rmdir(self, path):
        self.on_names(os.rmdir, self.below(path))

    def unlink(self, path):
        self.on_names(os.unlink, self.below(path))
        with self.guard:
            self.files.pop(path, None)

    def rename(self, old, new):
        self.on_names(os.rename, self.below(old), self.below(new))
        with self.guard:
            if old in self.files:
                self.files[new] = self.files.pop(old)
            else:
                self.files.pop(new, None)
            # Renaming a folder moves its files.
            for path in [path for path in self.files if path.startswith(f"{old}/")]:
                self.files[new + path[len(old) :]] = self.files.pop(path)

    def chmod(self, path, mode):
        self.on_names(os.chmod, self.below(path), mode)

    def utimens(self, path, times=None):
        self.on_names(os.utime, self.below(path), times)

    @staticmethod
    def on_names(call, *words):
        try:
            call(*words)
        except OSError as error:
            raise FuseOSError(error.errno) from error

    def create(self, path, mode, fi):
        self.open(path, fi, os.O_CREAT)

    def open(self, path, fi, more=0):
        if path == SIGN:
            self.fail_power()
            raise FuseOSError(errno.EEXIST)
        flags = fi.flags | more
        with self.guard:
            try:
                file = self.known(path, flags)
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
        with self.guard:
            self.handles.pop(fi.fh, None)

    def read(self, path, size, offset, fi):
        return self.handles[fi.fh][0].read(size, offset)

    def write(self, path, data, offset, fi):
        file, syncs = self.handles[fi.fh]
        written = file.write(data, offset)
        if syncs:
            file.sync()
        return written

    def truncate(self, path, length, fi=None):
        file, syncs = (self.handles.get(fi.fh) if fi else None) or (self.known(path), False)
        file.truncate(length)
        if syncs:
            file.sync()

    def fsync(self, path, datasync, fi):
        self.handles[fi.fh][0].sync()

    def flush(self, path, fi):
        # Closing a file does not sync it.
        return 0

    def fsyncdir(self, path, datasync, fi):
        return 0


if __name__ == "__main__":
    FUSE(Forgetful(sys.argv[1]), sys.argv[2], foreground=True, raw_fi=True, attr_timeout=0, entry_timeout=0, negative_timeout=0)
