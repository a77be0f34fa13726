// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The result of parsing a plan file.
///
/// Contains either the plan or all faults at once.
public struct PlanParseResult: Sendable, Hashable {
    /// The plan; nil when there are faults.
    public private(set) var plan: TrackingPlan?
    /// The faults, in the order of the file; at most ``PlanLimits/faults``.
    public private(set) var faults: [PlanFault] = []
    /// Warnings, which do not count as faults.
    ///
    /// An example is a name that a format does not accept.
    public private(set) var warnings: [PlanFault] = []
    /// The number of further faults and warnings.
    public private(set) var omitted = 0

    /// Parses a file's content.
    ///
    /// - Complexity: O(bytes), bounded by ``PlanLimits``.
    public init(_ bytes: [UInt8]) {
        guard bytes.count <= PlanLimits.bytes else {
            fault(
                "",
                "too_large",
                "The file has \(bytes.count) bytes; a plan can have at most \(PlanLimits.bytes). Is it the right file?"
            )
            return
        }
        do throws(JSONError) {
            var reader = PlanParser(self)
            let plan = reader.plan(try JSONValue.parse(bytes))
            self = reader.reading
            if faults.isEmpty { self.plan = plan }
        } catch {
            let before = bytes.prefix(error.offset)
            let line = before.count { $0 == UInt8(ascii: "\n") } + 1
            let column = before.count - (before.lastIndex(of: UInt8(ascii: "\n")) ?? -1)
            fault(
                "",
                error.code == .tooDeep ? "too_deep" : "malformed_json",
                "The file is not valid JSON: \(error.code.rawValue) on line \(line), byte \(column). JSON allows "
                    + "no comments and no comma after the last member; the maximum depth is \(JSONLimits.maximumDepth)."
            )
        }
    }

    /// Records a fault.
    mutating func fault(_ path: String, _ code: String, value: JSONValue? = nil, _ message: String) {
        guard faults.count < PlanLimits.faults else {
            omitted += 1
            return
        }
        faults.append(PlanFault(path: Self.short(path), code: code, value: Self.text(value), message: message))
    }

    /// Records the warnings of formats about a name.
    mutating func addWarnings(_ path: String, _ list: [FormatWarning]) {
        for warning in list {
            guard warnings.count < PlanLimits.faults else {
                omitted += 1
                continue
            }
            let code = warning.format == .trackway ? warning.code : "\(warning.format.rawValue) \(warning.code)"
            warnings.append(PlanFault(path: Self.short(path), code: code, message: warning.message))
        }
    }

    private static func short(_ path: String) -> String {
        path.utf8.count > 512 ? path.truncated(toUTF8Count: 512) + "…" : path
    }

    private static func text(_ value: JSONValue?) -> String {
        switch value {
        case nil: return ""
        case .array(let values): return "a list of \(values.count)"
        case .object(let object): return "an object of \(object.members.count)"
        case .string(let text) where text.utf8.count > 64:
            return String(decoding: JSONValue.string(text.truncated(toUTF8Count: 64) + "…").json(), as: UTF8.self)
        case .some(let value): return String(decoding: value.json(), as: UTF8.self)
        }
    }
}

/// Parses the parts of a plan other than schemas.
struct PlanParser {
    /// The result so far.
    var reading: PlanParseResult
    /// The number of schemas parsed so far.
    var schemas = 0

    init(_ reading: PlanParseResult) {
        self.reading = reading
    }

    /// Parses the whole file.
    mutating func plan(_ value: JSONValue) -> TrackingPlan {
        var plan = TrackingPlan(events: [])
        var hasVersion = false
        var hasEvents = false
        for (key, value) in members(value, "", "a plan: {\"version\": 1, \"events\": {…}}") {
            switch key {
            case "version":
                hasVersion = true
                if value != .integer(1) {
                    reading.fault(
                        key,
                        "unknown_version",
                        value: value,
                        "This collector supports version 1; write \"version\": 1."
                    )
                }
            case "title": plan.title = text(value, key)
            case "description": plan.description = text(value, key)
            case "unplanned":
                guard let rule = value.string.flatMap(TrackingPlan.UnplannedRule.init) else {
                    reading.fault(
                        key,
                        "malformed",
                        value: value,
                        "Write “count” to count events that are not in the plan (the default), or “allow”."
                    )
                    continue
                }
                plan.unplanned = rule
            case "events":
                hasEvents = true
                plan = TrackingPlan(
                    title: plan.title,
                    description: plan.description,
                    unplanned: plan.unplanned,
                    events: events(value)
                )
            case "$schema", "$id", "$comment": break
            default:
                reading.fault(
                    PlanPath.joined("", key),
                    "unknown_member",
                    value: value,
                    """
                    A plan has version, title, description, unplanned and events; remove this, or rename it to \
                    \"$comment\".
                    """
                )
            }
        }
        if !hasVersion, value.object != nil {
            reading.fault("version", "missing", "The plan has no format version; write \"version\": 1.")
        }
        if !hasEvents, value.object != nil {
            reading.fault("events", "missing", "The plan has no events; write \"events\": {\"purchase\": {}}.")
        }
        return plan
    }

