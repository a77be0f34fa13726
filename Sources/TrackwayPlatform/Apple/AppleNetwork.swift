// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Dispatch
internal import Network
internal import TrackwayCore

/// Tracks the kind of the current network.
///
/// The system reports changes on a separate queue; this requires no permission. The network is unknown until the first
/// report, shortly after the start. Facts read at an app's launch therefore contain no network, but those read when the
/// app returns to the foreground do.
final class AppleNetwork: Sendable {
    /// The process's shared tracker, which starts at the first access.
    static let process = AppleNetwork()

    private let monitor = NWPathMonitor()
    private let last = Locked<NetworkFacts?>(nil)

    private init() {
        let last = last
        monitor.pathUpdateHandler = { path in
            let facts = NetworkFacts(kind: Self.kind(of: path), interfaces: [])
            last.withLock { $0 = facts }
        }
        monitor.start(queue: DispatchQueue(label: "trackway.network-kind", qos: .utility))
    }

    /// Returns the last reported facts; nil before the first report.
    func facts() -> NetworkFacts? {
        last.withLock { $0 }
    }

    private static func kind(of path: NWPath) -> NetworkFacts.Kind? {
        guard path.status == .satisfied else { return nil }
        if path.usesInterfaceType(.wifi) { return .wifi }
        if path.usesInterfaceType(.cellular) { return .cellular }
        if path.usesInterfaceType(.wiredEthernet) { return .ethernet }
        return nil
    }
}
#endif
