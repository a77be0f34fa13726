// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A page of a person's consent decisions, latest first by device time.
///
/// The decisions are those that a device reported with `_consent` events. They follow the same identity rules as the
/// person's other events, and are erased with them. A refusal that applies to the collector is reported only as part of
/// a last delivery.
public struct ConsentHistory: Sendable, Hashable {
    /// One decision.
    public struct Decision: Sendable, Hashable {
        /// The event that reported the decision.
        public var event: StoredEvent
        /// Whether the decision was made before the user signed in.
        public var isVisit: Bool
        /// The decision: `granted`, `denied`, `pending`, or `removed`.
        ///
        /// nil if the event does not state one.
        public var decision: String?
        /// Whether the decision applies to the `device` or to one `person`.
        public var scope: String?
        /// The category; nil for all categories.
        public var category: String?
        /// Where the decision was made, in the app's words.
        public var source: String?
        /// The version of the text that was agreed to or refused.
        public var version: String?

        /// Reads the decision of a timeline's entry.
        init(_ entry: Timeline.Entry) {
            (event, isVisit) = (entry.event, entry.isVisit)
            // Any client can send an event of this name, with anything in it.
            let attributes = (try? JSONValue.parse(entry.event.json))?["attributes"]
            decision = attributes?[CapturedKey.consentDecision]?.string
            scope = attributes?[CapturedKey.consentScope]?.string
            category = attributes?[CapturedKey.consentCategory]?.string
            source = attributes?[CapturedKey.consentSource]?.string
            version = attributes?[CapturedKey.consentVersion]?.string
        }
    }

    /// The decisions.
    public var decisions: [Decision]
    /// The number of the person's events that were searched for this page.
    public var searched: Int
    /// The number of the person's events.
    public var total: UInt64
    /// The cursor for the next page; nil when all events were searched.
    public var next: TimelineCursor?

    /// Reads the decisions of a timeline that was restricted to them.
    init(_ timeline: Timeline) {
        decisions = timeline.entries.map { Decision($0) }
        (searched, total, next) = (timeline.searched, timeline.total, timeline.next)
    }

    /// Writes the response.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.list("decisions", decisions) { $0.write(to: &$1) }
        writer.member("searched", Int64(searched))
        writer.member("of", total)
        if let next { writer.member("next", next.description) }
        writer.endObject()
    }
}

extension ConsentHistory.Decision {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("time", event.time)
        writer.member("received", event.received)
        if let decision { writer.member("decision", decision) }
        if let scope { writer.member("scope", scope) }
        if let category { writer.member("category", category) }
        if let source { writer.member("source", source) }
        if let version { writer.member("version", version) }
        if isVisit { writer.member("visit", true) }
        if let user = event.user { writer.member("user", user) }
        if let installation = event.installation { writer.member("installation", installation) }
        writer.member("id", event.id)
        writer.endObject()
    }
}

extension EventStore {
    /// Returns a page of a person's consent decisions, latest first.
    ///
    /// Nil if the person has no events.
    ///
    /// One call searches the person's events up to the limits of a single search. A page may therefore have fewer
    /// decisions than `limit`, or none, and still have a next one.
    ///
    /// - Parameters:
    ///   - after: The cursor of the previous page; nil for the first page.
    ///   - limit: The maximum number of decisions.
    public func consentHistory(
        of person: PersonKey,
        after: TimelineCursor? = nil,
        limit: Int = 100
    ) async throws(StoreError) -> ConsentHistory? {
        var query = TimelineQuery(person, after: after, limit: limit)
        query.names = [CapturedName.consent]
        return try await timeline(query).map { ConsentHistory($0) }
    }
}
