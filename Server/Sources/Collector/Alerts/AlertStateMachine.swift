// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Decides when an alert fires and when it resolves.
///
/// Durations are summed between evaluations, measured with the time since boot, so a change of the wall clock does not
/// affect them. Each evaluation adds at most twice the evaluation interval, because nothing was observed between
/// evaluations.
public struct AlertStateMachine: Sendable, Hashable {
    /// The internal state.
    public enum Phase: Sendable, Hashable {
        /// The condition does not hold.
        case idle
        /// The condition holds, but not yet for long enough.
        case pending(held: Duration)
        /// The alert fired and has not resolved.
        ///
        /// `clear`: how long the condition has not held; nil while it holds. `told`: the time since the last
        /// notification.
        case firing(clear: Duration?, told: Duration)
    }

    /// A notification to send.
    public enum Action: String, Sendable, Hashable, CaseIterable {
        /// The alert fires.
        case fire = "firing"
        /// The alert still fires.
        case remind = "reminder"
        /// The alert has resolved.
        case resolve = "resolved"
        /// The condition could not be evaluated for a while.
        ///
        /// The alert could not have fired in that time.
        case lose = "unknown"
        /// The condition can be evaluated again.
        case find = "known"
    }

    /// The internal state.
    public private(set) var phase = Phase.idle
    /// Why the last evaluation yielded no number; nil when it yielded one.
    public private(set) var trouble: String?
    /// The number from the last evaluation that yielded one.
    public private(set) var value: Double?
    /// The time of the last evaluation; nil before the first.
    public private(set) var evaluated: Timestamp?
    /// The time of the last change of ``state``.
    public private(set) var since: Timestamp?

    /// The current period without evaluations; nil while the condition can be evaluated.
    public private(set) var unseen: Unseen?

    /// A period in which the condition could not be evaluated.
    public struct Unseen: Sendable, Hashable {
        /// Its duration, summed between evaluations.
        public var lasted: Duration
        /// Whether a notification about it was sent.
        public var isTold: Bool
    }

    /// Creates a machine before the first evaluation.
    public init() {}

    /// Restores a machine.
    init(
        phase: Phase,
        unseen: Unseen?,
        trouble: String?,
        value: Double?,
        evaluated: Timestamp?,
        since: Timestamp?
    ) {
        self.phase = phase
        self.unseen = unseen
        self.trouble = trouble
        self.value = value
        self.evaluated = evaluated
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
        case .idle: trouble == nil && evaluated != nil ? .ok : .unknown
        }
    }

    /// Handles an evaluation of the condition.
    ///
    /// - Parameters:
    ///   - outcome: the result of the evaluation.
    ///   - elapsed: the time since the previous evaluation; zero for the first since the collector started.
    ///   - time: the wall clock, for display.
    ///   - settings: the required durations.
    /// - Returns: the notification to send; nil for none.
    public mutating func evaluated(
        _ outcome: AlertOutcome,
        after elapsed: Duration,
        at time: Timestamp,
        _ settings: AlertSettings
    ) -> Action? {
        let before = state
        let isFirst = evaluated == nil
        let elapsed = min(max(.zero, elapsed), settings.every * 2)
        evaluated = time
        let action: Action?
        switch outcome {
        case .unseen(let reason):
            sawNothing(reason, for: elapsed)
            action = lost(for: elapsed)
        case .unknown(let reason):
            sawNothing(reason, for: elapsed)
            action = found()
        case .measured(let number, let holds):
            trouble = nil
            value = number
            // A firing or resolved notification implies that evaluation works again.
            let isBack = found()
            action = (holds ? held(for: elapsed, settings) : cleared(for: elapsed, settings)) ?? isBack
        }
        if isFirst || state != before { since = time }
        return action
    }

    private mutating func sawNothing(_ reason: String, for elapsed: Duration) {
        trouble = reason
        switch phase {
        // Whether the condition held in the meantime is unknown, so it must hold for the full time again.
        case .pending, .idle: phase = .idle
        // It has not been observed that the condition ended.
        case .firing(_, let told): phase = .firing(clear: nil, told: told + elapsed)
        }
    }

    /// Handles a failed evaluation.
    ///
    /// A notification is due only after an hour: an index that lags briefly is not worth one.
    private mutating func lost(for elapsed: Duration) -> Action? {
        let before = unseen
        let lasted = before.map { $0.lasted + elapsed } ?? .zero
        let isTold = before?.isTold ?? false
        let isLong = lasted >= AlertLimits.longestUnseen
        unseen = Unseen(lasted: lasted, isTold: isTold || isLong)
        return isLong && !isTold ? .lose : nil
    }

    private mutating func found() -> Action? {
        defer { unseen = nil }
        return unseen?.isTold == true ? .find : nil
    }

    private mutating func held(for elapsed: Duration, _ settings: AlertSettings) -> Action? {
        switch phase {
        case .idle: phase = .pending(held: .zero)
        case .pending(let held): phase = .pending(held: held + elapsed)
        case .firing(_, let told):
            let told = told + elapsed
            guard let again = settings.again, told >= again else {
                phase = .firing(clear: nil, told: told)
                return nil
            }
            phase = .firing(clear: nil, told: .zero)
            return .remind
        }
        guard case .pending(let held) = phase, held >= settings.hold else { return nil }
        phase = .firing(clear: nil, told: .zero)
        return .fire
    }

    private mutating func cleared(for elapsed: Duration, _ settings: AlertSettings) -> Action? {
        guard case .firing(let clear, let told) = phase else {
            phase = .idle
            return nil
        }
        // The first evaluation without the condition says nothing about the time before it.
        let length = clear.map { $0 + elapsed } ?? .zero
        guard length >= settings.keep else {
            phase = .firing(clear: length, told: told + elapsed)
            return nil
        }
        phase = .idle
        return .resolve
    }
}
