// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// A plan's file, read: the plan, or everything that keeps it from being one, in one go.
public struct PlanReading: Sendable, Hashable {
    /// The plan; nil when there are faults.
    public private(set) var plan: TrackingPlan?
    /// What is wrong, in the order of the file; at most ``PlanLimits/faults``.
    public private(set) var faults: [PlanFault] = []
    /// What is not wrong and better otherwise, such as a name that a format does not take.
    public private(set) var remarks: [PlanFault] = []
    /// How many further faults and remarks there are.
    public private(set) var omitted = 0

    /// Reads a file's bytes.
    ///
    /// - Complexity: O(bytes), bounded by ``PlanLimits``.
    public init(_ bytes: [UInt8]) {
        guard bytes.count <= PlanLimits.bytes else {
            fault(
                "",
                "too_large",
                "The file has \(bytes.count) bytes; a plan has \(PlanLimits.bytes) at most. Is it the right file?"
            )
            return
        }
        do throws(JSONError) {
            var reader = PlanReader(self)
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
                "The file is not valid JSON: \(error.code.rawValue) in line \(line), byte \(column). JSON has no comments and no comma "
                    + "behind the last member; at most \(JSONLimits.maximumDepth) levels nest."
            )
        }
    }

    /// Notes a fault.
    mutating func fault(_ path: String, _ code: String, value: JSONValue? = nil, _ message: String) {
        guard faults.count < PlanLimits.faults else {
            omitted += 1
            return
        }
        faults.append(PlanFault(path: Self.short(path), code: code, value: Self.text(value), message: message))
    }

    /// Notes what formats say about a name.
    mutating func remark(_ path: String, _ list: [Remark]) {
        for remark in list {
            guard remarks.count < PlanLimits.faults else {
                omitted += 1
                continue
            }
            let code = remark.format == .trackway ? remark.code : "\(remark.format.rawValue) \(remark.code)"
            remarks.append(PlanFault(path: Self.short(path), code: code, message: remark.message))
        }
    }

    private static func short(_ path: String) -> String {
        path.utf8.count > 512 ? path.cut(toBytes: 512) + "…" : path
    }

    private static func text(_ value: JSONValue?) -> String {
        switch value {
        case nil: return ""
        case .array(let values): return "a list of \(values.count)"
        case .object(let object): return "an object of \(object.members.count)"
        case .string(let text) where text.utf8.count > 64:
            return String(decoding: JSONValue.string(text.cut(toBytes: 64) + "…").json(), as: UTF8.self)
        case .some(let value): return String(decoding: value.json(), as: UTF8.self)
        }
    }
}

/// Reads the parts of a plan that are not schemas.
struct PlanReader {
    /// What was found so far.
    var reading: PlanReading
    /// How many schemas were read.
    var schemas = 0

    init(_ reading: PlanReading) {
        self.reading = reading
    }

    /// The whole file.
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
                        "This version understands 1; write \"version\": 1."
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
                        "Write “count” to have events counted that are not in the plan (the default), or “allow”."
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
                    "A plan has version, title, description, unplanned and events; remove it, or write it as \"$comment\"."
                )
            }
        }
        if !hasVersion, value.object != nil {
            reading.fault("version", "missing", "A plan says of which form it is; write \"version\": 1.")
        }
        if !hasEvents, value.object != nil {
            reading.fault("events", "missing", "A plan names events; write \"events\": {\"purchase\": {}}.")
        }
        return plan
    }

    private mutating func events(_ value: JSONValue) -> [PlannedEvent] {
        guard let count = value.object?.members.count else {
            reading.fault(
                "events",
                "malformed",
                value: value,
                "Write an object with the events by their names: {\"purchase\": {}}."
            )
            return []
        }
        guard count <= PlanLimits.events else {
            reading.fault(
                "events",
                "too_many_events",
                value: value,
                "There are \(count) events; a plan has \(PlanLimits.events) at most. Put what differs into attributes, not into names."
            )
            return []
        }
        return members(value, "events", "").map { event($0.key, $0.value) }
    }

    private mutating func event(_ name: String, _ value: JSONValue) -> PlannedEvent {
        let path = PlanPath.joined("events", name)
        checkName(name, path, isEvent: true)
        reading.remark(path, Remark.remarks(onEvent: name))
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
                    "An event has description, owner, deprecated, attributes and items; schemas of attributes stand in "
                        + "\"attributes\": {\"properties\": {…}}."
                )
            }
        }
        return event
    }

    /// The schema of all attributes, or of all items: it is of one kind, whether it says so or not.
    private mutating func root(_ value: JSONValue, _ path: String, _ kind: PlanSchema.Kind, of event: String)
        -> PlanSchema
    {
        var schema = schema(value, path, depth: 1, within: [kind])
        schema.kinds = [kind]
        if kind == .object {
            for property in schema.properties {
                let place = PlanPath.joined(PlanPath.joined(path, "properties"), property.name)
                reading.remark(place, Remark.remarks(onAttribute: property.name, of: event))
            }
        }
        return schema
    }

    // MARK: Parts

    /// The members of an object, each name once; none of anything else.
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
                    "The name stands here twice; keep one of the two."
                )
                return nil
            }
            return (member.key, member.value)
        }
    }

    /// A text that people read.
    mutating func text(_ value: JSONValue, _ path: String) -> String? {
        if let text = value.string { return text }
        reading.fault(path, "malformed", value: value, "Write a text in quotation marks.")
        return nil
    }

    /// Yes or no.
    mutating func flag(_ value: JSONValue, _ path: String) -> Bool {
        if let flag = value.boolean { return flag }
        reading.fault(path, "malformed", value: value, "Write true or false.")
        return false
    }

    /// Sees that something can have this name at all.
    mutating func checkName(_ name: String, _ path: String, isEvent: Bool) {
        let limit = isEvent ? EventLimits().nameBytes : EventLimits().keyBytes
        if name.isEmpty {
            reading.fault(path, "name_empty", "No \(isEvent ? "event" : "attribute") has an empty name; give it one.")
        } else if name.utf8.count > limit {
            reading.fault(
                path,
                "name_too_long",
                "The name has \(name.utf8.count) bytes; no \(isEvent ? "event" : "attribute") with more than \(limit) is accepted."
            )
        }
    }
}
