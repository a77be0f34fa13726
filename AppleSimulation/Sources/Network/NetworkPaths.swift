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

/// The way to the outside, as the system knows it at a moment.
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
    /// A path over interfaces of these kinds; none is a phone without a network.
    ///
    /// - Parameters:
    ///   - kinds: The kinds of its interfaces, the one in use first.
    ///   - isExpensive: Whether somebody pays for what is sent: a cellular network does, and a hotspot.
    ///   - isConstrained: Whether the person wants little to be sent: low-data mode.
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

/// Rules modelled here: a monitor tells the path of the moment soon after it was started, on its queue, and every change from
/// then on; one that was cancelled stays silent for ever (Apple, page of `NWPathMonitor`).
public final class NWPathMonitor: @unchecked Sendable {
    private let lock = NSLock()
    private var handler: (@Sendable (NWPath) -> Void)?
    private var heldQueue: DispatchQueue?
    private var isCancelled = false

    public init() {}

    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
        get { lock.withLock { handler } }
        set { lock.withLock { handler = newValue } }
    }

    public var queue: DispatchQueue? { lock.withLock { heldQueue } }

    public var currentPath: NWPath {
        #if !canImport(ObjectiveC)
        return SimulatedNetwork.current.path
        #endif
    }

    public func start(queue: DispatchQueue) {
        #if !canImport(ObjectiveC)
        lock.withLock { heldQueue = queue }
        SimulatedNetwork.current.add(self)
        tell()
        #endif
    }

    public func cancel() {
        lock.withLock {
            isCancelled = true
            handler = nil
        }
    }

    #if !canImport(ObjectiveC)
    func tell() {
        let path = SimulatedNetwork.current.path
        lock.withLock {
            guard !isCancelled, let heldQueue else { return }
            heldQueue.async { [weak self] in self?.pathUpdateHandler?(path) }
        }
    }
    #endif
}

#if !canImport(ObjectiveC)
/// The phone's network: what a test drives.
public final class SimulatedNetwork: @unchecked Sendable {
    private final class Held {
        weak var monitor: NWPathMonitor?

        init(_ monitor: NWPathMonitor) {
            self.monitor = monitor
        }
    }

    /// The network in use: a wireless one until a test says otherwise.
    public static let current = SimulatedNetwork()

    private let lock = NSLock()
    private var held: [Held] = []
    private var now = NWPath.simulated(.wifi)

    /// The way to the outside now.
    public var path: NWPath { lock.withLock { now } }

    /// The network changes; monitors tell it on their queues.
    public func simulate(_ path: NWPath) {
        let monitors = lock.withLock {
            now = path
            return held.compactMap(\.monitor)
        }
        for monitor in monitors { monitor.tell() }
    }

    func add(_ monitor: NWPathMonitor) {
        lock.withLock {
            held.removeAll { $0.monitor == nil }
            held.append(Held(monitor))
        }
    }
}
#endif
