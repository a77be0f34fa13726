// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents
package import TrackwayJournal

/// Holds the events of a journal to a destination's rules as they are read.
package struct RuleFilter: EventFilter {
    private struct VariantKey: Hashable {
        var generation: UInt32
        var redactions: [NamePattern]
    }

    private let rules: DestinationRules
    private let destination: DestinationID
    private let installation: InstallationID
    /// The person of each context seen.
    private var people: [UInt32: String] = [:]
    /// What takes the place of contexts; nil where nothing of them is redacted.
    private var variants: [VariantKey: FilteredContext?] = [:]
    private var variantCount: UInt32 = 0

    /// A filter for one reading, or for several of one writer's log.
    package init(_ rules: DestinationRules, for destination: DestinationID, of installation: InstallationID) {
        self.rules = rules
        self.destination = destination
        self.installation = installation
    }

    /// Judges one event. One that cannot be understood is dropped as damaged: nobody could say what it would give away.
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
        case .leaves(let newName, let redactions):
            guard newName != nil || !redactions.isEmpty else { return .unchanged }
            let context = redactions.isEmpty ? nil : variant(of: context, generation, without: redactions)
            // Of what an erasing says nothing may be missing.
            let isTombstone = name == CapturedName.installationErased
            guard let changed = isTombstone ? .some(nil) : Self.changed(event, to: newName, without: redactions) else {
                return .dropped(.damaged)
            }
            return changed == nil && context == nil ? .unchanged : .changed(event: changed, context: context)
        }
    }

    /// What the rules decide about an event; see ``filter(_:in:generation:)``.
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
            return Sample.holds(member, share: share, salt: salt ?? destination.rawValue)
        }
    }

    // MARK: Reading

    private static func header(of event: UnsafeRawBufferPointer) -> (id: String, name: String)? {
        var id: String?
        // What cannot be read is answered with nil.
        guard var scanner = try? JSONScanner(event, limits: unlimited(event)), (try? scanner.enterObject()) != nil
        else {
            return nil
        }
        while let key = try? scanner.nextKey() {  // As above.
            if scanner.text(key, equals: "id") {
                guard let text = try? scanner.readText() else { return nil }  // As above.
                id = scanner.string(text)
            } else if scanner.text(key, equals: "name") {
                guard let text = try? scanner.readText() else { return nil }  // As above.
                // The identity stands first in what the SDK writes.
                return (id ?? "", scanner.string(text))
            } else if (try? scanner.skipValue()) == nil {  // As above.
                return nil
            }
        }
        return nil
    }

    /// Who the person of a context is: named by the installation for back-ends that tell people apart on one device.
    private mutating func person(of context: [UInt8], _ generation: UInt32) -> String {
        if let known = people[generation] { return known }
        // A context that says nobody is everybody of the installation.
        let json = try? JSONValue.parse(context)
        let person = json?["user"]?["unique_id"]?.string ?? installation.description
        people[generation] = person
        return person
    }

    // MARK: Changing

    /// The event's JSON under another name and without attributes; nil in the inner optional when that is the same, and in
    /// the outer one when the event cannot be read.
    private static func changed(
        _ event: UnsafeRawBufferPointer,
        to name: String?,
        without redactions: [NamePattern]
    ) -> [UInt8]?? {
        // What cannot be read is answered with nil.
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

    /// What takes the place of a context in which attributes of everybody's events, or of the user, are redacted; nil when
    /// it holds none of them.
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
        // A context that cannot be read gives nothing away.
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
    /// Nothing is left out of what was recorded within the app's own limits.
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
