// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// A consent decision, with the circumstances in which it was made.
public struct ConsentRecord: Sendable, Hashable {
    /// The maximum size of ``source`` and ``version``, in bytes.
    package static let maximumTextBytes = 256

    /// The time of the decision, by the device's clock.
    public var time: Timestamp
    /// The decision; nil if an earlier decision was removed.
    public var decision: Consent?
    /// Whether the decision applies to the device or to one person.
    public var scope: ConsentScope
    /// The category of the decision; nil for all categories.
    public var category: ConsentCategory?
    /// Where the decision was made, in the app's words, such as `settings`.
    public var source: String?
    /// The version of the text that was agreed to or refused.
    public var version: String?
    /// The person of a decision with the scope `person`; nil for the device.
    package var subject: String?

    /// Creates a record.
    package init(
        time: Timestamp,
        decision: Consent?,
        scope: ConsentScope,
        category: ConsentCategory? = nil,
        source: String? = nil,
        version: String? = nil,
        subject: String? = nil
    ) {
        self.time = time
        self.decision = decision
        self.scope = scope
        self.category = category
        self.source = source
        self.version = version
        self.subject = subject
    }

    /// The attributes of the event that reports the decision.
    package var attributes: Attributes {
        var attributes: Attributes = [
            CapturedKey.consentDecision: .string(decision?.rawValue ?? "removed"),
            CapturedKey.consentScope: .string(scope.rawValue),
        ]
        if let category { attributes[CapturedKey.consentCategory] = .string(category.rawValue) }
        if let source { attributes[CapturedKey.consentSource] = .string(source) }
        if let version { attributes[CapturedKey.consentVersion] = .string(version) }
        return attributes
    }

    /// Whether both are about the same people and category.
    func isSameQuestion(as other: ConsentRecord) -> Bool {
        scope == other.scope && category == other.category && subject == other.subject
    }

    /// Whether both have the same content at different times.
    func isRepetition(of other: ConsentRecord) -> Bool {
        isSameQuestion(as: other) && decision == other.decision && source == other.source && version == other.version
    }
}

/// The decisions of an installation, in the order in which they were made.
///
/// The clock may be wrong, so the order does not depend on times.
package struct ConsentLog: Sendable, Hashable {
    /// The maximum number of decisions.
    ///
    /// Beyond this limit, decisions that a later one replaced are removed first.
    package static let maxRecords = 100

    /// The decisions, latest last.
    package private(set) var records: [ConsentRecord] = []

    /// Creates an empty log.
    package init() {}

    /// Returns the latest decision about the same people and category.
    package func latest(like record: ConsentRecord) -> ConsentRecord? {
        records.last { $0.isSameQuestion(as: record) }
    }

    /// Whether the latest decision about the same people and category has the same content.
    package func isRepetition(_ record: ConsentRecord) -> Bool {
        latest(like: record).map { record.isRepetition(of: $0) } ?? false
    }

    /// Adds a decision.
    ///
    /// - Complexity: O(``maxRecords``²) if the log is full.
    package mutating func add(_ record: ConsentRecord) {
        records.append(record)
        while records.count > Self.maxRecords {
            let replaced = records.indices.first { index in
                records[(index + 1)...].contains { $0.isSameQuestion(as: records[index]) }
            }
            records.remove(at: replaced ?? 0)
        }
    }

    /// Removes the decisions of people; those for the device remain.
    package mutating func removePeople() {
        records.removeAll { $0.subject != nil }
    }
}

/// A decision that applies after a last delivery.
package struct ScheduledConsent: Sendable, Hashable {
    /// The time by which the decision applies even if nothing has applied it.
    ///
    /// Reached only if the process that scheduled it ended first, or if the clock was changed.
    package var deadline: Timestamp
    /// The id, which distinguishes the decision from a repetition.
    package var id: String
    /// The decision.
    package var record: ConsentRecord

    /// Creates a scheduled decision.
    package init(id: String, record: ConsentRecord, deadline: Timestamp) {
        self.id = id
        self.record = record
        self.deadline = deadline
    }

    /// Whether the decision must apply now.
    ///
    /// A time before the decision was made means that the clock was set back, so the deadline is meaningless.
    package func isOverdue(at now: Timestamp) -> Bool { now >= deadline || now < record.time }
}

extension ConsentRecord {
    /// Reads JSON that ``json`` wrote.
    ///
    /// - Throws: `JSONError` when the JSON is invalid.
    package init(json: JSONValue) throws(JSONError) {
        guard let time = json["time"]?.integer, let text = json["decision"]?.string,
            let scope = ConsentScope(rawValue: json["scope"]?.string ?? "device")
        else { throw .stateInvalid }
        let decision = Consent(rawValue: text)
        guard decision != nil || text == "removed" else { throw .stateInvalid }
        self.init(
            time: Timestamp(milliseconds: time),
            decision: decision,
            scope: scope,
            category: json["category"]?.string.map { ConsentCategory(rawValue: $0) },
            source: json["source"]?.string,
            version: json["version"]?.string,
            subject: json["subject"]?.string
        )
    }

    /// The decision in its stored form.
    package var json: JSONValue { .object(.init(members)) }

    fileprivate var members: [JSONValue.Object.Member] {
        JSONValue.Object(present: [
            "time": .integer(time.milliseconds),
            "decision": .string(decision?.rawValue ?? "removed"),
            "scope": scope == .device ? nil : .string(scope.rawValue),
            "category": category.map { .string($0.rawValue) },
            "source": source.map { .string($0) },
            "version": version.map { .string($0) },
            "subject": subject.map { .string($0) },
        ]).members
    }
}

extension ConsentLog {
    /// Reads JSON that ``json`` wrote; decisions of newer versions are ignored.
    package init(json: JSONValue) {
        for value in json.array ?? [] {
            // The log serves as a record only; a damaged entry must not invalidate the settings.
            if let record = try? ConsentRecord(json: value) { add(record) }
        }
    }

    /// The log in its stored form.
    package var json: JSONValue { .array(records.map(\.json)) }
}

extension ScheduledConsent {
    /// Reads JSON that ``json`` wrote.
    ///
    /// - Throws: `JSONError` when the JSON is invalid.
    package init(json: JSONValue) throws(JSONError) {
        guard let id = json["id"]?.string, let deadline = json["deadline"]?.integer else { throw .stateInvalid }
        self.init(id: id, record: try ConsentRecord(json: json), deadline: Timestamp(milliseconds: deadline))
    }

    /// The decision in its stored form.
    package var json: JSONValue {
        .object(
            .init(
                [
                    .init(key: "id", value: .string(id)),
                    .init(key: "deadline", value: .integer(deadline.milliseconds)),
                ] + record.members
            )
        )
    }
}
