// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// Decides when to request the remote configuration, and when it takes effect.
///
/// The configuration is requested at a start, or when the app returns to the foreground, if the next request is due or
/// the device was restarted. The next request is due 24 to 48 hours after the last response. At most three attempts are
/// made, 30 seconds apart.
package struct SensorsAnalyticsRemoteConfigStateMachine: Sendable, Hashable, Codable {
    /// An action to perform.
    package enum Action: Sendable, Hashable {
        /// Apply this configuration, which is ``effective``; nil if none was ever received.
        case apply(SensorsAnalyticsRemoteConfiguration?)
        /// Request the configuration.
        ///
        /// The request contains the versions of the known configuration. Report the result to `responseReceived`.
        case request(known: SensorsAnalyticsRemoteConfiguration?)
        /// Call `pauseEnded` after this time.
        case pause(Duration)
        /// Record that the configuration changed.
        case recordChange(SensorsAnalyticsRemoteConfiguration)
        /// Persist the state.
        case save
    }

    private enum State: Sendable, Hashable {
        /// No request is active.
        case idle
        /// A request is active; `attempts` includes it.
        case requesting(attempts: Int)
        /// The last attempt failed; the next one follows after a pause.
        case waiting(attempts: Int)
    }

    /// The time of the next request, valid only within one boot.
    private struct NextRequest: Sendable, Hashable, Codable {
        var boot: String
        var at: MonotonicTime
    }

    private var received: SensorsAnalyticsRemoteConfiguration?
    private var next: NextRequest?
    // The following properties are not persisted.
    private var state = State.idle
    /// The configuration in effect while a newer one is pending.
    ///
    /// The newer one takes effect at the next start of the process. Nil if no newer one is pending.
    private var before: SensorsAnalyticsRemoteConfiguration??

    /// The configuration in effect; nil if none was ever received.
    package var effective: SensorsAnalyticsRemoteConfiguration? {
        if let before { before } else { received }
    }

    /// Creates the state of an installation that has never sent a request.
    package init() {}

    /// The maximum number of consecutive attempts.
    package static let attempts = 3
    /// The time between two attempts.
    package static let pause = Duration.seconds(30)
    /// The minimum time between two responses; the maximum is twice as long.
    package static let interval = Duration.seconds(24 * 3_600)

    // MARK: Inputs

    /// Handles the start of the app.
    package mutating func appStarted(boot: String, at now: MonotonicTime) -> [Action] {
        // A configuration that waited for the next start takes effect here.
        [.apply(effective)] + requestIfDue(boot: boot, at: now)
    }

    /// Handles the user's return to the app.
    package mutating func appReturned(boot: String, at now: MonotonicTime) -> [Action] {
        // Apply the configuration on every return, in case other code changed the recording settings in the meantime.
        [.apply(effective)] + requestIfDue(boot: boot, at: now)
    }

    /// Handles the app's request for an immediate update.
    ///
    /// The app was moved to another back end, so the schedule is ignored.
    package mutating func updateRequested() -> [Action] {
        guard case .idle = state else { return [] }
        state = .requesting(attempts: 1)
        return [.request(known: received)]
    }

    /// Handles the user leaving the app.
    ///
    /// Nothing is requested until the user returns.
    package mutating func appLeft() -> [Action] {
        state = .idle
        return []
    }

    /// Handles a response from the back end.
    ///
    /// - Parameter randomFraction: A value from 0 to 1 that determines when the next request is due, from 24 to 48
    ///   hours after the response.
    package mutating func responseReceived(
        _ answer: SensorsAnalyticsRemoteExchange.Answer,
        boot: String,
        at now: MonotonicTime,
        randomFraction: Double
    ) -> [Action] {
        guard case .requesting(let attempts) = state else { return [] }  // The user left in the meantime.
        switch answer {
        case .failed:
            guard attempts < Self.attempts else {
                state = .idle
                return []
            }
            state = .waiting(attempts: attempts)
            return [.pause(Self.pause)]
        case .unchanged:
            settle(boot: boot, at: now, randomFraction: randomFraction)
            return [.save]
        case .received(let configuration):
            settle(boot: boot, at: now, randomFraction: randomFraction)
            let isNew = configuration != received
            guard isNew else { return [.save] }
            // The previous configuration stays in effect if this one takes effect at the next start.
            if configuration.effect == .nextStart { before = .some(effective) } else { before = nil }
            received = configuration
            let effect: [Action] = configuration.effect == .now ? [.apply(configuration)] : []
            // The state is persisted last: if the process ends before it records the change, the next run gets the same
            // response.
            return effect + [.recordChange(configuration), .save]
        }
    }

    /// Handles the end of the requested pause.
    package mutating func pauseEnded() -> [Action] {
        guard case .waiting(let attempts) = state else { return [] }
        state = .requesting(attempts: attempts + 1)
        return [.request(known: received)]
    }

    // MARK: Transitions

    private mutating func requestIfDue(boot: String, at now: MonotonicTime) -> [Action] {
        guard case .idle = state else { return [] }
        if let next, next.boot == boot, now < next.at { return [] }
        state = .requesting(attempts: 1)
        return [.request(known: received)]
    }

    private mutating func settle(boot: String, at now: MonotonicTime, randomFraction: Double) {
        state = .idle
        let share = randomFraction.isFinite ? min(max(randomFraction, 0), 1) : 0
        next = NextRequest(boot: boot, at: now.advanced(by: Self.interval * (1 + share)))
    }

    // MARK: Persistence

    private enum CodingKeys: String, CodingKey {
        case received
        case next
    }

    /// Decodes the persisted state.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let text = try container.decodeIfPresent(String.self, forKey: .received) {
            received = try SensorsAnalyticsRemoteConfiguration(json: Array(text.utf8))
        }
        next = try container.decodeIfPresent(NextRequest.self, forKey: .next)
    }

    /// Encodes the state to persist.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(received.map { String(decoding: $0.json, as: UTF8.self) }, forKey: .received)
        try container.encodeIfPresent(next, forKey: .next)
    }
}
