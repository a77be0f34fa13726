// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Network)
internal import Dispatch
package import Foundation
internal import Network
package import TrackwayDelivery
internal import TrackwayCore

/// Reports power, thermal, and network state together after each change.
///
/// The system's notifications may arrive on any thread, including the main thread; they only schedule an update on a
/// separate queue. Reading the power and thermal states requires no permission and accesses no file.
package final class AppleConditions: Sendable {
    /// The power and thermal states of the current process.
    package struct ProcessState: Sendable {
        /// Reads both states; a state is nil if unknown.
        package var read: @Sendable () -> (isInLowPowerMode: Bool?, thermalState: DeviceConditions.ThermalState?)
        /// The notifications that announce a change of either state.
        package var changes: [NSNotification.Name]

        /// Creates a source of states.
        package init(
            changes: [NSNotification.Name],
            read: @escaping @Sendable () -> (isInLowPowerMode: Bool?, thermalState: DeviceConditions.ThermalState?)
        ) {
            self.changes = changes
            self.read = read
        }

        /// The source of this process's states.
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
    /// - Parameter report: Called on a private queue, one call at a time, and never with the same conditions twice in a
    ///   row.
    package init(
        of process: ProcessState = .current,
        report: @escaping @Sendable (DeviceConditions) -> Void
    ) {
        let queue = queue
        let last = Locked<DeviceConditions?>(nil)
        let update: @Sendable (_ change: (inout DeviceConditions) -> Void) -> Void = { change in
            var conditions = last.withLock { $0 } ?? DeviceConditions()
            (conditions.isInLowPowerMode, conditions.thermalState) = process.read()
            change(&conditions)
            let now = conditions
            let isChanged = last.withLock { last in
                defer { last = now }
                return last != now
            }
            if isChanged { report(now) }
        }
        for name in process.changes {
            observers.withLock {
                let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
                    queue.async { update { _ in } }
                }
                $0.append(observer)
            }
        }
        monitor.pathUpdateHandler = { path in
            // A connection that is established on demand counts as connected, because a request establishes it.
            let (isConnected, isConstrained, isExpensive) = (
                path.status != .unsatisfied, path.isConstrained, path.isExpensive
            )
            update { conditions in
                conditions.isConnected = isConnected
                conditions.isConstrained = isConnected ? isConstrained : nil
                conditions.isExpensive = isConnected ? isExpensive : nil
            }
        }
        queue.async { update { _ in } }
        monitor.start(queue: queue)
    }

    deinit {
        observers.withLock { for observer in $0 { NotificationCenter.default.removeObserver(observer) } }
        monitor.cancel()
    }
}
#endif
