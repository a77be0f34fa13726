// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Reads the device's facts once, on the first thread that needs them.
///
/// The facts can be accessed from any thread; other threads wait until they have been read.
package final class DeferredDeviceFacts: Sendable {
    /// Whether facts are read from files, which takes milliseconds.
    ///
    /// An app should not wait for that at launch. If the system provides facts immediately (some only on the main
    /// thread), they are read on demand.
    package static var takesTime: Bool {
        #if os(Linux)
        true
        #else
        false
        #endif
    }

    private let known = Locked<DeviceFacts?>(nil)
    private let reading: Reading

    /// The reading closure, boxed in a struct to avoid reabstraction thunks.
    private struct Reading: Sendable {
        let make: @Sendable () -> DeviceFacts
    }

    /// Creates a deferred reading of this device.
    ///
    /// The required environment variables are read immediately, because a host app that changes its environment while
    /// another thread reads it would crash that thread.
    ///
    /// - Parameter appID: The app's id, for which the device's identity is derived.
    package static func system(appID: String) -> DeferredDeviceFacts {
        #if os(Linux)
        let variables = ProcessEnvironment.values(of: LinuxLocale.variables)
        #endif
        return DeferredDeviceFacts {
            #if os(Linux)
            let environment = Dictionary(uniqueKeysWithValues: variables.map { ($0.name, $0.value) })
            return DeviceFacts.read(appID: appID, environment: environment)
            #else
            return DeviceFacts.read(appID: appID)
            #endif
        }
    }

    /// Creates a deferred reading.
    ///
    /// - Parameter read: Called once, on the thread that needs the facts first.
    package init(_ read: @escaping @Sendable () -> DeviceFacts) {
        reading = Reading(make: read)
    }

    /// The facts; the first call reads them.
    package var facts: DeviceFacts {
        known.withLock { known in
            if let known { return known }
            let facts = reading.make()
            known = facts
            return facts
        }
    }
}
