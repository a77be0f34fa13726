// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension PlanReader {
    /// A schema.
    ///
    /// - Parameters:
    ///   - depth: How deep its values nest.
    ///   - kinds: The kinds that can stand here at all; nil for any.
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
                    "There are more than \(PlanLimits.schemas) schemas; divide the plan."
                )
            }
            return schema
        }
        guard depth <= PlanLimits.depth else {
            reading.fault(
                path,
                "too_deep",
                "Values nest \(PlanLimits.depth) deep at most; no event has what stands here."
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
                    "This is of the type \(wanted) always; write that, or nothing."
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
                        "The one format that is checked is date-time; say others in the description."
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
                "Patterns are not checked, because some take without end: use enum or maxLength, and say the rest in the description.",
            "$ref": "References are not followed: write the schema where it belongs.",
            "$defs": "References are not followed: write the schemas where they belong.",
            "definitions": "References are not followed: write the schemas where they belong.",
            "nullable": "A value that is null counts as absent: leave it out of “required” instead.",
        ]
        reading.fault(
            place,
            "unknown_keyword",
            value: value,
            remedies[key]
                ?? "This keyword is not understood, and passing it over would change what the plan means. There are type, enum, const, format, "
                + "minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength, minItems, maxItems, items, properties, "
                + "required and additionalProperties; what is for people only goes into description or $comment."
        )
    }

    private mutating func kinds(_ value: JSONValue, _ path: String) -> Set<PlanSchema.Kind> {
        var found: Set<PlanSchema.Kind> = []
        let list = value.array ?? [value]
        if list.isEmpty {
            reading.fault(path, "malformed", value: value, "No value is of no type; name one, or leave “type” out.")
        }
        for element in list {
            guard let kind = element.string.flatMap(PlanSchema.Kind.init) else {
                reading.fault(
                    path,
                    "unknown_type",
                    value: element,
                    element == .string("null")
                        ? "A value that is null counts as absent: leave the name out of “required” instead."
                        : "A type is one of \(PlanSchema.Kind.allCases.map(\.rawValue).joined(separator: ", ")), or a list of them."
                )
                continue
            }
            if !found.insert(kind).inserted {
                reading.fault(path, "duplicate", value: element, "The type stands here twice; once will do.")
            }
        }
        return found
    }

    private mutating func values(_ list: [JSONValue]?, _ value: JSONValue, _ path: String) -> [QuestionValue] {
        guard let list, !list.isEmpty else {
            reading.fault(
                path,
                "malformed",
                value: value,
                "Write a list of the values that are allowed: [\"CNY\", \"EUR\"]."
            )
            return []
        }
        guard list.count <= PlanLimits.values else {
            reading.fault(
                path,
                "too_many_values",
                value: value,
                "There are \(list.count) values; \(PlanLimits.values) may be listed. Describe them instead."
            )
            return []
        }
        var known: Set<QuestionValue> = []
        var values: [QuestionValue] = []
        for element in list {
            guard let found = QuestionValue(element), element.array == nil, element.object == nil else {
                reading.fault(path, "malformed", value: element, "Only texts, numbers, true and false can be listed.")
                continue
            }
            if known.insert(found).inserted {
                values.append(found)
            } else {
                reading.fault(path, "duplicate", value: element, "The value stands here twice; once will do.")
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
        guard case .number(let number)? = QuestionValue(value) else {
            reading.fault(path, "malformed", value: value, "Write a number.")
            return other
        }
        if other != nil {
            reading.fault(
                path,
                "conflict",
                value: value,
                "The same end with the number and without it: keep one of the two."
            )
        }
        return PlanSchema.Bound(number, isExclusive: key.hasPrefix("exclusive"))
    }

    private mutating func count(_ value: JSONValue, _ path: String) -> Int? {
        guard let count = value.integer, (0...Int64(Int32.max)).contains(count) else {
            reading.fault(path, "malformed", value: value, "Write a whole number from 0 on.")
            return nil
        }
        return Int(count)
    }

    private mutating func properties(_ value: JSONValue, _ path: String, _ depth: Int) -> [PlanSchema.Property] {
        let limit = EventLimits().attributes
        let list = members(value, path, "an object with schemas by their names: {\"total\": {\"type\": \"number\"}}")
        if list.count > limit {
            reading.fault(
                path,
                "too_many_attributes",
                value: value,
                "There are \(list.count) names; an object with more than \(limit) is not accepted."
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
            reading.fault(path, "malformed", value: value, "Write a list of names beside “properties”: [\"total\"].")
            return []
        }
        var known: Set<[UInt8]> = []
        return list.compactMap { element in
            guard let name = element.string else {
                reading.fault(path, "malformed", value: element, "Write the name as a text in quotation marks.")
                return nil
            }
            guard known.insert(Array(name.utf8)).inserted else {
                reading.fault(path, "duplicate", value: element, "The name stands here twice; once will do.")
                return nil
            }
            return name
        }
    }

    /// Marks what has to be there. A name without a schema may have any value.
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
                    "It is required, and “additionalProperties” does not let it be there: add it to “properties”."
                )
            } else {
                checkName(name, path, isEvent: false)
                schemas += 1
                schema.properties.append(PlanSchema.Property(name, PlanSchema(), isRequired: true))
            }
        }
    }

    /// Sees that the parts fit together: what can never hold, or never matters, is a mistake.
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
                "“\(key)” says nothing about a value of the type \(names); remove it, or change the type."
            )
        }
        if let low = schema.minimum, let high = schema.maximum {
            let isEmpty =
                high.number.isLess(than: low.number)
                || (!low.number.isLess(than: high.number) && (low.isExclusive || high.isExclusive))
            if isEmpty {
                reading.fault(path, "empty_range", "No number is at least the minimum and at most the maximum.")
            }
        }
        if let low = schema.minimumLength, let high = schema.maximumLength, low > high {
            reading.fault(path, "empty_range", "No text has at least \(low) and at most \(high) characters.")
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
                "The value is not of the type \(names)."
            )
        }
    }

    private static func fits(_ value: QuestionValue, _ kinds: Set<PlanSchema.Kind>) -> Bool {
        switch value {
        case .text: kinds.contains(.string)
        case .boolean: kinds.contains(.boolean)
        case .number(.integer): kinds.contains(.integer) || kinds.contains(.number)
        case .number(.double): kinds.contains(.number)
        case .structure: false
        }
    }

    private static func json(_ value: QuestionValue) -> JSONValue? {
        switch value {
        case .text(let bytes): .string(String(decoding: bytes, as: UTF8.self))
        case .number(.integer(let number)): .integer(number)
        case .number(.double(let number)): .double(number)
        case .boolean(let flag): .boolean(flag)
        case .structure: nil
        }
    }
}
