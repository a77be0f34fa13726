// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayPlatform

/// Turns a kind of crash capture on and off at run time.
///
/// It installs and removes the handlers for crashes of this process, or the observers of the system's crash reports.
final class CrashReportSubscription: Sendable {
    /// Retains the installed handlers; releasing it removes them.
    private let held = Locked<(any Sendable)?>(nil)
    private let begin: @Sendable () -> (any Sendable)?

    /// Creates a subscription that is not active yet.
    ///
    /// - Parameter begin: Installs the handlers; nil if that failed and was reported.
    init(_ begin: @escaping @Sendable () -> (any Sendable)?) {
        self.begin = begin
    }

    /// Installs or removes the handlers.
    ///
    /// The last of several concurrent calls applies.
    ///
    /// - Parameter isWanted: Evaluated once, under the subscription's lock.
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
    /// The attributes of the crash event.
    var attributes: Attributes {
        [CapturedKey.exceptionMessage: .string(message), CapturedKey.exceptionStack: .string(stack)]
    }
}
