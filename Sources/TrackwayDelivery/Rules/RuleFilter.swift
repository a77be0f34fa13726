// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore
package import TrackwayJournal

/// Applies a destination's rules to events read from the journal.
package struct RuleFilter: EventFilter {
    private struct VariantKey: Hashable {
        var generation: UInt32
        var redactions: [NamePattern]
    }

    private let rules: DestinationRules
    private let destination: DestinationID
    private let installation: InstallationID
    /// The person in each context read so far.
    private var people: [UInt32: String] = [:]
    /// The replacements for contexts; nil if nothing in the context is redacted.
    private var variants: [VariantKey: FilteredContext?] = [:]
    private var variantCount: UInt32 = 0

    /// Creates a filter for one or more reads of one writer's log.
    package init(_ rules: DestinationRules, for destination: DestinationID, of installation: InstallationID) {
        self.rules = rules
        self.destination = destination
        self.installation = installation
    }

    /// Filters one event.
    ///
    /// An event that cannot be parsed is dropped as damaged, because its content is unknown and might violate a rule.
    package mutating func filter(
        _ event: UnsafeRawBufferPointer,
        in context: [UInt8],
        generation: UInt32
    ) -> FilteredEvent {
        guard let (id, name) = Self.header(of: event) else { return .dropped(.damaged) }
        let decision = decision(on: name, id: id, in: context, generation: generation)
        switch decision {
        case .denied: return .dropped(.deniedByRule)
        case .sampledOut: return .dropped(.sampledOut)
        case .sent(let newName, let redactions):
            guard newName != nil || !redactions.isEmpty else { return .unchanged }
            let context = redactions.isEmpty ? nil : variant(of: context, generation, without: redactions)
            // An erasure event must stay complete.
            let isTombstone = name == CapturedName.installationErased
            guard let changed = isTombstone ? .some(nil) : Self.changed(event, to: newName, without: redactions) else {
                return .dropped(.damaged)
            }
            return changed == nil && context == nil ? .unchanged : .changed(event: changed, context: context)
        }
    }

    /// Returns the result of the rules for an event; see ``filter(_:in:generation:)``.
    package mutating func decision(
        on name: String,
        id: String,
        in context: [UInt8],
        generation: UInt32
    ) -> DestinationRules.Decision {
        rules.decision(on: name) { share, unit, salt in
            let member =
                switch unit {
                case .person: person(of: context, generation)
                case .installation: installation.description
                case .event: id
                }
            return Sample.contains(member, share: share, salt: salt ?? destination.rawValue)
        }
    }

    // MARK: Parsing

    private static func header(of event: UnsafeRawBufferPointer) -> (id: String, name: String)? {
        var id: String?
        // An unreadable event results in nil.
        guard var scanner = try? JSONScanner(event, limits: unlimited(event)), (try? scanner.enterObject()) != nil
        else {
            return nil
        }
        while let key = try? scanner.nextKey() {  // An unreadable event ends the loop.
            if scanner.text(key, equals: "id") {
                guard let text = try? scanner.readText() else { return nil }  // Unreadable.
                id = scanner.string(text)
            } else if scanner.text(key, equals: "name") {
                guard let text = try? scanner.readText() else { return nil }  // Unreadable.
                // The SDK writes the id before the name.
                return (id ?? "", scanner.string(text))
            } else if (try? scanner.skipValue()) == nil {  // Unreadable.
                return nil
            }
        }
        return nil
    }

    /// Returns the unique id of the person in a context, for sampling.
    ///
    /// The installation assigns this id for back ends that distinguish the people on one device.
    private mutating func person(of context: [UInt8], _ generation: UInt32) -> String {
        if let known = people[generation] { return known }
        // A context without a person represents everyone who uses the installation.
        let json = try? JSONValue.parse(context)
        let person = json?["user"]?["unique_id"]?.string ?? installation.description
        people[generation] = person
        return person
    }

    // MARK: Rewriting

    /// Returns the event's JSON with another name and without attributes.
    ///
    /// - Returns: The outer optional is nil if the event cannot be read, the inner one if the event does not change.
    private static func changed(
        _ event: UnsafeRawBufferPointer,
        to name: String?,
        without redactions: [NamePattern]
    ) -> [UInt8]?? {
        // An unreadable event results in nil.
        guard let recorded = try? Event(json: event, limits: unlimited(event)) else { return nil }
        var changed = recorded
        if let name { changed.name = name }
        if !redactions.isEmpty {
            changed.attributes.remove(redactions)
            for index in changed.items.indices { changed.items[index].attributes.remove(redactions) }
        }
        return .some(changed == recorded ? nil : changed.json(limits: .unlimited))
    }

    private static func unlimited(_ text: UnsafeRawBufferPointer) -> JSONLimits {
        JSONLimits(bytes: text.count, depth: JSONLimits.maximumDepth)
    }

    /// Returns a context with redacted global or user attributes; nil if unchanged.
    private mutating func variant(
        of context: [UInt8],
        _ generation: UInt32,
        without redactions: [NamePattern]
    ) -> FilteredContext? {
        let key = VariantKey(generation: generation, redactions: redactions)
        if let known = variants[key] { return known }
        var variant: FilteredContext?
        if let json = Self.redacted(context, redactions) {
            variant = FilteredContext(number: variantCount, json: json)
            variantCount += 1
        }
        variants[key] = .some(variant)
        return variant
    }

    private static func redacted(_ context: [UInt8], _ redactions: [NamePattern]) -> [UInt8]? {
        // An unreadable context is replaced by an empty one, so it reveals nothing.
        guard case .object(var json)? = try? JSONValue.parse(context) else { return Array("{}".utf8) }
        let before = json
        for index in json.members.indices {
            switch json.members[index].key {
            case "global":
                json.members[index].value.remove(redactions)
            case "user":
                guard case .object(var user) = json.members[index].value else { continue }
                for place in user.members.indices
                where ["attributes", "identities", "groups"].contains(user.members[place].key) {
                    user.members[place].value.remove(redactions)
                }
                json.members[index].value = .object(user)
            default:
                continue
            }
        }
        return json == before ? nil : JSONValue.object(json).json()
    }
}

extension Attributes {
    fileprivate mutating func remove(_ redactions: [NamePattern]) {
        for key in keys where redactions.contains(where: { $0.matches(key) }) { self[key] = nil }
    }
}

extension JSONValue {
    fileprivate mutating func remove(_ redactions: [NamePattern]) {
        guard case .object(var object) = self else { return }
        object.members.removeAll { member in redactions.contains { $0.matches(member.key) } }
        self = .object(object)
    }
}

extension EventLimits {
    /// Limits that remove nothing from events recorded within the app's own limits.
    fileprivate static var unlimited: EventLimits {
        var limits = EventLimits()
        let most = 1 << 30
        limits.nameBytes = most
        limits.keyBytes = most
        limits.stringBytes = most
        limits.attributes = most
        limits.items = most
        limits.itemIDBytes = most
        limits.depth = EventLimits.maximumDepth
        limits.eventBytes = most
        return limits
    }
}
