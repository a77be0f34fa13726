// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

extension PlanParser {
    /// Parses a schema.
    ///
    /// - Parameters:
    ///   - depth: The nesting depth of the schema's values.
    ///   - kinds: The kinds that are possible here; nil for any.
    mutating func schema(
        _ value: JSONValue,
        _ path: String,
        depth: Int,
        within kinds: Set<PlanSchema.Kind>? = nil
    ) -> PlanSchema {
        var schema = PlanSchema()
        schemas += 1
        guard schemas <= PlanLimits.schemas else {
            if schemas == PlanLimits.schemas + 1 {
                reading.fault(
                    path,
                    "too_many_schemas",
                    "There are more than \(PlanLimits.schemas) schemas; split the plan."
                )
            }
            return schema
        }
        guard depth <= PlanLimits.depth else {
            reading.fault(
                path,
                "too_deep",
                "Values nest at most \(PlanLimits.depth) levels deep, so no event can have this value."
            )
            return schema
        }
        if value == .boolean(true) { return schema }
        let all = members(value, path, "a schema, such as {\"type\": \"string\"}")
        if let type = all.first(where: { $0.key == "type" }) {
            schema.kinds = self.kinds(type.value, PlanPath.joined(path, "type"))
            if let kinds, !schema.kinds.isEmpty, !schema.kinds.isSubset(of: kinds) {
                let wanted = kinds.map(\.rawValue).sorted().joined(separator: " or ")
                reading.fault(
                    PlanPath.joined(path, "type"),
                    "type",
                    value: type.value,
                    "The type here is always \(wanted); write that, or omit “type”."
                )
            }
        } else if let kinds {
            schema.kinds = kinds
        }
        var required: [String] = []
        for (key, value) in all {
            let place = PlanPath.joined(path, key)
            switch key {
            case "type", "title", "$comment", "examples", "default": break
            case "description": schema.description = text(value, place)
            case "deprecated": schema.isDeprecated = flag(value, place)
            case "enum": schema.values = values(value.array, value, place)
            case "const": schema.values = values([value], value, place)
            case "format":
                schema.isDateTime = value == .string("date-time")
                if !schema.isDateTime {
                    reading.fault(
                        place,
                        "unknown_keyword",
                        value: value,
                        "Only the format date-time is checked; mention other formats in the description."
                    )
                }
            case "minimum", "exclusiveMinimum":
                schema.minimum = bound(value, place, key, schema.minimum)
            case "maximum", "exclusiveMaximum":
                schema.maximum = bound(value, place, key, schema.maximum)
            case "minLength": schema.minimumLength = count(value, place)
            case "maxLength": schema.maximumLength = count(value, place)
            case "minItems": schema.minimumCount = count(value, place)
            case "maxItems": schema.maximumCount = count(value, place)
            case "items": schema.elements = [self.schema(value, place, depth: depth + 1)]
            case "properties": schema.properties += properties(value, place, depth)
            case "required": required = names(value, place)
            case "additionalProperties":
                switch value {
                case .boolean(true): break
                case .boolean(false): schema.additional = .forbidden
                default: schema.additional = .described([self.schema(value, place, depth: depth + 1)])
                }
            default: unknown(key, value, place)
            }
        }
        require(required, of: &schema, PlanPath.joined(path, "required"))
        check(schema, all, path)
        schema.properties.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        return schema
    }

    private mutating func unknown(_ key: String, _ value: JSONValue, _ place: String) {
        let remedies = [
            "pattern":
                """
            Patterns are not checked, because some can take unbounded time: use enum or maxLength, and put the \
            rest into the description.
            """,
            "$ref": "References are not followed: write the schema inline.",
            "$defs": "References are not followed: write the schemas inline.",
            "definitions": "References are not followed: write the schemas inline.",
            "nullable": "A value that is null counts as absent: omit it from “required” instead.",
        ]
        reading.fault(
            place,
            "unknown_keyword",
            value: value,
            remedies[key]
                ?? "Unsupported keyword; ignoring it would change the plan. Supported are type, enum, const, format, "
                + "minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength, minItems, maxItems, items, properties, "
                + "required and additionalProperties. Put notes for readers into description or $comment."
        )
    }

