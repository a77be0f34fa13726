// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// Decides when an alert fires and when it resolves.
///
/// Durations are sums of the times between evaluations. These times are measured with the time since boot, so a change
/// of the wall clock does not affect them. Each evaluation adds at most twice the evaluation interval, because nothing
/// was observed between evaluations.
public struct AlertStateMachine: Sendable, Hashable {
    /// The internal state.
    public enum Phase: Sendable, Hashable {
        /// The condition does not hold.
        case idle
        /// The condition holds, but not yet for long enough.
        case pending(duration: Duration)
        /// The alert fired and has not resolved.
        ///
        /// `clear`: how long the condition has not held; nil while it holds. `sinceNotification`: the time
        /// since the last notification.
        case firing(clear: Duration?, sinceNotification: Duration)
    }

    /// A notification to send.
    public enum Action: String, Sendable, Hashable, CaseIterable {
        /// The alert fires.
        case fire = "firing"
        /// The alert is still firing.
        case remind = "reminder"
        /// The alert has resolved.
        case resolve = "resolved"
        /// The condition could not be evaluated for a while.
        ///
        /// The alert could not have fired in that time.
        case reportUnknown = "unknown"
        /// The condition can be evaluated again.
        case reportKnown = "known"
    }

    /// The internal state.
    public private(set) var phase = Phase.idle
    /// Why the last evaluation yielded no number; nil when it yielded one.
    public private(set) var failureReason: String?
    /// The number from the last evaluation that yielded one.
    public private(set) var value: Double?
    /// The time of the last evaluation; nil before the first.
    public private(set) var lastEvaluation: Timestamp?
    /// The time of the last change of ``state``.
    public private(set) var since: Timestamp?

    /// The current period without evaluations; nil while the condition can be evaluated.
    public private(set) var unevaluated: Unevaluated?

    /// A period in which the condition could not be evaluated.
    public struct Unevaluated: Sendable, Hashable {
        /// The duration of the period: the sum of the times between evaluations.
        public var duration: Duration
        /// Whether a notification about the period was sent.
        public var isReported: Bool
    }

    /// Creates a machine in its state before the first evaluation.
    public init() {}

    /// Restores a machine.
    init(
        phase: Phase,
        unevaluated: Unevaluated?,
        failureReason: String?,
        value: Double?,
        lastEvaluation: Timestamp?,
        since: Timestamp?
    ) {
        self.phase = phase
        self.unevaluated = unevaluated
        self.failureReason = failureReason
        self.value = value
        self.lastEvaluation = lastEvaluation
        self.since = since
    }

    /// The state shown to users.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// The condition does not hold.
        case ok
        /// The condition holds, but not yet for long enough.
        case pending
        /// The alert fired and has not resolved.
        case firing
        /// The state of the condition is unknown.
        ///
        /// The last evaluation yielded no number, or none has taken place, and the alert is not firing.
        case unknown
    }

    /// The state shown to users.
    public var state: State {
        switch phase {
        case .firing: .firing
        case .pending: .pending
        case .idle: failureReason == nil && lastEvaluation != nil ? .ok : .unknown
        }
    }

    /// Handles an evaluation of the condition.
    ///
    /// - Parameters:
    ///   - outcome: The result of the evaluation.
    ///   - elapsed: The time since the previous evaluation; zero for the first since the collector started.
    ///   - time: The wall clock, for display.
    ///   - settings: The required durations.
    /// - Returns: The notification to send; nil for none.
    public mutating func handle(
        _ outcome: AlertOutcome,
        after elapsed: Duration,
        at time: Timestamp,
        _ settings: AlertSettings
    ) -> Action? {
        let before = state
        let isFirst = lastEvaluation == nil
        let elapsed = min(max(.zero, elapsed), settings.interval * 2)
        lastEvaluation = time
        let action: Action?
        switch outcome {
        case .notEvaluated(let reason):
            valueMissing(reason, for: elapsed)
            action = evaluationFailed(for: elapsed)
        case .unknown(let reason):
            valueMissing(reason, for: elapsed)
            action = evaluationSucceeded()
        case .measured(let number, let holds):
            failureReason = nil
            value = number
            // A firing or resolved notification implies that evaluation works again.
            let recovery = evaluationSucceeded()
            action =
                (holds ? conditionHolds(for: elapsed, settings) : conditionEnded(for: elapsed, settings)) ?? recovery
        }
        if isFirst || state != before { since = time }
        return action
    }

    private mutating func valueMissing(_ reason: String, for elapsed: Duration) {
        failureReason = reason
        switch phase {
        // Whether the condition held in the meantime is unknown, so it must hold for the full time again.
        case .pending, .idle: phase = .idle
        // No evaluation has shown that the condition ended.
        case .firing(_, let sinceNotification):
            phase = .firing(clear: nil, sinceNotification: sinceNotification + elapsed)
        }
    }

    /// Handles a failed evaluation.
    ///
    /// A notification is due only after an hour: a brief lag of the index does not justify one.
    private mutating func evaluationFailed(for elapsed: Duration) -> Action? {
        let before = unevaluated
        let duration = before.map { $0.duration + elapsed } ?? .zero
        let isReported = before?.isReported ?? false
        let isLong = duration >= AlertLimits.evaluationGracePeriod
        unevaluated = Unevaluated(duration: duration, isReported: isReported || isLong)
        return isLong && !isReported ? .reportUnknown : nil
    }

    private mutating func evaluationSucceeded() -> Action? {
        defer { unevaluated = nil }
        return unevaluated?.isReported == true ? .reportKnown : nil
    }

    private mutating func conditionHolds(for elapsed: Duration, _ settings: AlertSettings) -> Action? {
        switch phase {
        case .idle: phase = .pending(duration: .zero)
        case .pending(let duration): phase = .pending(duration: duration + elapsed)
        case .firing(_, let sinceNotification):
            let sinceNotification = sinceNotification + elapsed
            guard let repeatInterval = settings.repeatInterval, sinceNotification >= repeatInterval else {
                phase = .firing(clear: nil, sinceNotification: sinceNotification)
                return nil
            }
            phase = .firing(clear: nil, sinceNotification: .zero)
            return .remind
        }
        guard case .pending(let duration) = phase, duration >= settings.pendingFor else { return nil }
        phase = .firing(clear: nil, sinceNotification: .zero)
        return .fire
    }

    private mutating func conditionEnded(for elapsed: Duration, _ settings: AlertSettings) -> Action? {
        guard case .firing(let clear, let sinceNotification) = phase else {
            phase = .idle
            return nil
        }
        // The first evaluation at which the condition does not hold says nothing about the time before it.
        let length = clear.map { $0 + elapsed } ?? .zero
        guard length >= settings.resolveAfter else {
            phase = .firing(clear: length, sinceNotification: sinceNotification + elapsed)
            return nil
        }
        phase = .idle
        return .resolve
    }
}
