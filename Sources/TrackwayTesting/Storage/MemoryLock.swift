// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayJournal

/// An advisory lock of a ``MemoryStorage``.
final class MemoryLock: StorageLock {
    private let give: Locked<(@Sendable () -> Void)?>

    init(giveBack: @escaping @Sendable () -> Void) {
        give = Locked(giveBack)
    }

    deinit {
        release()
    }

    func release() {
        let giveBack = give.withLock { held in
            defer { held = nil }
            return held
        }
        giveBack?()
    }
}
