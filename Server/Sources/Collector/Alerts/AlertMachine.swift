// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Decides when an alert fires and when it is over.
///
/// Lengths of time are added up from one look to the next, as the time since boot measures them, so a wall clock that jumps
/// changes none of them. A look counts for twice the usual time between two at most: what lies between them was not seen.
public struct AlertMachine: Sendable, Hashable {
    /// Where it stands.
    public enum Phase: Sendable, Hashable {
        /// The condition does not hold.
        case idle
        /// It holds, and has not held for long enough yet.
        case pending(held: Duration)
        /// It fired and is not over.
        ///
        /// `clear`: how long the condition has not held; nil while it does. `told`: how long ago somebody was told.
        case firing(clear: Duration?, told: Duration)
    }

    /// What is to be told.
    public enum Action: String, Sendable, Hashable, CaseIterable {
        /// It fires.
        case fire = "firing"
        /// It still does.
        case remind = "reminder"
        /// It is over.
        case resolve = "resolved"
        /// For a while it could not be looked at, so nobody would hear if it fired.
        case lose = "unknown"
        /// It is looked at again.
        case find = "known"
    }

    /// Where it stands.
    public private(set) var phase = Phase.idle
    /// Why the last look saw nothing; nil when it saw something.
    public private(set) var trouble: String?
    /// The number of the last look that saw one.
    public private(set) var value: Double?
    /// When it was looked at last; nil before the first time.
    public private(set) var evaluated: Timestamp?
    /// Since when what ``state`` says is so.
    public private(set) var since: Timestamp?

    /// How long it could not be looked at, and whether that was told; nil while it can.
    public private(set) var unseen: Unseen?

    /// A time in which it could not be looked at.
    public struct Unseen: Sendable, Hashable {
        /// How long, from one look to the next.
        public var lasted: Duration
        /// Whether it was told.
        public var isTold: Bool
    }

    /// Nothing was looked at yet.
    public init() {}

    /// A machine as it was kept.
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

    /// What people call where it stands: `ok`, `pending`, `firing`, or `unknown` when nothing was seen and it does not fire.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// The condition does not hold.
        case ok
        /// It holds, not for long enough yet.
        case pending
        /// It fired and is not over.
        case firing
        /// It cannot be said, or has not been looked at.
        case unknown
    }

    /// What people call where it stands.
    public var state: State {
        switch phase {
        case .firing: .firing
        case .pending: .pending
        case .idle: trouble == nil && evaluated != nil ? .ok : .unknown
        }
    }

    /// The condition was looked at.
    ///
    /// - Parameters:
    ///   - outcome: what was seen.
    ///   - elapsed: how long ago it was looked at before; zero for the first time since the collector began.
    ///   - time: the wall clock, for people.
    ///   - settings: how long is long enough.
    /// - Returns: what is to be told; nil for nothing.
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
            // Whoever hears how things are hears that they are seen.
            let isBack = found()
            action = (holds ? held(for: elapsed, settings) : cleared(for: elapsed, settings)) ?? isBack
        }
        if isFirst || state != before { since = time }
        return action
    }

    private mutating func sawNothing(_ reason: String, for elapsed: Duration) {
        trouble = reason
        switch phase {
        // Whether it held meanwhile is not known, so it has to hold as long once more.
        case .pending, .idle: phase = .idle
        // Nobody saw that it is over.
        case .firing(_, let told): phase = .firing(clear: nil, told: told + elapsed)
        }
    }

    /// It could not be looked at. An index that is behind for a moment is nothing to tell.
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
        // The first look at which it does not hold says nothing about the time before.
        let length = clear.map { $0 + elapsed } ?? .zero
        guard length >= settings.keep else {
            phase = .firing(clear: length, told: told + elapsed)
            return nil
        }
        phase = .idle
        return .resolve
    }
}
