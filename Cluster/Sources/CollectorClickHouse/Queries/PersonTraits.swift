// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// A person's traits, from records of user traits in order of arrival.
struct PersonTraits {
    /// A record of user traits.
    struct Record {
        let installation: InstallationID?
        /// `UserTraitsRecord.kind`, or the kind of an event.
        let kind: String
        let time: Int64
        let context: Context
        /// The context, or the event's attributes, as JSON.
        let content: [UInt8]
    }

    /// A context of an installation.
    struct Context: Hashable {
        let installation: InstallationID?
        let high: UInt64
        let low: UInt64
    }

    private(set) var uniqueID: String?
    private(set) var anonymousID: String?
    private(set) var firstTouch: Timestamp?
    private var known: [ByteText: StoredUser.Attribute] = [:]
    private var seen: Set<Context> = []
    private var currentInstallation: InstallationID?

    /// The attributes, ordered by name.
    var attributes: [StoredUser.Attribute] { known.sorted { $0.key < $1.key }.map(\.value) }

    /// Returns an attribute by its name.
    subscript(name: String) -> StoredUser.Attribute? { known[ByteText(name)] }

    /// Adds the next record.
    ///
    /// A context counts only when it occurs for the first time.
    mutating func add(_ record: Record) {
        currentInstallation = record.installation
        if record.kind == UserTraitsRecord.kind {
            guard seen.insert(record.context).inserted else { return }
            return describe(record.content.withUnsafeBytes { ContextFacts(context: $0) })
        }
        guard let kind = CapturedKind(rawValue: record.kind) else { return }
        let values = record.content.withUnsafeBytes { CapturedKind.values($0.isEmpty ? nil : $0) }
        do {
            try apply(kind, values, at: record.time)
        } catch {
            // Unreachable, because a table in memory does not fail.
        }
    }

    private mutating func describe(_ facts: ContextFacts) {
        uniqueID = facts.uniqueID ?? uniqueID
        anonymousID = facts.anonymousID ?? anonymousID
        if let touch = facts.firstTouch { firstTouch = min(firstTouch ?? touch, touch) }
        for attribute in facts.attributes {
            set(attribute.name, PersonAttribute.Outcome(value: attribute.value.json), at: attribute.setAt.milliseconds)
        }
    }
}

extension PersonTraits: PersonAttributeTable {
    func known(_ name: String) -> PersonAttribute.Outcome? {
        guard let attribute = self[name] else { return nil }
        // The value was written by this type; an unreadable one counts as missing.
        guard let value = try? JSONValue.parse(attribute.value) else { return nil }
        return PersonAttribute.Outcome(value: value, omitted: Int64(clamping: attribute.omitted))
    }

    mutating func set(_ name: String, _ outcome: PersonAttribute.Outcome, at time: Int64) {
        if let known = self[name], known.set.milliseconds > time { return }
        known[ByteText(name)] = StoredUser.Attribute(
            name: name,
            value: outcome.value.json(),
            set: Timestamp(milliseconds: time),
            installation: currentInstallation,
            omitted: UInt64(clamping: outcome.omitted)
        )
    }

    mutating func remove(_ name: String?, upTo time: Int64) {
        if let name {
            if let known = self[name], known.set.milliseconds <= time { self.known[ByteText(name)] = nil }
        } else {
            known = known.filter { $0.value.set.milliseconds > time }
        }
    }
}
