// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Selects the next server to try, and the pause before trying it.
///
/// A value type.
struct AddressRotation: Sendable {
    /// The maximum number of addresses learned from servers' announcements.
    static let maxLearned = 32

    private let configured: [NATSAddress]
    private var learned: [NATSAddress] = []
    private var next = 0
    /// The number of consecutive failed connections.
    private var failures = 0
    private let times: NATSTimes

    /// Creates a rotation that starts with the first address.
    init(_ configured: [NATSAddress], times: NATSTimes) {
        self.configured = configured
        self.times = times
    }

    /// All addresses: the configured ones, then those learned from servers.
    var addresses: [NATSAddress] { configured + learned }

    /// Returns the next server and the pause before trying it.
    ///
    /// The pause is zero except at the start of a new round, after every server has failed.
    mutating func take() -> (address: NATSAddress, pause: Duration)? {
        let all = addresses
        guard !all.isEmpty else { return nil }
        let address = all[next % all.count]
        next = (next + 1) % all.count
        return (address, pause(all.count))
    }

    private func pause(_ count: Int) -> Duration {
        guard failures > 0, failures.isMultiple(of: count) else { return .zero }
        var pause = times.firstPause
        for _ in 1..<max(failures / count, 1) where pause < times.longestPause { pause *= 2 }
        return min(pause, times.longestPause)
    }

    /// Records that a connection was usable.
    mutating func recordSuccess() { failures = 0 }

    /// Records that a connection failed.
    mutating func recordFailure() { failures += 1 }

    /// Replaces the learned addresses with those that a server announced.
    ///
    /// Configured addresses are kept. Learned addresses require TLS if any configured address does, so that a server
    /// cannot turn TLS off.
    mutating func updateLearnedAddresses(_ others: [String]) {
        var learned: [NATSAddress] = []
        for other in others {
            guard learned.count < Self.maxLearned, var address = NATSAddress(other) else { continue }
            address.isEncrypted = configured.contains { $0.isEncrypted }
            if !configured.contains(address), !learned.contains(address) { learned.append(address) }
        }
        self.learned = learned
    }
}
