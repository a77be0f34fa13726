// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayPlatform

/// Turns a kind of crash capture on and off at run time.
///
/// The handlers either capture crashes of this process or observe the system's crash reports.
final class CrashReportSubscription: Sendable {
    /// Retains the installed handlers; releasing it removes them.
    private let handlers = Locked<(any Sendable)?>(nil)
    private let install: @Sendable () -> (any Sendable)?

    /// Creates a subscription that is not active yet.
    ///
    /// - Parameter install: A closure that installs the handlers; returns nil if that failed and was reported.
    init(_ install: @escaping @Sendable () -> (any Sendable)?) {
        self.install = install
    }

    /// Installs or removes the handlers.
    ///
    /// The last of several concurrent calls applies.
    ///
    /// - Parameter isWanted: Evaluated once, under the subscription's lock.
    func update(_ isWanted: () -> Bool) {
        handlers.withLock { handlers in
            if !isWanted() {
                handlers = nil
            } else if handlers == nil {
                handlers = install()
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
