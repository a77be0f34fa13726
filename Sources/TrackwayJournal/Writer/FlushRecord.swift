// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Which events of a writer's log are proven to be on stable storage.
///
/// A failed flush leaves the pages it covered in doubt for good: the system calls them clean, whether they were written
/// or not, and every later flush succeeds without them. So what a failed flush may have covered is never proven again,
/// whoever asks.
struct FlushRecord: Sendable, Hashable {
    /// Ranges kept apart at most; beyond, the oldest grow together, over events whose callers were answered long ago.
    static let limit = 64

    /// Every event up to here is either on stable storage or in doubt.
    private(set) var settled: UInt64 = 0
    private(set) var doubtful: [ClosedRange<UInt64>] = []

    /// A flush that began after the event `last` was appended has succeeded.
    mutating func flushed(through last: UInt64) {
        settled = max(settled, last)
    }

    /// Everything up to `last` that was not proven before is in doubt from now on.
    mutating func failed(through last: UInt64) {
        guard last > settled else { return }
        doubtful.append((settled + 1)...last)
        settled = last
        guard doubtful.count > Self.limit else { return }
        let merged = doubtful[0].lowerBound...doubtful[1].upperBound
        doubtful.replaceSubrange(0...1, with: [merged])
    }

    /// Whether an event is on stable storage.
    func proves(_ sequence: UInt64) -> Bool {
        sequence <= settled && !doubtful.contains { $0.contains(sequence) }
    }
}