    private mutating func kinds(_ value: JSONValue, _ path: String) -> Set<PlanSchema.Kind> {
        var found: Set<PlanSchema.Kind> = []
        let list = value.array ?? [value]
        if list.isEmpty {
            reading.fault(path, "malformed", value: value, "The list of types is empty; name a type, or omit “type”.")
        }
        for element in list {
            guard let kind = element.string.flatMap(PlanSchema.Kind.init) else {
                reading.fault(
                    path,
                    "unknown_type",
                    value: element,
                    element == .string("null")
                        ? "A value that is null counts as absent: omit the name from “required” instead."
                        : "A type is one of \(PlanSchema.Kind.allCases.map(\.rawValue).joined(separator: ", ")), or a list of them."
                )
                continue
            }
            if !found.insert(kind).inserted {
                reading.fault(path, "duplicate", value: element, "The type is listed twice; remove one.")
            }
        }
        return found
    }

    private mutating func values(_ list: [JSONValue]?, _ value: JSONValue, _ path: String) -> [QueryValue] {
        guard let list, !list.isEmpty else {
            reading.fault(
                path,
                "malformed",
                value: value,
                "Write a list of the allowed values: [\"CNY\", \"EUR\"]."
            )
            return []
        }
        guard list.count <= PlanLimits.values else {
            reading.fault(
                path,
                "too_many_values",
                value: value,
                "There are \(list.count) values; at most \(PlanLimits.values) can be listed. Describe them instead."
            )
            return []
        }
        var known: Set<QueryValue> = []
        var values: [QueryValue] = []
        for element in list {
            guard let found = QueryValue(element), element.array == nil, element.object == nil else {
                reading.fault(path, "malformed", value: element, "Only strings, numbers, true and false can be listed.")
                continue
            }
            if known.insert(found).inserted {
                values.append(found)
            } else {
                reading.fault(path, "duplicate", value: element, "The value is listed twice; remove one.")
            }
        }
        return values
    }

    private mutating func bound(
        _ value: JSONValue,
        _ path: String,
        _ key: String,
        _ other: PlanSchema.Bound?
    ) -> PlanSchema.Bound? {
        guard case .number(let number)? = QueryValue(value) else {
            reading.fault(path, "malformed", value: value, "Write a number.")
            return other
        }
        if other != nil {
            reading.fault(
                path,
                "conflict",
                value: value,
                "The bound is given both as inclusive and as exclusive; keep one of the two."
            )
        }
        return PlanSchema.Bound(number, isExclusive: key.hasPrefix("exclusive"))
    }

    private mutating func count(_ value: JSONValue, _ path: String) -> Int? {
        guard let count = value.integer, (0...Int64(Int32.max)).contains(count) else {
            reading.fault(path, "malformed", value: value, "Write a whole number of at least 0.")
            return nil
        }
        return Int(count)
    }

    private mutating func properties(_ value: JSONValue, _ path: String, _ depth: Int) -> [PlanSchema.Property] {
        let limit = EventLimits().attributes
        let list = members(value, path, "an object of schemas by name: {\"total\": {\"type\": \"number\"}}")
        if list.count > limit {
            reading.fault(
                path,
                "too_many_attributes",
                value: value,
                "There are \(list.count) names; an object can have at most \(limit)."
            )
        }
        return list.prefix(limit).map { name, value in
            let place = PlanPath.joined(path, name)
            checkName(name, place, isEvent: false)
            return PlanSchema.Property(name, schema(value, place, depth: depth + 1))
        }
    }

    private mutating func names(_ value: JSONValue, _ path: String) -> [String] {
        guard let list = value.array else {
            reading.fault(path, "malformed", value: value, "Write a list of names next to “properties”: [\"total\"].")
            return []
        }
        var known: Set<[UInt8]> = []
        return list.compactMap { element in
            guard let name = element.string else {
                reading.fault(path, "malformed", value: element, "Write the name as a string in quotation marks.")
                return nil
            }
            guard known.insert(Array(name.utf8)).inserted else {
                reading.fault(path, "duplicate", value: element, "The name is listed twice; remove one.")
                return nil
            }
            return name
        }
    }

