// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// Decides how long a starting process waits for the proof of durability.
///
/// A value type.
package struct DurabilityWait: Sendable {
    /// The time limits of the wait.
    package struct Times: Sendable, Hashable {
        /// The maximum wait while there is a fault.
        ///
        /// Servers that have just started must first discover each other.
        package var unproven: Duration = .seconds(3)
        /// The maximum total wait while the durability is unknown.
        ///
        /// An election takes 5 to 9 s.
        package var unknown: Duration = .seconds(20)
        /// The maximum wait while a stream is closed without a successor.
        ///
        /// A stream change takes a second or two.
        package var closed: Duration = .seconds(20)
        /// The time after which the reason for waiting is reported, once.
        package var reportDelay: Duration = .seconds(2)

        /// Creates the default times.
        package init() {}
    }

    /// The next step.
    package enum Step: Sendable, Hashable {
        /// Check again shortly.
        case wait
        /// Check again shortly, and report the reason for waiting once.
        ///
        /// The reason is a sentence.
        case report(String)
        /// Durability is proven.
        case proceed
        /// Give up for these reasons, one sentence each.
        case giveUp([String])
    }

    private let times: Times
    private let start: MonotonicTime
    private var unprovenSince: MonotonicTime?
    private var closedSince: MonotonicTime?
    private var hasReported = false

    /// Creates the state at the start of a process.
    package init(times: Times = Times(), at now: MonotonicTime) {
        self.times = times
        start = now
    }

    /// Handles the current status and returns the next step.
    ///
    /// - Parameters:
    ///   - connectionError: The reason for each server's connection failure; nil if connected.
    ///   - isClosed: Whether a stream is closed, and no other stream accepts its records.
    package mutating func step(
        for status: DurabilityState.Status,
        connectionError: String?,
        isClosed: Bool = false,
        at now: MonotonicTime
    ) -> Step {
        closedSince = isClosed ? closedSince ?? now : nil
        switch status {
        case .proven:
            return .proceed
        case .unproven(let faults):
            let since = unprovenSince ?? now
            unprovenSince = since
            return since.duration(to: now) < times.unproven ? .wait : .giveUp(faults.map(\.description))
        case .unknown(let reason):
            unprovenSince = nil
            let waited = start.duration(to: now)
            let closed = closedSince.map { $0.duration(to: now) } ?? .zero
            // A closed stream is closed on all servers, so the reason is reported in addition to a connection error.
            let message =
                isClosed
                ? [reason, connectionError].compactMap { $0 }.joined(separator: "; ") : connectionError ?? reason
            if waited >= times.unknown || closed >= times.closed {
                return .giveUp(["The NATS cluster's durability could not be proven: \(message)."])
            }
            guard waited >= times.reportDelay, !hasReported else { return .wait }
            hasReported = true
            return .report("Waiting for proof of the NATS cluster's durability: \(message).")
        }
    }
}

extension Engine {
    /// Waits until durability is proven.
    ///
    /// - Parameter onStatus: Called once with the reason if the wait exceeds ``DurabilityWait/Times/reportDelay``. Must
    ///   return immediately.
    /// - Returns: Why durability was not proven in time, one sentence each; nil if it was proven, or if the task was
    ///   canceled.
    package func waitUntilDurable(
        times: DurabilityWait.Times = DurabilityWait.Times(),
        onStatus: (String) -> Void = { _ in }
    ) async -> [String]? {
        var wait = DurabilityWait(times: times, at: clock.now().monotonic)
        while !Task.isCancelled {
            switch wait.step(
                for: status,
                connectionError: connectionError,
                isClosed: isClosed,
                at: clock.now().monotonic
            ) {
            case .proceed: return nil
            case .giveUp(let reasons): return reasons
            case .report(let sentence): onStatus(sentence)
            case .wait: break
            }
            await sleep(.milliseconds(50))
        }
        return nil
    }

    /// Waits until the decisions about blocks are proven durable.
    ///
    /// The decisions must be as durable as the records.
    ///
    /// - Parameter onStatus: Called once with the reason if the wait exceeds ``DurabilityWait/Times/reportDelay``. Must
    ///   return immediately.
    /// - Returns: The result; nil if the task was canceled.
    package func proveDecisions(
        times: DurabilityWait.Times = DurabilityWait.Times(),
        onStatus: (String) -> Void = { _ in }
    ) async -> DecisionStreamCheck? {
        await decisions.prove(times: times, clock: clock, sleep: sleep, onStatus: onStatus)
    }
}

/// The result of waiting for the stream of decisions about blocks.
package enum DecisionStreamCheck: Sendable, Hashable {
    /// The stream is proven durable. Carries the creation time that NATS reports.
    case proven(created: String)
    /// The stream is not proven durable. Carries the reasons, as sentences.
    case unproven([String])
}

extension BlockStream {
    /// The pause between two checks of an unproven stream.
    private static let pause: Duration = .milliseconds(300)

    /// Waits until the stream is proven durable, within the limits of ``DurabilityWait``.
    func prove(
        times: DurabilityWait.Times,
        clock: any EventClock,
        sleep: (Duration) async -> Void,
        onStatus: (String) -> Void
    ) async -> DecisionStreamCheck? {
        var wait = DurabilityWait(times: times, at: clock.now().monotonic)
        while !Task.isCancelled {
            let proof = await proof()
            switch wait.step(for: proof.status, connectionError: nil, at: clock.now().monotonic) {
            case .proceed: return .proven(created: proof.created ?? "")
            case .giveUp(let reasons): return .unproven(reasons)
            case .report(let sentence): onStatus(sentence)
            case .wait: break
            }
            await sleep(Self.pause)
        }
        return nil
    }
}
