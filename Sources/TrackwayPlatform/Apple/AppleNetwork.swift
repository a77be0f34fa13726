// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Dispatch
internal import Network
internal import TrackwayEvents

/// Watches which kind of network leads to the outside. The system tells of changes on a queue of our own and needs no leave.
///
/// Nothing is known until it has told for the first time, a moment after the watching began: the facts read at an app's
/// start have no network, those read when it comes back to the foreground do.
final class AppleNetwork: Sendable {
    /// One watch for the process, begun when it is first asked.
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

    /// What the system told last; nil before it did.
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
