// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
package import TrackwayJournal

/// The turn of one process to read, change and replace a state file that several processes of an installation share.
///
/// A lock beside the file (`<file>.lock`) says whose turn it is; it dies with its holder. A turn takes as long as two small
/// files do. Waiting is bounded all the same, because the holder may have been stopped by the system in the middle of it;
/// recording threads never wait here.
package struct FileTurn: Sendable {
    private let path: String
    private let storage: any JournalStorage

    /// How long a thread of the app waits at most, in attempts a millisecond apart.
    package static let shortly = 50
    /// How long the storage's own thread waits at most.
    package static let patiently = 1_000

    /// The turns of a file.
    package init(of path: String, in storage: any JournalStorage) {
        self.path = path + ".lock"
        self.storage = storage
    }

    /// Has `body` called while it is this process's turn.
    ///
    /// Where the lock itself cannot be opened, perhaps because another user made it, `body` is called without: to lose a
    /// decision for certain is worse than to lose another's by chance.
    ///
    /// - Parameter attempts: how often to ask for the turn, a millisecond apart; at least once.
    /// - Returns: false when it was somebody else's turn all the time; `body` was not called then.
    /// - Throws: what `body` throws.
    package func take(attempts: Int, _ body: () throws(StorageError) -> Void) throws(StorageError) -> Bool {
        var left = max(1, attempts)
        while true {
            let lock: (any StorageLock)?
            do throws(StorageError) {
                lock = try storage.lock(path)
            } catch {
                try body()
                return true
            }
            if let lock {
                defer { lock.release() }
                try body()
                return true
            }
            left -= 1
            guard left > 0 else { return false }
            // Nobody signals it: this is how a thread rests for a millisecond.
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(1))
        }
    }
}
