// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Dispatch
public import Foundation

public struct NWInterface: Sendable, Hashable {
    public enum InterfaceType: Sendable, Hashable {
        case other
        case wifi
        case cellular
        case wiredEthernet
        case loopback
    }

    public let type: InterfaceType
    public let name: String
}

/// The network path, as the system knows it at one moment.
public struct NWPath: Sendable, Equatable {
    public enum Status: Sendable {
        case satisfied
        case unsatisfied
        case requiresConnection
    }

    public let status: Status
    public let availableInterfaces: [NWInterface]
    public let isExpensive: Bool
    public let isConstrained: Bool
    public let supportsDNS: Bool
    public let supportsIPv4: Bool
    public let supportsIPv6: Bool

    public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool {
        availableInterfaces.contains { $0.type == type }
    }

    #if !canImport(ObjectiveC)
    /// Returns a path over interfaces of these kinds.
    ///
    /// Without kinds, the phone has no network.
    ///
    /// - Parameters:
    ///   - kinds: The kinds of interfaces, with the one in use first.
    ///   - isExpensive: Whether data may cost money, as on a cellular network or a hotspot.
    ///   - isConstrained: Whether the user has enabled low-data mode.
    public static func simulated(
        _ kinds: NWInterface.InterfaceType...,
        isExpensive: Bool = false,
        isConstrained: Bool = false
    ) -> NWPath {
        NWPath(
            status: kinds.isEmpty ? .unsatisfied : .satisfied,
            availableInterfaces: kinds.map { NWInterface(type: $0, name: "en0") },
            isExpensive: isExpensive || kinds.first == .cellular,
            isConstrained: isConstrained,
            supportsDNS: !kinds.isEmpty,
            supportsIPv4: !kinds.isEmpty,
            supportsIPv6: !kinds.isEmpty
        )
    }
    #endif
}

/// Rules modeled here:
/// - A monitor reports the current path on its queue soon after its start, and every later change; a canceled monitor
///   never reports again (Apple, page of `NWPathMonitor`).
public final class NWPathMonitor: @unchecked Sendable {
    private let lock = NSLock()
    private var handler: (@Sendable (NWPath) -> Void)?
    private var storedQueue: DispatchQueue?
    private var isCancelled = false

    public init() {}

    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
        get { lock.withLock { handler } }
        set { lock.withLock { handler = newValue } }
    }

    public var queue: DispatchQueue? { lock.withLock { storedQueue } }

    public var currentPath: NWPath {
        #if !canImport(ObjectiveC)
        return SimulatedNetwork.current.path
        #endif
    }

    public func start(queue: DispatchQueue) {
        #if !canImport(ObjectiveC)
        lock.withLock { storedQueue = queue }
        SimulatedNetwork.current.add(self)
        notify()
        #endif
    }

    public func cancel() {
        lock.withLock {
            isCancelled = true
            handler = nil
        }
    }

    #if !canImport(ObjectiveC)
    func notify() {
        let path = SimulatedNetwork.current.path
        lock.withLock {
            guard !isCancelled, let storedQueue else { return }
            storedQueue.async { [weak self] in self?.pathUpdateHandler?(path) }
        }
    }
    #endif
}

#if !canImport(ObjectiveC)
/// The phone's network, controlled by tests.
public final class SimulatedNetwork: @unchecked Sendable {
    private final class WeakMonitor {
        weak var monitor: NWPathMonitor?

        init(_ monitor: NWPathMonitor) {
            self.monitor = monitor
        }
    }

    /// The current instance: Wi-Fi until a test changes it.
    public static let current = SimulatedNetwork()

    private let lock = NSLock()
    private var weakMonitors: [WeakMonitor] = []
    private var now = NWPath.simulated(.wifi)

    /// The current path.
    public var path: NWPath { lock.withLock { now } }

    /// Changes the network path.
    ///
    /// Monitors report it on their queues.
    public func simulate(_ path: NWPath) {
        let monitors = lock.withLock {
            now = path
            return weakMonitors.compactMap(\.monitor)
        }
        for monitor in monitors { monitor.notify() }
    }

    func add(_ monitor: NWPathMonitor) {
        lock.withLock {
            weakMonitors.removeAll { $0.monitor == nil }
            weakMonitors.append(WeakMonitor(monitor))
        }
    }
}
#endif
