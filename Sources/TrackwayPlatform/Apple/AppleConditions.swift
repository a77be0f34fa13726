// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Network)
internal import Dispatch
package import Foundation
internal import Network
package import TrackwayDelivery
internal import TrackwayEvents

/// Reports power, thermal, and network state together after each change.
///
/// The system's notifications may arrive on any thread, including the main thread; they only schedule an update on a
/// separate queue. Reading the power and thermal states requires no permission and accesses no file.
package final class AppleConditions: Sendable {
    /// The power and thermal states of the current process.
    package struct ProcessState: Sendable {
        /// Reads both states; an unknown state is nil.
        package var read: @Sendable () -> (savesPower: Bool?, thermalState: DeviceConditions.ThermalState?)
        /// The notifications that announce a change of either state.
        package var changes: [NSNotification.Name]

        /// Creates a source of states.
        package init(
            changes: [NSNotification.Name],
            read: @escaping @Sendable () -> (savesPower: Bool?, thermalState: DeviceConditions.ThermalState?)
        ) {
            self.changes = changes
            self.read = read
        }

        /// The source for this process.
        package static var current: ProcessState {
            #if canImport(Darwin)
            ProcessState(
                changes: [.NSProcessInfoPowerStateDidChange, ProcessInfo.thermalStateDidChangeNotification],
                read: {
                    let process = ProcessInfo.processInfo
                    return (process.isLowPowerModeEnabled, thermalState(process.thermalState))
                }
            )
            #else
            ProcessState(changes: [], read: { (nil, nil) })
            #endif
        }

        #if canImport(Darwin)
        private static func thermalState(_ state: ProcessInfo.ThermalState) -> DeviceConditions.ThermalState? {
            switch state {
            case .nominal: .nominal
            case .fair: .fair
            case .serious: .serious
            case .critical: .critical
            @unknown default: nil
            }
        }
        #endif
    }

    private let queue = DispatchQueue(label: "trackway.conditions", qos: .utility)
    private let monitor = NWPathMonitor()
    private let observers = Locked<[any NSObjectProtocol]>([])

    /// Starts reporting.
    ///
    /// - Parameter report: called on a private queue, one call at a time, never with the same conditions twice in a
    ///   row.
    package init(
        of process: ProcessState = .current,
        report: @escaping @Sendable (DeviceConditions) -> Void
    ) {
        let queue = queue
        let last = Locked<DeviceConditions?>(nil)
        let told: @Sendable (_ change: (inout DeviceConditions) -> Void) -> Void = { change in
            var conditions = last.withLock { $0 } ?? DeviceConditions()
            (conditions.savesPower, conditions.thermalState) = process.read()
            change(&conditions)
            let now = conditions
            let isNews = last.withLock { last in
                defer { last = now }
                return last != now
            }
            if isNews { report(now) }
        }
        for name in process.changes {
            observers.withLock {
                let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
                    queue.async { told { _ in } }
                }
                $0.append(observer)
            }
        }
        monitor.pathUpdateHandler = { path in
            // A connection that is established on demand counts as connected, because a request establishes it.
            let (isConnected, isConstrained, isExpensive) = (
                path.status != .unsatisfied, path.isConstrained, path.isExpensive
            )
            told { conditions in
                conditions.isConnected = isConnected
                conditions.isConstrained = isConnected ? isConstrained : nil
                conditions.isExpensive = isConnected ? isExpensive : nil
            }
        }
        queue.async { told { _ in } }
        monitor.start(queue: queue)
    }

    deinit {
        observers.withLock { for observer in $0 { NotificationCenter.default.removeObserver(observer) } }
        monitor.cancel()
    }
}
#endif
