// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Dispatch
internal import Foundation
internal import TrackwayEvents

/// Where Apple's frameworks want to be asked.
enum MainThread {
    /// How long whoever asks elsewhere waits: the app may be busy there, or waiting for the one who asks.
    static let timeout = DispatchTimeInterval.milliseconds(500)

    /// What the main thread answers; nil when it has no time to.
    static func ask<Answer: Sendable>(_ question: @escaping @MainActor @Sendable () -> Answer) -> Answer? {
        if Thread.isMainThread { return MainActor.assumeIsolated { question() } }
        let answer = Locked<Answer?>(nil)
        let isThere = DispatchSemaphore(value: 0)
        DispatchQueue.main.async {
            let found = MainActor.assumeIsolated { question() }
            answer.withLock { $0 = found }
            isThere.signal()
        }
        _ = isThere.wait(timeout: .now() + timeout)
        return answer.withLock { $0 }
    }
}
#endif
