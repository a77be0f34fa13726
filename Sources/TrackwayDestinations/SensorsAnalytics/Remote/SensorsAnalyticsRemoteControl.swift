// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Decides when to ask a back-end for its configuration, and when what it said takes effect.
///
/// Asked at a start or a return to the foreground, once a moment 24 to 48 hours after the last answer has passed or the
/// device was restarted. At most three attempts, half a minute apart.
package struct SensorsAnalyticsRemoteControl: Sendable, Hashable, Codable {
    /// What to do.
    package enum Action: Sendable, Hashable {
        /// Make this configuration count, which is ``effective``; nil when none was ever received.
        case apply(SensorsAnalyticsRemoteConfiguration?)
        /// Ask, naming the configuration that is known; answer with `answered`.
        case request(known: SensorsAnalyticsRemoteConfiguration?)
        /// Come back with `pauseEnded` after this time.
        case pause(Duration)
        /// Record that the configuration changed.
        case recordChange(SensorsAnalyticsRemoteConfiguration)
        /// Keep the state.
        case save
    }

    private enum State: Sendable, Hashable {
        /// Nothing is under way.
        case idle
        /// The back-end was asked; so many attempts were made, this one included.
        case asking(attempts: Int)
        /// The last attempt failed.
        case pausing(attempts: Int)
    }

    /// When to ask again: a moment of one boot.
    private struct NextRequest: Sendable, Hashable, Codable {
        var boot: String
        var at: MonotonicTime
    }

    private var received: SensorsAnalyticsRemoteConfiguration?
    private var next: NextRequest?
    // Nothing of what follows survives the process.
    private var state = State.idle
    /// What counts in this process while the newest waits for the next start; nil when nothing waits.
    private var before: SensorsAnalyticsRemoteConfiguration??

    /// The configuration that counts now; nil when none was ever received.
    package var effective: SensorsAnalyticsRemoteConfiguration? {
        if let before { before } else { received }
    }

    /// An installation that never asked.
    package init() {}

    /// The most attempts in a row.
    package static let attempts = 3
    /// The time between two attempts.
    package static let pause = Duration.seconds(30)
    /// The least time between two answers; the most is twice as long.
    package static let interval = Duration.seconds(24 * 3_600)

    // MARK: Inputs

    /// The app started.
    package mutating func started(boot: String, at now: MonotonicTime) -> [Action] {
        // What waited for the next start counts from here on.
        [.apply(effective)] + askIfDue(boot: boot, at: now)
    }

    /// The user came back to the app.
    package mutating func returned(boot: String, at now: MonotonicTime) -> [Action] {
        // Applied again as often as the app comes back, in case something else changed what is recorded meanwhile.
        [.apply(effective)] + askIfDue(boot: boot, at: now)
    }

    /// The app wants to know now, whatever the schedule says: it has moved to another back-end.
    package mutating func asked() -> [Action] {
        guard case .idle = state else { return [] }
        state = .asking(attempts: 1)
        return [.request(known: received)]
    }

    /// The user left the app: nobody asks for anything until the user is back.
    package mutating func left() -> [Action] {
        state = .idle
        return []
    }

    /// The back-end answered.
    ///
    /// - Parameter chance: 0 up to 1, where in the second day to ask again.
    package mutating func answered(
        _ answer: SensorsAnalyticsRemoteExchange.Answer,
        boot: String,
        at now: MonotonicTime,
        chance: Double
    ) -> [Action] {
        guard case .asking(let attempts) = state else { return [] }  // The user left meanwhile.
        switch answer {
        case .failed:
            guard attempts < Self.attempts else {
                state = .idle
                return []
            }
            state = .pausing(attempts: attempts)
            return [.pause(Self.pause)]
        case .unchanged:
            settle(boot: boot, at: now, chance: chance)
            return [.save]
        case .received(let configuration):
            settle(boot: boot, at: now, chance: chance)
            let isNew = configuration != received
            guard isNew else { return [.save] }
            // The one before stays in effect when this one is for the next start.
            if configuration.effect == .nextStart { before = .some(effective) } else { before = nil }
            received = configuration
            let effect: [Action] = configuration.effect == .now ? [.apply(configuration)] : []
            // Kept last: a process that ends before it recorded the change gets the same answer in its next run.
            return effect + [.recordChange(configuration), .save]
        }
    }

    /// The pause that was asked for is over.
    package mutating func pauseEnded() -> [Action] {
        guard case .pausing(let attempts) = state else { return [] }
        state = .asking(attempts: attempts + 1)
        return [.request(known: received)]
    }

    // MARK: Transitions

    private mutating func askIfDue(boot: String, at now: MonotonicTime) -> [Action] {
        guard case .idle = state else { return [] }
        if let next, next.boot == boot, now < next.at { return [] }
        state = .asking(attempts: 1)
        return [.request(known: received)]
    }

    private mutating func settle(boot: String, at now: MonotonicTime, chance: Double) {
        state = .idle
        let share = chance.isFinite ? min(max(chance, 0), 1) : 0
        next = NextRequest(boot: boot, at: now.advanced(by: Self.interval * (1 + share)))
    }

    // MARK: Keeping

    private enum CodingKeys: String, CodingKey {
        case received
        case next
    }

    /// Reads what was kept.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let text = try container.decodeIfPresent(String.self, forKey: .received) {
            received = try SensorsAnalyticsRemoteConfiguration(json: Array(text.utf8))
        }
        next = try container.decodeIfPresent(NextRequest.self, forKey: .next)
    }

    /// Writes what is to be kept.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(received.map { String(decoding: $0.json, as: UTF8.self) }, forKey: .received)
        try container.encodeIfPresent(next, forKey: .next)
    }
}