    /// Marks the required properties.
    ///
    /// A required name without a schema may have any value.
    private mutating func require(_ names: [String], of schema: inout PlanSchema, _ path: String) {
        guard !names.isEmpty else { return }
        var places: [[UInt8]: Int] = [:]
        for (index, property) in schema.properties.enumerated() { places[Array(property.name.utf8)] = index }
        for name in names {
            if let index = places[Array(name.utf8)] {
                schema.properties[index].isRequired = true
            } else if schema.additional != .allowed {
                reading.fault(
                    path,
                    "unknown_property",
                    value: .string(name),
                    "The name is required, but “additionalProperties” does not allow it: add it to “properties”."
                )
            } else {
                checkName(name, path, isEvent: false)
                schemas += 1
                schema.properties.append(PlanSchema.Property(name, PlanSchema(), isRequired: true))
            }
        }
    }

    /// Checks that the parts are consistent.
    ///
    /// Parts that can never match, or never have an effect, are faults.
    private mutating func check(_ schema: PlanSchema, _ members: [(key: String, value: JSONValue)], _ path: String) {
        let owners: [String: Set<PlanSchema.Kind>] = [
            "minimum": [.integer, .number], "exclusiveMinimum": [.integer, .number], "maximum": [.integer, .number],
            "exclusiveMaximum": [.integer, .number], "minLength": [.string], "maxLength": [.string],
            "format": [.string],
            "minItems": [.array], "maxItems": [.array], "items": [.array], "properties": [.object],
            "required": [.object],
            "additionalProperties": [.object],
        ]
        for (key, value) in members {
            guard !schema.kinds.isEmpty, let kinds = owners[key], kinds.isDisjoint(with: schema.kinds) else { continue }
            let names = schema.sortedKinds.map(\.rawValue).joined(separator: " or ")
            reading.fault(
                PlanPath.joined(path, key),
                "no_effect",
                value: value,
                "“\(key)” has no effect on a value of type \(names); remove it, or change the type."
            )
        }
        if let low = schema.minimum, let high = schema.maximum {
            let isEmpty =
                high.number.isLess(than: low.number)
                || (!low.number.isLess(than: high.number) && (low.isExclusive || high.isExclusive))
            if isEmpty {
                reading.fault(path, "empty_range", "The minimum and the maximum leave no valid number.")
            }
        }
        if let low = schema.minimumLength, let high = schema.maximumLength, low > high {
            reading.fault(path, "empty_range", "No string has at least \(low) and at most \(high) characters.")
        }
        if let low = schema.minimumCount, let high = schema.maximumCount, low > high {
            reading.fault(path, "empty_range", "No list has at least \(low) and at most \(high) elements.")
        }
        for value in schema.values ?? [] where !schema.kinds.isEmpty && !Self.fits(value, schema.kinds) {
            let names = schema.sortedKinds.map(\.rawValue).joined(separator: " or ")
            reading.fault(
                PlanPath.joined(path, "enum"),
                "type",
                value: Self.json(value),
                "The value is not of type \(names)."
            )
        }
    }

    private static func fits(_ value: QueryValue, _ kinds: Set<PlanSchema.Kind>) -> Bool {
        switch value {
        case .text: kinds.contains(.string)
        case .boolean: kinds.contains(.boolean)
        case .number(.integer): kinds.contains(.integer) || kinds.contains(.number)
        case .number(.double): kinds.contains(.number)
        case .structure: false
        }
    }

    private static func json(_ value: QueryValue) -> JSONValue? {
        switch value {
        case .text(let bytes): .string(String(decoding: bytes, as: UTF8.self))
        case .number(.integer(let number)): .integer(number)
        case .number(.double(let number)): .double(number)
        case .boolean(let flag): .boolean(flag)
        case .structure: nil
        }
    }
}
