// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// One line of a trace: an event that fired, and what came of it.
public struct TriggerReport: Sendable, Hashable {
    /// What came of it.
    public enum Outcome: Sendable, Hashable {
        /// The action ran, or there is none.
        case ran
        /// The action did not run, because one before it changed the event's trigger.
        case skipped
        /// Nothing was done, for this reason.
        case refused(String)
    }

    /// The element it happened to.
    public struct Element: Sendable, Hashable {
        /// What kind of element.
        public let type: String
        /// What the app calls it.
        public let id: String?

        /// An element of this kind and name.
        public init(type: String, id: String?) {
            self.type = type
            self.id = id
        }
    }

    /// What happened.
    public let trigger: Trigger
    /// The event's sentence.
    public let trace: String?
    /// The event's name.
    public let identifier: String?
    /// The element; nil for an event that was sent by itself.
    public let element: Element?
    /// When it happened.
    public let moment: Moment
    /// What came of it.
    public let outcome: Outcome
    /// How many reports before this one were lost, because whoever reads them was slow.
    public internal(set) var missed = 0

    /// A report of these parts.
    package init(
        trigger: Trigger,
        trace: String? = nil,
        identifier: String? = nil,
        element: Element? = nil,
        moment: Moment,
        outcome: Outcome
    ) {
        self.trigger = trigger
        self.trace = trace
        self.identifier = identifier
        self.element = element
        self.moment = moment
        self.outcome = outcome
    }
}

extension TriggerReport: CustomStringConvertible {
    /// The report as a line: time, trigger, element, sentence, and the event's name in brackets.
    public var description: String {
        var parts = [String(moment.wall.iso8601.dropFirst(11).dropLast()), trigger.name]
        if let element { parts.append(element.id.map { "\(element.type)#\($0)" } ?? element.type) }
        if let trace { parts.append(trace) }
        if let identifier { parts.append("[\(identifier)]") }
        switch outcome {
        case .ran: break
        case .skipped: parts.append("(not run: an action before it changed its trigger)")
        case .refused(let reason): parts.append("(refused: \(reason))")
        }
        if missed > 0 { parts.append("(\(missed) reports before this one were lost)") }
        return parts.joined(separator: "  ")
    }
}
