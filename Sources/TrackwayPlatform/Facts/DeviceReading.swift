// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// One reading of the device's facts, made by whoever needs them first. Any thread; others wait for it meanwhile.
package final class DeviceReading: Sendable {
    /// Whether facts come from files and cost a thread milliseconds, so that an app that starts had better not wait for them. Where
    /// the system answers at once, some only on the main thread, they are read when they are wanted.
    package static var takesTime: Bool {
        #if os(Linux)
        true
        #else
        false
        #endif
    }

    private let known = Locked<DeviceFacts?>(nil)
    private let reading: Reading

    /// The closure stands in a struct: a bare one in a generic place is wrapped once more with every access.
    private struct Reading: Sendable {
        let make: @Sendable () -> DeviceFacts
    }

    /// A reading of this device, still to be made. What it needs of the environment is read at once, because a host that changes its
    /// environment while another thread reads it breaks that thread.
    ///
    /// - Parameter appID: The app's id, which the device's identity is made for.
    package static func system(appID: String) -> DeviceReading {
        #if os(Linux)
        let variables = ProcessEnvironment.values(of: LinuxLocale.variables)
        #endif
        return DeviceReading {
            #if os(Linux)
            let environment = Dictionary(uniqueKeysWithValues: variables.map { ($0.name, $0.value) })
            return DeviceFacts.read(appID: appID, environment: environment)
            #else
            return DeviceFacts.read(appID: appID)
            #endif
        }
    }

    /// A reading that is still to be made.
    ///
    /// - Parameter read: called once, on the thread that needs the facts first.
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
