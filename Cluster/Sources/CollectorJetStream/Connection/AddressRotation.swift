// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Decides which server to try next, and after how long.
///
/// A value type.
struct AddressRotation: Sendable {
    /// The maximum number of addresses kept from servers' announcements.
    static let maxLearned = 32

    private let given: [NATSAddress]
    private var learned: [NATSAddress] = []
    private var next = 0
    /// The number of consecutive failed attempts.
    private var failures = 0
    private let times: NATSTimes

    /// Creates a rotation that starts with the first address.
    init(_ given: [NATSAddress], times: NATSTimes) {
        self.given = given
        self.times = times
    }

    /// All addresses: the given ones, then those learned from servers.
    var addresses: [NATSAddress] { given + learned }

    /// Returns the next server and the pause before trying it.
    ///
    /// No pause until every server has failed once.
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
    mutating func succeeded() { failures = 0 }

    /// Records that a connection failed.
    mutating func failed() { failures += 1 }

    /// Replaces the learned addresses with those a server announced.
    ///
    /// Given addresses stay. Learned addresses require TLS if any given one does, so that a server cannot turn TLS off.
    mutating func learned(_ others: [String]) {
        var learned: [NATSAddress] = []
        for other in others {
            guard learned.count < Self.maxLearned, var address = NATSAddress(other) else { continue }
            address.isEncrypted = given.contains { $0.isEncrypted }
            if !given.contains(address), !learned.contains(address) { learned.append(address) }
        }
        self.learned = learned
    }
}
