// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CTrackway
private import TrackwayEvents

/// An advisory lock on an open file; the system ends it when the descriptor closes or the process dies.
final class DiskLock: StorageLock {
    private let file: Locked<Int32?>

    init(file: Int32) {
        self.file = Locked(file)
    }

    deinit {
        release()
    }

    func release() {
        let held = file.withLock { file -> Int32? in
            defer { file = nil }
            return file
        }
        if let held { _ = ctrackway_close(held) }
    }
}
