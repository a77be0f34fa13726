// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import TrackwayEvents

/// A plan as Swift source: a `TypedEvent` for each of its events. The same plan makes the same source, byte by byte.
struct PlanSwift {
    /// Who may use the types.
    enum Access: String, ExpressibleByArgument, CaseIterable {
        case `internal`
        case package
        case `public`

        /// As it stands before a declaration.
        var prefix: String { self == .internal ? "" : rawValue + " " }
    }

    /// Who may use the types.
    let access: Access
    private var usesOpenValues = false
    private var usesDates = false

    /// A maker of source.
    init(access: Access) {
        self.access = access
    }

    /// The source of a plan.
    ///
    /// - Complexity: O(size of the plan).
    mutating func source(of plan: TrackingPlan) -> String {
        var scope = SwiftName.Scope()
        var types: [[String]] = []
        for event in plan.events {
            let name = scope.claim(SwiftName.type(event.name, suffix: "Event"))
            types.append(declare(event, as: name))
        }
        if usesOpenValues { types.append(openValue) }
        var lines = [
            "// swift-format-ignore-file",
            "// Made by `trackway plan swift` from the tracking plan \(plan.digest). Change the plan, not this file.",
            "",
        ]
        if usesDates { lines.append("\(access.prefix)import Foundation") }
        if !types.isEmpty { lines.append("\(access.prefix)import Trackway") }
        for type in types { lines += [""] + type }
        return lines.joined(separator: "\n") + "\n"
    }

    private mutating func declare(_ event: PlannedEvent, as name: String) -> [String] {
        var lines = SwiftName.comment(event.description ?? "The event \(event.name).", "")
        if let owner = event.owner { lines += ["///"] + SwiftName.comment("Owner: \(owner)", "") }
        if event.isDeprecated {
            lines.append("@available(*, deprecated, message: \"The tracking plan has it as deprecated.\")")
        }
        lines.append("\(access.prefix)struct \(SwiftName.written(name)): TypedEvent {")
        lines.append("    \(access.prefix)static let name = \(SwiftName.literal(event.name))")
        if !event.attributes.properties.isEmpty || event.items != nil { lines.append("") }
        var scope = SwiftName.Scope(taken: [name, "CodingKeys"])
        lines += body(event.attributes, &scope, items: event.items, "    ")
        lines.append("}")
        return lines
    }

    /// A property of a struct, with what belongs to it.
    private struct Member {
        let name: String
        let key: String
        let type: String
        let isRequired: Bool
    }

    /// What stands in a struct: its properties, an initializer, the types of the properties, and the keys.
    private mutating func body(
        _ schema: PlanSchema,
        _ scope: inout SwiftName.Scope,
        items: PlanSchema?,
        _ indentation: String
    ) -> [String] {
        var lines: [String] = []
        var nested: [[String]] = []
        var members: [Member] = []
        let inner = indentation + "    "
        for property in schema.properties {
            let name = scope.claim(SwiftName.member(property.name))
            let type = swiftType(for: property.schema, called: property.name, &scope, &nested, indentation)
            members.append(
                Member(name: name, key: property.name, type: type, isRequired: property.isRequired)
            )
            lines += comment(property, indentation)
            lines.append(
                "\(indentation)\(access.prefix)var \(SwiftName.written(name)): \(type)\(property.isRequired ? "" : "?")"
            )
        }
        if let items {
            lines += SwiftName.comment(items.description ?? "What the event is about.", indentation)
            lines.append("\(indentation)\(access.prefix)var items: [Item]")
        }
        lines += initializer(members, hasItems: items != nil, indentation)
        for type in nested { lines += [""] + type }
        if !members.isEmpty {
            lines += ["", "\(indentation)private enum CodingKeys: String, CodingKey {"]
            lines += members.map { "\(inner)case \(SwiftName.written($0.name)) = \(SwiftName.literal($0.key))" }
            lines.append("\(indentation)}")
        } else if items != nil {
            lines += ["", "\(indentation)private enum CodingKeys: CodingKey {}"]
        }
        return lines
    }

    private func comment(_ property: PlanSchema.Property, _ indentation: String) -> [String] {
        let schema = property.schema
        var lines = SwiftName.comment(schema.description ?? "The attribute \(property.name).", indentation)
        if schema.isDeprecated { lines += SwiftName.comment("Deprecated.", indentation) }
        // Of what the type says by itself nothing is repeated.
        var plain = PlanSchema(kinds: schema.kinds)
        plain.isDateTime = schema.isDateTime
        if schema.summary != plain.summary {
            lines += ["\(indentation)///"] + SwiftName.comment("In the plan: \(schema.summary).", indentation)
        }
        return lines
    }

