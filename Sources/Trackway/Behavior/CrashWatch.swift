// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayPlatform

/// Has crashes of this process reported, or what the system tells of them, while somebody wants that: handlers and observers go
/// in and out of the process at run time.
final class CrashWatch: Sendable {
    /// What the handlers need stands here as long as they are to stay; letting go of it takes them out.
    private let held = Locked<(any Sendable)?>(nil)
    private let begin: @Sendable () -> (any Sendable)?

    /// Makes a watch that does not watch yet.
    ///
    /// - Parameter begin: puts the handlers in; nil when they cannot be, which it has told.
    init(_ begin: @escaping @Sendable () -> (any Sendable)?) {
        self.begin = begin
    }

    /// Makes what is wanted so. Of several calls at the same time the last one's wish counts.
    ///
    /// - Parameter isWanted: asked once, inside the watch's lock.
    func follow(_ isWanted: () -> Bool) {
        held.withLock { held in
            if !isWanted() {
                held = nil
            } else if held == nil {
                held = begin()
            }
        }
    }
}

extension CrashReport {
    /// What its event says.
    var attributes: Attributes {
        [CapturedKey.exceptionMessage: .string(message), CapturedKey.exceptionStack: .string(stack)]
    }
}
