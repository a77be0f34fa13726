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

        /// The usual times.
        package init() {}
    }

    /// What comes next.
    package enum Step: Sendable, Hashable {
        /// Look again in a moment.
        case wait
        /// It is proven.
        case begin
        /// It will not be, for these reasons, a sentence each.
        case giveUp([String])
    }

    private let times: Times
    private let began: MonotonicTime
    private var unprovenSince: MonotonicTime?

    /// A start.
    package init(times: Times = Times(), at now: MonotonicTime) {
        self.times = times
        began = now
    }

    /// The engine stands like this.
    ///
    /// - Parameter trouble: Why there is no connection, server by server, if there is none.
    package mutating func stands(_ standing: DurabilityState.Standing, trouble: String?, at now: MonotonicTime) -> Step
    {
        switch standing {
        case .proven:
            return .begin
        case .unproven(let faults):
            let since = unprovenSince ?? now
            unprovenSince = since
            return since.duration(to: now) < times.unproven ? .wait : .giveUp(faults.map(\.description))
        case .unknown(let reason):
            unprovenSince = nil
            guard began.duration(to: now) >= times.unknown else { return .wait }
            return .giveUp(["The engine's durability could not be proven: \(trouble ?? reason)."])
        }
    }
}

extension Engine {
    /// Waits until the engine's durability is proven.
    ///
    /// - Returns: Why it is not, a sentence each, when that takes too long; nil when it is, or when the task was cancelled.
    package func reasonsAgainst(times: EngineStart.Times = EngineStart.Times()) async -> [String]? {
        var start = EngineStart(times: times, at: clock.now().monotonic)
        while !Task.isCancelled {
            switch start.stands(standing, trouble: trouble, at: clock.now().monotonic) {
            case .begin: return nil
            case .giveUp(let reasons): return reasons
            case .wait: await sleep(.milliseconds(50))
            }
        }
        return nil
    }
}
