// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Decides how long somebody who begins waits for the proof of an engine's durability. A value.
package struct EngineStart: Sendable {
    /// How long what may take.
    package struct Times: Sendable, Hashable {
        /// So long something may be as it must not be: servers that were started a moment ago find together first.
        package var unproven: Duration = .seconds(3)
        /// So long nothing may be known: an election takes 5 to 9 s.
        package var unknown: Duration = .seconds(20)
        /// So long a stream may be closed while no others take its records: a change of streams takes a second or two.
        package var closed: Duration = .seconds(20)
        /// After so long it is said once what is waited for.
        package var quiet: Duration = .seconds(2)

        /// The usual times.
        package init() {}
    }

    /// What comes next.
    package enum Step: Sendable, Hashable {
        /// Look again in a moment.
        case wait
        /// The same, and say once what is waited for, in a sentence.
        case say(String)
        /// It is proven.
        case begin
        /// It will not be, for these reasons, a sentence each.
        case giveUp([String])
    }

    private let times: Times
    private let began: MonotonicTime
    private var unprovenSince: MonotonicTime?
    private var closedSince: MonotonicTime?
    private var hasSaid = false

    /// A start.
    package init(times: Times = Times(), at now: MonotonicTime) {
        self.times = times
        began = now
    }

    /// The engine stands like this.
    ///
    /// - Parameters:
    ///   - trouble: Why there is no connection, server by server, if there is none.
    ///   - isClosed: Whether a stream is closed, and no others take its records.
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
            // A closed stream stays closed whatever server is reached.
            let words = isClosed ? [reason, trouble].compactMap { $0 }.joined(separator: "; ") : trouble ?? reason
            if waited >= times.unknown || closed >= times.closed {
                return .giveUp(["The engine's durability could not be proven: \(words)."])
            }
            guard waited >= times.quiet, !hasSaid else { return .wait }
            hasSaid = true
            return .say("The engine's durability is not proven yet, and is waited for: \(words).")
        }
    }
}

extension Engine {
    /// Waits until the engine's durability is proven.
    ///
    /// - Parameter saying: Called once with what is waited for when that takes a while. It must return at once.
    /// - Returns: Why it is not, a sentence each, when that takes too long; nil when it is, or when the task was cancelled.
    package func reasonsAgainst(
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

    /// Waits until what is decided about blocks is proven to be as durable as the records.
    ///
    /// - Parameter saying: Called once with what is waited for when that takes a while. It must return at once.
    /// - Returns: What came of it; nil when the task was cancelled.
    package func proveDecisions(
        times: EngineStart.Times = EngineStart.Times(),
        saying: (String) -> Void = { _ in }
    ) async -> DecisionStart? {
        await decisions.prove(times: times, clock: clock, sleep: sleep, saying: saying)
    }
}

/// What came of waiting for the stream of decisions about blocks.
package enum DecisionStart: Sendable, Hashable {
    /// It is proven, and was made at this time, in the engine's words.
    case proven(created: String)
    /// It is not, for these reasons, a sentence each.
    case refused([String])
}

extension BlockStream {
    /// Between two looks at a stream that is not proven yet.
    private static let pause: Duration = .milliseconds(300)

    /// Waits until the stream is proven, as ``EngineStart`` has it.
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
