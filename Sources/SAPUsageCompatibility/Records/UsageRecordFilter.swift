// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Trackway
internal import TrackwayCore
internal import TrackwayDelivery

/// Applies interceptors and rules to a record before it is stored.
///
/// The rules are those of the record's target. Interceptors and rules see the record as an event with the record's
/// name (`SessionStart` or `SessionEnd` for sessions) and its info as attributes, not as the single string that is
/// stored.
struct UsageRecordFilter {
    /// The target's destination.
    let destination: DestinationID
    /// The rules of the target.
    let rules: DestinationRules
    /// The record's user, for sampling by person.
    let userID: String
    /// The installation, for sampling by installation.
    let installation: String
    /// Passes an event to the interceptors; nil without interceptors.
    ///
    /// Returns false if an interceptor dropped the event.
    let intercept: ((inout InterceptedEvent) -> Bool)?
    /// Reports a diagnostic.
    let report: (Diagnostic) -> Void

    /// Applies the interceptors and rules to a record's content.
    ///
    /// - Parameter id: returns the record's ID, for sampling by event.
    /// - Returns: nil if the record is to be stored; otherwise the reason why it is not.
    func apply(to content: inout UsageRecord.Content, id: () -> String) -> DropReason? {
        guard runInterceptors(&content) else { return .intercepted }
        guard !rules.isEmpty else { return nil }
        let decision = rules.decision(on: content.event.description) { share, unit, salt in
            let member =
                switch unit {
                case .person: userID
                case .installation: installation
                case .event: id()
                }
            return Sample.contains(member, share: share, salt: salt ?? destination.rawValue)
        }
        switch decision {
        case .denied: return .deniedByRule
        case .sampledOut: return .sampledOut
        case .sent(let name, let redactions):
            // The start and end of a session cannot be renamed.
            if let name, case .event = content.event { content.event = .event(name) }
            content.info.members.removeAll { member in redactions.contains { $0.matches(member.key) } }
            return nil
        }
    }

    // MARK: Interceptors

    /// - Returns: false if an interceptor dropped the record.
    private func runInterceptors(_ content: inout UsageRecord.Content) -> Bool {
        guard let intercept else { return true }
        let name = content.event.description
        let original = Attributes(content.info)
        var event = InterceptedEvent(name, original, to: [destination])
        guard intercept(&event) else { return false }
        if event.name != name {
            if case .event = content.event {
                content.event = .event(event.name)
            } else {
                report(.sessionRenamed(name, to: event.name))
            }
        }
        if event.attributes != original { Self.change(&content, from: original, to: event.attributes) }
        return true
    }

    /// Applies changed attributes to the content.
    ///
    /// Other values, including `null` and date strings, stay as they were.
    private static func change(_ content: inout UsageRecord.Content, from original: Attributes, to changed: Attributes)
    {
        var members: [JSONValue.Object.Member] = []
        for member in content.info.members {
            guard let value = changed[member.key] else {
                // `null` is not an attribute, so the interceptors did not see it.
                if original[member.key] == nil { members.append(member) }
                continue
            }
            guard value != original[member.key] else {
                members.append(member)
                continue
            }
            if let json = json(of: value, member.key, &content.faults) {
                members.append(.init(key: member.key, value: json))
            }
        }
        let present = Set(content.info.members.map(\.key))
        for (key, value) in changed where !present.contains(key) {
            if let json = json(of: value, key, &content.faults) { members.append(.init(key: key, value: json)) }
        }
        content.info.members = members.sorted { $0.key < $1.key }
    }

    /// Returns a value as JSON.
    ///
    /// For non-finite numbers, adds a fault and returns nil.
    private static func json(
        of value: AttributeValue,
        _ path: String,
        _ faults: inout [UsageInfoFault]
    ) -> JSONValue? {
        guard value.isFinite else {
            faults.append(UsageInfoFault(path: path, value: "a number that is not finite"))
            return nil
        }
        return value.json
    }
}

