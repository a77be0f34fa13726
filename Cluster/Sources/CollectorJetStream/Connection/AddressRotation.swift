// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Decides which server is tried next, and after which pause. A value.
struct AddressRotation: Sendable {
    /// So many addresses that servers told are kept.
    static let maxLearned = 32

    private let given: [NATSAddress]
    private var learned: [NATSAddress] = []
    private var next = 0
    /// How many were tried in vain one after the other.
    private var failures = 0
    private let times: NATSTimes

    /// A rotation that begins with the first address.
    init(_ given: [NATSAddress], times: NATSTimes) {
        self.given = given
        self.times = times
    }

    /// All that are tried.
    var addresses: [NATSAddress] { given + learned }

    /// The next server, and how long to wait before it is tried: not at all until each of them was tried in vain.
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

    /// The server could be used.
    mutating func succeeded() { failures = 0 }

    /// The server could not be used.
    mutating func failed() { failures += 1 }

    /// A server told where the others are. Those of the newest message count, beside those that were given. Whether they are connected to
    /// in plain is not for a server to say: they are encrypted as those are that were given.
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