    private func initializer(_ members: [Member], hasItems: Bool, _ indentation: String) -> [String] {
        let ordered = members.filter(\.isRequired) + members.filter { !$0.isRequired }
        var parameters = ordered.map { member in
            "\(SwiftName.written(member.name)): \(member.type)\(member.isRequired ? "" : "? = nil")"
        }
        if hasItems { parameters.append("items: [Item] = []") }
        let inner = indentation + "    "
        var lines = ["", "\(indentation)/// What the plan asks for."]
        if parameters.isEmpty { return lines + ["\(indentation)\(access.prefix)init() {}"] }
        lines.append("\(indentation)\(access.prefix)init(")
        lines.append(parameters.map { inner + $0 }.joined(separator: ",\n"))
        lines.append("\(indentation)) {")
        lines += members.map { "\(inner)self.\(SwiftName.written($0.name)) = \(SwiftName.written($0.name))" }
        if hasItems { lines.append("\(inner)self.items = items") }
        return lines + ["\(indentation)}"]
    }

    // MARK: Types

    private mutating func swiftType(
        for schema: PlanSchema,
        called name: String,
        _ scope: inout SwiftName.Scope,
        _ nested: inout [[String]],
        _ indentation: String
    ) -> String {
        if let texts = texts(schema) {
            let type = scope.claim(SwiftName.type(name, suffix: "Value"))
            nested.append(list(texts, as: type, indentation))
            return SwiftName.written(type)
        }
        switch schema.sortedKinds {
        case [.string]:
            guard schema.isDateTime else { return "String" }
            usesDates = true
            return "Date"
        case [.integer]: return "Int"
        case [.number], [.integer, .number]: return "Double"
        case [.boolean]: return "Bool"
        case [.array]:
            guard let elements = schema.elements.first else { return "[\(openType())]" }
            return "[\(swiftType(for: elements, called: name, &scope, &nested, indentation))]"
        case [.object]:
            if !schema.properties.isEmpty {
                let type = scope.claim(SwiftName.type(name, suffix: "Value"))
                nested.append(object(schema, as: type, called: name, indentation))
                return SwiftName.written(type)
            }
            guard case .described(let schemas) = schema.additional, let values = schemas.first else {
                return "[String: \(openType())]"
            }
            return "[String: \(swiftType(for: values, called: name, &scope, &nested, indentation))]"
        default: return openType()
        }
    }

    private mutating func openType() -> String {
        usesOpenValues = true
        return "PlannedValue"
    }

    /// The texts of a list of nothing else.
    private func texts(_ schema: PlanSchema) -> [String]? {
        guard let values = schema.values, !values.isEmpty, !schema.isDateTime, schema.kinds.isSubset(of: [.string])
        else { return nil }
        var texts: [String] = []
        for value in values {
            guard case .text(let bytes) = value else { return nil }
            texts.append(String(decoding: bytes, as: UTF8.self))
        }
        // To Swift two spellings of one letter are one text, and cases have to differ.
        return Set(texts).count == texts.count ? texts : nil
    }

    private func list(_ texts: [String], as type: String, _ indentation: String) -> [String] {
        var scope = SwiftName.Scope()
        var lines = ["\(indentation)/// The values that the plan lists."]
        lines.append(
            "\(indentation)\(access.prefix)enum \(SwiftName.written(type)): String, Codable, Sendable, CaseIterable {"
        )
        for text in texts {
            let name = SwiftName.written(scope.claim(SwiftName.member(text)))
            lines.append("\(indentation)    case \(name) = \(SwiftName.literal(text))")
        }
        return lines + ["\(indentation)}"]
    }

    private mutating func object(
        _ schema: PlanSchema,
        as type: String,
        called name: String,
        _ indentation: String
    ) -> [String] {
        var scope = SwiftName.Scope(taken: [type, "CodingKeys"])
        var lines = SwiftName.comment(schema.description ?? "What \(name) holds.", indentation)
        lines.append("\(indentation)\(access.prefix)struct \(SwiftName.written(type)): Encodable, Sendable {")
        lines += body(schema, &scope, items: nil, indentation + "    ")
        return lines + ["\(indentation)}"]
    }

    /// The type of what the plan leaves open.
    private var openValue: [String] {
        """
        /// A value whose type the plan leaves open.
        \(access.prefix)enum PlannedValue: Encodable, Sendable, Hashable {
            case text(String)
            case integer(Int)
            case number(Double)
            case boolean(Bool)
            case date(Timestamp)
            case list([PlannedValue])
            case object([String: PlannedValue])

            \(access.prefix)func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                switch self {
                case .text(let value): try container.encode(value)
                case .integer(let value): try container.encode(value)
                case .number(let value): try container.encode(value)
                case .boolean(let value): try container.encode(value)
                case .date(let value): try container.encode(value.description)
                case .list(let values): try container.encode(values)
                case .object(let values): try container.encode(values)
                }
            }
        }
        """.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}