extension AttributeValue {
    /// Whether every number in the value is finite.
    fileprivate var isFinite: Bool {
        switch self {
        case .double(let number): number.isFinite
        case .array(let values): values.allSatisfy(\.isFinite)
        case .object(let attributes): attributes.allSatisfy { $0.value.isFinite }
        case .string, .integer, .boolean, .date: true
        }
    }
}

/// The rules set for targets, by destination ID or target name.
struct UsageRules: Sendable {
    private let rules: [DestinationID: DestinationRules]

    init(_ rules: [DestinationID: DestinationRules]) {
        self.rules = rules
    }

    /// Returns a target's rules.
    ///
    /// Rules for the target's ID come first, followed by rules for its name.
    func rules(of target: String) -> DestinationRules {
        guard !rules.isEmpty else { return DestinationRules() }
        let named = Self.keys(of: target).compactMap { rules[$0] }
        return DestinationRules(named.flatMap(\.rules))
    }

    /// Returns the problems with the rules.
    ///
    /// - Parameter targets: the known targets.
    func diagnostics(for targets: Set<String>) -> [Diagnostic] {
        let known = Set(targets.flatMap { Self.keys(of: $0) })
        var diagnostics: [Diagnostic] = []
        for (id, rules) in rules.sorted(by: { $0.key < $1.key }) {
            let field = "rules.\(id)"
            diagnostics += rules.diagnostics(of: field)
            for rule in rules.rules {
                guard let fault = Self.fault(of: rule) else { continue }
                diagnostics.append(
                    Diagnostic(
                        code: .ruleInvalid,
                        field: field,
                        value: rule.description,
                        message: "The rule \(rule.description.quoted) is invalid: \(fault.problem).",
                        recoverySuggestion: fault.suggestion
                    )
                )
            }
            if !known.contains(id) { diagnostics.append(.rulesOfUnknownTarget(id, targets: targets)) }
        }
        return diagnostics
    }

    /// Returns the keys under which a target's rules are found.
    private static func keys(of target: String) -> [DestinationID] {
        let id = DestinationID(target: target)
        // This is the ID that a literal of the name produces. A name in the form of an ID could be another target's
        // ID.
        let name = DestinationID(repairing: target)
        guard !target.isEmpty, !name.rawValue.hasPrefix("t."), !name.rawValue.hasPrefix("h.") else { return [id] }
        return [id, name]
    }

    /// Returns the reason why a rule cannot apply to records.
    ///
    /// Returns nil if the rule can apply.
    private static func fault(of rule: DestinationRule) -> RuleFault? {
        if rule.events.text == UsageStoreCore.eventName {
            return RuleFault(
                "rules for targets of SAP Usage match each record by its own name and info, before it is stored",
                "Use the name of the record's event, for example \"tap\" of .event(\"tap\"), or * for every record."
            )
        }
        let sessions: [UsageRecord.Event] = [.sessionStart, .sessionEnd]
        if case .rename = rule.effect, sessions.contains(where: { $0.description == rule.events.text }) {
            return RuleFault(
                "the start and the end of a session keep their names",
                "Deny them, or rename other events."
            )
        }
        return nil
    }
}

extension Diagnostic {
    fileprivate static func sessionRenamed(_ name: String, to other: String) -> Diagnostic {
        Diagnostic(
            code: .interceptorNameRefused,
            field: "interceptors",
            value: other,
            message: "The record \"\(name)\" cannot be renamed to \(other.quoted) because the start and the end of a "
                + "session keep their names. It was kept as \"\(name)\".",
            recoverySuggestion: "Rename other records only, or drop this one."
        )
    }

    fileprivate static func rulesOfUnknownTarget(_ id: DestinationID, targets: Set<String>) -> Diagnostic {
        let names = targets.sorted().map { "\"\($0)\" (\(DestinationID(target: $0)))" }
        return Diagnostic(
            code: .unknownDestination,
            field: "rules",
            value: "\(id)",
            message: "No record has been stored for a target with the name or id \"\(id)\" yet, so these rules have no "
                + "effect until one is.",
            recoverySuggestion:
                "Use the target's name, or Usage.destinationID(for:) for its id; the targets are "
                + names.joined(separator: ", ") + "."
        )
    }
}