    private mutating func events(_ value: JSONValue) -> [PlannedEvent] {
        guard let count = value.object?.members.count else {
            reading.fault(
                "events",
                "malformed",
                value: value,
                "Write an object of events by name: {\"purchase\": {}}."
            )
            return []
        }
        guard count <= PlanLimits.events else {
            reading.fault(
                "events",
                "too_many_events",
                value: value,
                """
                There are \(count) events; a plan can have at most \(PlanLimits.events). Put details into attributes, \
                not into names.
                """
            )
            return []
        }
        return members(value, "events", "").map { event($0.key, $0.value) }
    }

    private mutating func event(_ name: String, _ value: JSONValue) -> PlannedEvent {
        let path = PlanPath.joined("events", name)
        checkName(name, path, isEvent: true)
        reading.addWarnings(path, FormatWarning.warnings(forEvent: name))
        var event = PlannedEvent(name: name)
        for (key, value) in members(value, path, "an event: {\"description\": \"…\", \"attributes\": {…}}") {
            let place = PlanPath.joined(path, key)
            switch key {
            case "description", "title":
                let text = text(value, place)
                if key == "description" || event.description == nil { event.description = text }
            case "owner": event.owner = text(value, place)
            case "deprecated": event.isDeprecated = flag(value, place)
            case "attributes": event.attributes = root(value, place, .object, of: name)
            case "items": event.items = root(value, place, .array, of: name)
            case "$comment", "examples": break
            default:
                reading.fault(
                    place,
                    "unknown_member",
                    value: value,
                    "An event has description, owner, deprecated, attributes and items; attribute schemas belong in "
                        + "\"attributes\": {\"properties\": {…}}."
                )
            }
        }
        return event
    }

    /// Parses the schema of all attributes, or of all items.
    ///
    /// The kind is fixed, whether or not the schema states it.
    private mutating func root(_ value: JSONValue, _ path: String, _ kind: PlanSchema.Kind, of event: String)
        -> PlanSchema
    {
        var schema = schema(value, path, depth: 1, within: [kind])
        schema.kinds = [kind]
        if kind == .object {
            for property in schema.properties {
                let place = PlanPath.joined(PlanPath.joined(path, "properties"), property.name)
                reading.addWarnings(place, FormatWarning.warnings(forAttribute: property.name, of: event))
            }
        }
        return schema
    }

    // MARK: Parts

    /// Returns the members of an object, each name once.
    ///
    /// Returns no members for any other value.
    mutating func members(_ value: JSONValue, _ path: String, _ what: String) -> [(key: String, value: JSONValue)] {
        guard let object = value.object else {
            reading.fault(path, "malformed", value: value, "Write \(what).")
            return []
        }
        var known: Set<[UInt8]> = []
        return object.members.compactMap { member in
            guard known.insert(Array(member.key.utf8)).inserted else {
                reading.fault(
                    PlanPath.joined(path, member.key),
                    "duplicate",
                    value: member.value,
                    "The name occurs twice; keep one of the two."
                )
                return nil
            }
            return (member.key, member.value)
        }
    }

    /// Parses human-readable text.
    mutating func text(_ value: JSONValue, _ path: String) -> String? {
        if let text = value.string { return text }
        reading.fault(path, "malformed", value: value, "Write a string in quotation marks.")
        return nil
    }

    /// Parses a Boolean.
    mutating func flag(_ value: JSONValue, _ path: String) -> Bool {
        if let flag = value.boolean { return flag }
        reading.fault(path, "malformed", value: value, "Write true or false.")
        return false
    }

    /// Checks that an event or attribute can have this name.
    mutating func checkName(_ name: String, _ path: String, isEvent: Bool) {
        let limit = isEvent ? EventLimits().nameBytes : EventLimits().keyBytes
        if name.isEmpty {
            reading.fault(path, "name_empty", "The name of an \(isEvent ? "event" : "attribute") cannot be empty.")
        } else if name.utf8.count > limit {
            reading.fault(
                path,
                "name_too_long",
                """
                The name has \(name.utf8.count) bytes; the name of an \(isEvent ? "event" : "attribute") can have at \
                most \(limit).
                """
            )
        }
    }
}
