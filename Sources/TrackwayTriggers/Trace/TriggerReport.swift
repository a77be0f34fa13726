// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A report about an event that fired, with its outcome.
public struct TriggerReport: Sendable, Hashable {
    /// The outcome of a fired event.
    public enum Outcome: Sendable, Hashable {
        /// The action ran, or the event has no action.
        case ran
        /// The action did not run.
        ///
        /// An earlier action had changed the event's trigger.
        case skipped
        /// The action was rejected for this reason.
        case refused(String)
    }

    /// The element on which the trigger occurred.
    public struct Element: Sendable, Hashable {
        /// The kind of element.
        public let type: String
        /// The app's name for the element.
        public let id: String?

        /// Creates an element.
        public init(type: String, id: String?) {
            self.type = type
            self.id = id
        }
    }

    /// The trigger that occurred.
    public let trigger: Trigger
    /// The event's trace string.
    public let trace: String?
    /// The event's name.
    public let identifier: String?
    /// The trigger's element; nil for an event sent without one.
    public let element: Element?
    /// The time at which the trigger occurred.
    public let timestamp: DualTimestamp
    /// The outcome of the event.
    public let outcome: Outcome
    /// The number of reports lost before this one.
    ///
    /// Reports are lost if the reader is too slow.
    public internal(set) var missedCount = 0

    /// Creates a report from its parts.
    package init(
        trigger: Trigger,
        trace: String? = nil,
        identifier: String? = nil,
        element: Element? = nil,
        timestamp: DualTimestamp,
        outcome: Outcome
    ) {
        self.trigger = trigger
        self.trace = trace
        self.identifier = identifier
        self.element = element
        self.timestamp = timestamp
        self.outcome = outcome
    }
}

extension TriggerReport: CustomStringConvertible {
    /// The report as a line of text.
    ///
    /// The line contains the time, the trigger, the element, the trace string, the event's name in brackets, and any
    /// outcome other than `ran`.
    public var description: String {
        var parts = [String(timestamp.wall.iso8601.dropFirst(11).dropLast()), trigger.name]
        if let element { parts.append(element.id.map { "\(element.type)#\($0)" } ?? element.type) }
        if let trace { parts.append(trace) }
        if let identifier { parts.append("[\(identifier)]") }
        switch outcome {
        case .ran: break
        case .skipped: parts.append("(not run: an earlier action changed its trigger)")
        case .refused(let reason): parts.append("(refused: \(reason))")
        }
        if missedCount > 0 { parts.append("(\(missedCount) reports before this one were lost)") }
        return parts.joined(separator: "  ")
    }
}
