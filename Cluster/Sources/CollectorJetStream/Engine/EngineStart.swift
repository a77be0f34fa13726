// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Decides how long a starting process waits for the proof of durability.
///
/// A value type.
package struct EngineStart: Sendable {
    /// The times to wait.
    package struct Times: Sendable, Hashable {
        /// The maximum time with a fault.
        ///
        /// Servers that were just started need to find each other first.
        package var unproven: Duration = .seconds(3)
        /// The maximum time in an unknown state.
        ///
        /// An election takes 5 to 9 s.
        package var unknown: Duration = .seconds(20)
        /// The maximum time while a stream is closed without a successor.
        ///
        /// A change of streams takes a second or two.
        package var closed: Duration = .seconds(20)
        /// The time after which the reason for waiting is reported, once.
        package var quiet: Duration = .seconds(2)

        /// Creates the default times.
        package init() {}
    }

    /// The next step.
    package enum Step: Sendable, Hashable {
        /// Check again shortly.
        case wait
        /// Check again shortly, and report the reason for waiting once, as a sentence.
        case say(String)
        /// Durability is proven.
        case begin
        /// Give up for these reasons, one sentence each.
        case giveUp([String])
    }

    private let times: Times
    private let began: MonotonicTime
    private var unprovenSince: MonotonicTime?
    private var closedSince: MonotonicTime?
    private var hasSaid = false

    /// Creates the decision at the start of a process.
    package init(times: Times = Times(), at now: MonotonicTime) {
        self.times = times
        began = now
    }

    /// Handles the current state.
    ///
    /// - Parameters:
    ///   - trouble: Why connecting failed, by server; nil if connected.
    ///   - isClosed: Whether a stream is closed, and no other stream accepts its records.
    package mutating func stands(
        _ standing: DurabilityState.Standing,
        trouble: String?,
        isClosed: Bool = false,
        at now: MonotonicTime
    ) -> Step {
        closedSince = isClosed ? closedSince ?? now : nil
        switch standing {
        case .proven:
            return .begin
        case .unproven(let faults):
            let since = unprovenSince ?? now
            unprovenSince = since
            return since.duration(to: now) < times.unproven ? .wait : .giveUp(faults.map(\.description))
        case .unknown(let reason):
            unprovenSince = nil
            let waited = began.duration(to: now)
            let closed = closedSince.map { $0.duration(to: now) } ?? .zero
            // A closed stream stays closed on every server.
            let words = isClosed ? [reason, trouble].compactMap { $0 }.joined(separator: "; ") : trouble ?? reason
            if waited >= times.unknown || closed >= times.closed {
                return .giveUp(["The NATS cluster's durability could not be proven: \(words)."])
            }
            guard waited >= times.quiet, !hasSaid else { return .wait }
            hasSaid = true
            return .say("Waiting for proof of the NATS cluster's durability: \(words).")
        }
    }
}

extension Engine {
    /// Waits until durability is proven.
    ///
    /// - Parameter saying: Called once with the reason if waiting takes a while. Must return immediately.
    /// - Returns: Why it is not proven in time, one sentence each; nil if it is, or if the task was canceled.
    package func waitUntilDurable(
        times: EngineStart.Times = EngineStart.Times(),
        saying: (String) -> Void = { _ in }
    ) async -> [String]? {
        var start = EngineStart(times: times, at: clock.now().monotonic)
        while !Task.isCancelled {
            switch start.stands(standing, trouble: trouble, isClosed: isClosed, at: clock.now().monotonic) {
            case .begin: return nil
            case .giveUp(let reasons): return reasons
            case .say(let sentence): saying(sentence)
            case .wait: break
            }
            await sleep(.milliseconds(50))
        }
        return nil
    }

    /// Waits until the decisions about blocks are proven to be as durable as the records.
    ///
    /// - Parameter saying: Called once with the reason if waiting takes a while. Must return immediately.
    /// - Returns: The result; nil if the task was canceled.
    package func proveDecisions(
        times: EngineStart.Times = EngineStart.Times(),
        saying: (String) -> Void = { _ in }
    ) async -> DecisionStart? {
        await decisions.prove(times: times, clock: clock, sleep: sleep, saying: saying)
    }
}

/// The result of waiting for the stream of decisions about blocks.
package enum DecisionStart: Sendable, Hashable {
    /// It is proven. Carries its creation time, as NATS reports it.
    case proven(created: String)
    /// It is not proven, for these reasons, one sentence each.
    case refused([String])
}

extension BlockStream {
    /// The pause between two checks of an unproven stream.
    private static let pause: Duration = .milliseconds(300)

    /// Waits until the stream is proven, within the limits of ``EngineStart``.
    func prove(
        times: EngineStart.Times,
        clock: any EventClock,
        sleep: (Duration) async -> Void,
        saying: (String) -> Void
    ) async -> DecisionStart? {
        var start = EngineStart(times: times, at: clock.now().monotonic)
        while !Task.isCancelled {
            let proof = await proof()
            switch start.stands(proof.standing, trouble: nil, at: clock.now().monotonic) {
            case .begin: return .proven(created: proof.created ?? "")
            case .giveUp(let reasons): return .refused(reasons)
            case .say(let sentence): saying(sentence)
            case .wait: break
            }
            await sleep(Self.pause)
        }
        return nil
    }
}
