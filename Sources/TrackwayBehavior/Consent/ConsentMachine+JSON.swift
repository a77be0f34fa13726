// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

extension ConsentMachine {
    /// Reads what ``json`` wrote.
    ///
    /// - Throws: `JSONError` when it is not what was written.
    package init(json: JSONValue, rules: ConsentRules = ConsentRules()) throws(JSONError) {
        guard let subject = json["subject"]?.string, let stretches = json["stretches"]?.integer, stretches > 0,
            let turn = json["turn"]?.integer, turn >= 0, let known = json["people"]?.array
        else { throw .stateInvalid }
        self.rules = rules
        self.subject = subject
        self.stretches = stretches
        self.turn = turn
        device = try ConsentDecisions(json: json["device"] ?? .object(.init()))
        guard let forgotten = Forgotten(rawValue: json["forgotten"]?.string ?? "nobody") else { throw .stateInvalid }
        self.forgotten = forgotten
        people = []
        for person in known { people.append(try Person(json: person)) }
        // A decision of who is here must find its place.
        guard place(of: subject) != nil else { throw .stateInvalid }
    }

    /// The state as it is stored, without the app's rules.
    package var json: JSONValue {
        .object(
            .init(present: [
                "device": device.isEmpty ? nil : device.json,
                "subject": .string(subject),
                "stretches": .integer(stretches),
                "turn": .integer(turn),
                "forgotten": forgotten == .nobody ? nil : .string(forgotten.rawValue),
                "people": .array(people.map(\.json)),
            ])
        )
    }
}

extension ConsentMachine.Person {
    fileprivate init(json: JSONValue) throws(JSONError) {
        guard let subject = json["subject"]?.string else { throw .stateInvalid }
        self.init(
            subject: subject,
            decisions: try ConsentDecisions(json: json),
            left: json["left"]?.integer,
            joined: json["joined"]?.string
        )
    }

    fileprivate var json: JSONValue {
        var members: [JSONValue.Object.Member] = [.init(key: "subject", value: .string(subject))]
        if let left { members.append(.init(key: "left", value: .integer(left))) }
        if let joined { members.append(.init(key: "joined", value: .string(joined))) }
        return .object(.init(members + (decisions.json.object?.members ?? [])))
    }
}

extension ConsentDecisions {
    fileprivate init(json: JSONValue) throws(JSONError) {
        self.init()
        if let text = json["consent"]?.string { overall = try Self.consent(text) }
        for member in json["categories"]?.object?.members ?? [] {
            guard let text = member.value.string else { throw .stateInvalid }
            categories[ConsentCategory(rawValue: member.key)] = try Self.consent(text)
        }
    }

    private static func consent(_ text: String) throws(JSONError) -> Consent {
        guard let consent = Consent(rawValue: text) else { throw .stateInvalid }
        return consent
    }

    fileprivate var json: JSONValue {
        let sorted = categories.sorted { $0.key < $1.key }
        let members = sorted.map { JSONValue.Object.Member(key: $0.key.rawValue, value: .string($0.value.rawValue)) }
        return .object(
            .init(present: [
                "consent": overall.map { .string($0.rawValue) },
                "categories": members.isEmpty ? nil : .object(.init(members)),
            ])
        )
    }
}
