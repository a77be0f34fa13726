// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// How much a key may ask for. Nil is no limit.
package struct KeyLimits: Sendable, Hashable {
    /// Requests a second.
    package var requestsPerSecond: Int?
    /// Events a day, refused ones included.
    package var eventsPerDay: Int?

    /// Limits; none by default.
    package init(requestsPerSecond: Int? = nil, eventsPerDay: Int? = nil) {
        self.requestsPerSecond = requestsPerSecond
        self.eventsPerDay = eventsPerDay
    }

    /// These limits, and where they say nothing, others.
    package func filled(from others: KeyLimits) -> KeyLimits {
        KeyLimits(
            requestsPerSecond: requestsPerSecond ?? others.requestsPerSecond,
            eventsPerDay: eventsPerDay ?? others.eventsPerDay
        )
    }

    /// The key file's words: `rate=50`, `daily=1000000`; none where there is no limit.
    var words: [String] {
        [("rate", requestsPerSecond), ("daily", eventsPerDay)].compactMap { word, number in
            number.map { "\(word)=\($0)" }
        }
    }

    /// Takes over a word of the key file.
    ///
    /// - Returns: False for a word that is no limit, or none that can be kept.
    mutating func read(_ word: some StringProtocol) -> Bool {
        let parts = word.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let number = Int(parts[1]), RateLimit.counts.contains(number) else { return false }
        switch parts[0] {
        case "rate": requestsPerSecond = number
        case "daily": eventsPerDay = number
        default: return false
        }
        return true
    }
}
