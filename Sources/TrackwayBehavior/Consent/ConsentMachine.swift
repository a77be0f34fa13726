// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Decides whether events may be recorded and pending events sent.
///
/// This is the only consent check, for all destinations. A decision is made for the device or by the person who is
/// using the app, overall or for one category of use. The most specific one applies, in this order: the person's for
/// the category, the person's overall, the device's for the category, the device's overall, the configured one. Every
/// event carries its subject in its context. It is checked when it is about to be sent, against the decisions of that
/// subject at that time.
///
/// Events of a person who left without deciding are held until a person who came later consents. Then they are dropped,
/// because other people's events must not wait for someone who may never return.
package struct ConsentMachine: Sendable, Hashable, Codable {
    /// A person who used the app.
    ///
    /// Either a user, or an anonymous visitor during a period in which no one was signed in.
    fileprivate struct Person: Sendable, Hashable, Codable {
        let subject: String
        var decisions = ConsentDecisions()
        /// The turn at which the person left; nil while current.
        var left: Int64?
        /// The user that this anonymous period was merged into, after sign-in.
        var joined: String?
    }

    /// A withdrawal of consent for a subject.
    ///
    /// Events recorded before it are dropped, regardless of later decisions.
    fileprivate struct Withdrawal: Sendable, Hashable, Codable {
        /// The subject; nil for events without a known subject.
        let subject: String?
        /// The category; if empty, all categories except ``exceptions``.
        let category: String
        var exceptions: [String] = []
        /// Events of earlier epochs are dropped.
        var epoch: Int64

        func concerns(_ subject: String?, _ category: ConsentCategory) -> Bool {
            subject == self.subject
                && (self.category.isEmpty
                    ? !exceptions.contains(category.rawValue) : self.category == category.rawValue)
        }
    }

    /// The information lost when people were forgotten because there were too many.
    private enum Forgotten: String, Sendable, Hashable, Codable {
        case nobody
        case somebody
        /// A person who had refused was forgotten.
        ///
        /// Unknown subjects cannot be assumed to consent.
        case someRefusal
    }

    /// The subject of a user, distinct from every anonymous subject.
    private static func subject(of user: String) -> String { "user-" + user }

    /// The subject of an anonymous period.
    private static func subject(ofStretch number: Int64) -> String { "anonymous-\(number)" }

    /// The maximum number of people remembered.
    ///
    /// Beyond it, people without a decision are forgotten first.
    package static let maxPeople = 64

    /// An action for the caller; actions are performed in order.
    package enum Action: Sendable, Hashable {
        /// From now on, events belong to this subject (``RecordedContext/User/subject``).
        case subject(String)
        /// Check held events again: different events may be sent now.
        case reconsider
        /// Immediately drop the rejected events at the front of the queue.
        case purge
        /// Report too many categories; this decision was not stored.
        case reportTooManyCategories(ConsentCategory)
        /// Persist the state.
        case save
    }

    /// The app's rules; they are not persisted.
    package var rules: ConsentRules
    /// The decisions for the device.
    package private(set) var device: ConsentDecisions
    /// The subject of events recorded now.
    package private(set) var subject: String
    private var people: [Person]
    private var stretches: Int64
    /// Counts sign-ins and sign-outs; it orders people without a clock.
    private var turn: Int64
    private var forgotten: Forgotten
    /// The number of withdrawals; events contain it (``RecordedContext/User/consentEpoch``).
    package private(set) var epoch: Int64 = 0
    /// The latest withdrawals, one for each subject and category.
    private var withdrawals: [Withdrawal] = []

    /// The maximum number of withdrawals remembered.
    ///
    /// Beyond it, the oldest are forgotten; their events were dropped long ago.
    private static let maxWithdrawals = 256

    /// Creates a machine without decisions or known people.
    package init(rules: ConsentRules = ConsentRules()) {
        self.rules = rules
        device = ConsentDecisions()
        stretches = 1
        subject = Self.subject(ofStretch: 1)
        people = [Person(subject: subject)]
        turn = 0
        forgotten = .nobody
    }

    // MARK: Queries

    /// The consent that applies to the current person.
    package func consent(for category: ConsentCategory) -> Consent {
        consent(of: person(subject), for: category)
    }

    /// The decisions made by the person who is using the app now.
    package var decisions: ConsentDecisions { person(subject)?.decisions ?? ConsentDecisions() }

    /// Whether events may be recorded now for destinations of a category.
    package func mayRecord(_ category: ConsentCategory) -> Bool {
        consent(for: category) != .denied
    }

    /// Whether any subject's events may be sent to destinations of a category.
    ///
    /// - Complexity: O(people).
    package func maySend(_ category: ConsentCategory) -> Bool {
        grantedUntil(category) != nil || admission(of: nil, for: category) == .send
    }

    /// Whether some events that `before` admitted may no longer be sent.
    ///
    /// - Complexity: O(people · categories).
    package func permitsLess(than before: ConsentMachine) -> Bool {
        let categories = before.namedCategories.union(namedCategories)
        let now = verdicts(in: categories)
        return before.verdicts(in: categories).contains { matter, admission in
            admission == .send && now[matter] != .send
        }
    }

    /// Returns whether a subject's event may be sent to this category's destinations.
    ///
    /// - Parameters:
    ///   - subject: The subject in the event's context; nil for events from before consent was kept per person.
    ///   - epoch: The epoch in the event's context. An event recorded before a withdrawal stays withdrawn.
    /// - Complexity: O(people).
    package func admission(
        of subject: String?,
        in epoch: Int64 = .max,
        for category: ConsentCategory
    ) -> Admission {
        let known = subject.flatMap { person($0) }.flatMap { standing($0) }
        if epoch < self.epoch, isWithdrawn(subject, known, in: epoch, for: category) { return .drop(.consentDenied) }
        return admission(of: known, subject, for: category, grantedUntil: grantedUntil(category))
    }

    // MARK: Inputs

    /// Stores a decision; nil removes an earlier one.
    package mutating func decided(
        _ consent: Consent?,
        by scope: ConsentScope,
        for category: ConsentCategory? = nil
    ) -> [Action] {
        change { machine in
            var isTaken = true
            switch scope {
            case .device:
                isTaken = machine.device.decide(consent, for: category)
            case .person:
                guard let place = machine.place(of: machine.subject) else { return [] }
                isTaken = machine.people[place].decisions.decide(consent, for: category)
            }
            guard !isTaken, let category else { return [] }
            return [.reportTooManyCategories(category)]
        }
    }

    /// Handles a user's sign-in.
    package mutating func signedIn(_ user: String) -> [Action] {
        let arriving = Self.subject(of: user)
        guard arriving != subject else { return [] }
        return change { machine in
            machine.turn += 1
            let leaving = machine.place(of: machine.subject)
            if let leaving { machine.people[leaving].left = machine.turn }
            var person = machine.place(of: arriving).map { machine.people[$0] } ?? Person(subject: arriving)
            person.left = nil
            if let leaving, machine.isAnonymous, machine.rules.anonymous == .mergeIntoUser {
                machine.people[leaving].joined = arriving
                // Carry the decision over, so that the person does not have to decide again.
                person.decisions.fill(from: machine.people[leaving].decisions)
                machine.people[leaving].decisions = ConsentDecisions()
            }
            machine.people.removeAll { $0.subject == arriving }
            machine.people.append(person)
            machine.subject = arriving
            machine.evictPeople()
            return [.subject(arriving)]
        }
    }

    /// Handles the user's sign-out.
    package mutating func signedOut() -> [Action] {
        guard !isAnonymous else { return [] }
        return change { machine in
            machine.turn += 1
            if let leaving = machine.place(of: machine.subject) { machine.people[leaving].left = machine.turn }
            machine.beginAnonymousPeriod()
            return [.subject(machine.subject)]
        }
    }

    /// Forgets everything about people; decisions for the device are kept.
    package mutating func erased() -> [Action] {
        change { machine in
            machine.people = []
            machine.forgotten = .nobody
            machine.turn = 0
            machine.beginAnonymousPeriod()
            return [.subject(machine.subject)]
        }
    }

    // MARK: Withdrawals

    private func isWithdrawn(
        _ subject: String?,
        _ known: Person?,
        in epoch: Int64,
        for category: ConsentCategory
    ) -> Bool {
        // Events of an unknown subject are treated like events without a subject.
        let subjects: [String?] = known.map { [subject, $0.subject] } ?? [subject, nil]
        return withdrawals.contains { withdrawal in
            epoch < withdrawal.epoch && subjects.contains { withdrawal.concerns($0, category) }
        }
    }

    private mutating func withdraw(_ matters: [Matter], named: Set<ConsentCategory>) {
        epoch += 1
        let exceptions = named.map(\.rawValue).filter { !$0.isEmpty }.sorted()
        for matter in matters {
            let category = matter.category.rawValue
            withdrawals.removeAll { $0.subject == matter.subject && $0.category == category }
            withdrawals.append(
                Withdrawal(
                    subject: matter.subject,
                    category: category,
                    exceptions: category.isEmpty ? exceptions : [],
                    epoch: epoch
                )
            )
        }
        // Sort, so that the same state has the same bytes.
        withdrawals.sort {
            ($0.epoch, $0.subject ?? "", $0.category) < ($1.epoch, $1.subject ?? "", $1.category)
        }
        if withdrawals.count > Self.maxWithdrawals { withdrawals.removeFirst(withdrawals.count - Self.maxWithdrawals) }
    }

    // MARK: Transitions

    private var isAnonymous: Bool { subject == Self.subject(ofStretch: stretches) }

    private mutating func beginAnonymousPeriod() {
        stretches += 1
        subject = Self.subject(ofStretch: stretches)
        people.append(Person(subject: subject))
        evictPeople()
    }

    /// Applies a change and returns its actions, including those for pending events.
    private mutating func change(_ body: (inout ConsentMachine) -> [Action]) -> [Action] {
        let before = self
        var actions = body(&self)
        guard self != before else { return actions }
        // A subject that was unknown before this change has no pending events, so only subjects in both states count.
        let categories = before.namedCategories.union(namedCategories)
        let (old, new) = (before.verdicts(in: categories), verdicts(in: categories))
        let changed = new.filter { matter, admission in old[matter].map { $0 != admission } ?? false }
        if !changed.isEmpty { actions.append(.reconsider) }
        let refused = changed.filter { matter, admission in
            admission == .drop(.consentDenied) && old[matter] != .drop(.consentUndecided)
        }
        if !refused.isEmpty { withdraw(Array(refused.keys), named: categories) }
        let isDropped = changed.values.contains { if case .drop = $0 { true } else { false } }
        if isDropped { actions.append(.purge) }
        return actions + [.save]
    }

    private func place(of subject: String) -> Int? { people.lastIndex { $0.subject == subject } }

    private mutating func evictPeople() {
        while people.count > Self.maxPeople {
            // Forget those with the least information first; among equals, those who have been away longest.
            let candidates = people.indices.filter { people[$0].subject != subject }
            let ranked = candidates.map { (weight: weight(people[$0]), left: people[$0].left ?? .max, place: $0) }
            guard let least = ranked.min(by: { ($0.weight, $0.left) < ($1.weight, $1.left) }) else { return }
            if least.weight == 2 {
                forgotten = .someRefusal
            } else if forgotten == .nobody {
                forgotten = .somebody
            }
            people.remove(at: least.place)
        }
    }

    /// The weight of the information that would be lost with a person.
    ///
    /// 0 stands for only their presence, 1 for a decision, and 2 for a refusal.
    private func weight(_ person: Person) -> Int {
        guard let decided = standing(person) else { return forgotten == .someRefusal ? 2 : 1 }
        if decided.decisions.hasDenial { return 2 }
        return decided.decisions.isEmpty && person.joined == nil ? 0 : 1
    }

    // MARK: Verdicts

    /// The subject and category that a verdict applies to.
    private struct Matter: Hashable {
        var subject: String?
        var category: ConsentCategory
    }

    /// Every category with a decision, plus one that stands for all others.
    private var namedCategories: Set<ConsentCategory> {
        var categories = Set(device.categories.keys)
        for person in people { categories.formUnion(person.decisions.categories.keys) }
        return categories.union([ConsentCategory(rawValue: "")])
    }

    /// The verdicts for all known people and for events without a subject.
    ///
    /// Anonymous periods that were merged into a user have that user's verdicts.
    ///
    /// - Complexity: O(people · categories).
    private func verdicts(in categories: Set<ConsentCategory>) -> [Matter: Admission] {
        var verdicts: [Matter: Admission] = [:]
        for category in categories {
            let grantedUntil = grantedUntil(category)
            for person in people where person.joined == nil {
                verdicts[Matter(subject: person.subject, category: category)] = admission(
                    of: person,
                    person.subject,
                    for: category,
                    grantedUntil: grantedUntil
                )
            }
            verdicts[Matter(subject: nil, category: category)] = admission(
                of: nil,
                nil,
                for: category,
                grantedUntil: grantedUntil
            )
        }
        return verdicts
    }

    private func person(_ subject: String) -> Person? { place(of: subject).map { people[$0] } }

    /// The person whose decisions apply to this one.
    ///
    /// For an anonymous period that was merged into a user this is that user; nil if that user was forgotten.
    private func standing(_ person: Person) -> Person? {
        guard let joined = person.joined else { return person }
        return self.person(joined)
    }

    private func consent(of person: Person?, for category: ConsentCategory) -> Consent {
        person?.decisions[category] ?? device[category] ?? rules.initial
    }

    /// The last turn at which a person who granted consent was present.
    ///
    /// The current person counts as present at the maximum turn. Nil if no one granted consent.
    private func grantedUntil(_ category: ConsentCategory) -> Int64? {
        var latest: Int64?
        for person in people where person.joined == nil && consent(of: person, for: category) == .granted {
            latest = max(latest ?? .min, person.left ?? .max)
        }
        return latest
    }

    /// - Parameter known: The person whose decisions apply; nil for events without a subject and for unknown subjects.
    private func admission(
        of known: Person?,
        _ subject: String?,
        for category: ConsentCategory,
        grantedUntil: Int64?
    ) -> Admission {
        switch consent(of: known, for: category) {
        case .granted:
            // The refusal of a forgotten person may apply to this subject.
            return known == nil && subject != nil && forgotten == .someRefusal ? .drop(.consentDenied) : .send
        case .denied:
            if rules.denial == .purge { return .drop(.consentDenied) }
            return isGivenUp(known, subject, grantedUntil) ? .drop(.consentDenied) : .hold
        case .pending:
            return isGivenUp(known, subject, grantedUntil) ? .drop(.consentUndecided) : .hold
        }
    }

    /// Whether holding this person's events would delay people who consented.
    private func isGivenUp(_ person: Person?, _ subject: String?, _ grantedUntil: Int64?) -> Bool {
        guard let grantedUntil else { return false }
        if let person {
            guard let left = person.left else { return false }
            return grantedUntil > left
        }
        // If no person was ever forgotten, an unknown subject may be one that another process just added: hold its
        // events.
        return subject == nil || forgotten != .nobody
    }
}

extension ConsentMachine {
    /// Reads JSON that ``json`` wrote.
    ///
    /// - Throws: `JSONError` when the JSON is invalid.
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
        // The current person must be listed; otherwise decisions could not be stored.
        guard place(of: subject) != nil else { throw .stateInvalid }
        epoch = json["epoch"]?.integer ?? 0
        for withdrawal in json["withdrawn"]?.array ?? [] { withdrawals.append(try Withdrawal(json: withdrawal)) }
    }

    /// The state in its stored form, without the app's rules.
    package var json: JSONValue {
        .object(
            .init(present: [
                "device": device.isEmpty ? nil : device.json,
                "subject": .string(subject),
                "stretches": .integer(stretches),
                "turn": .integer(turn),
                "forgotten": forgotten == .nobody ? nil : .string(forgotten.rawValue),
                "people": .array(people.map(\.json)),
                "epoch": epoch == 0 ? nil : .integer(epoch),
                "withdrawn": withdrawals.isEmpty ? nil : .array(withdrawals.map(\.json)),
            ])
        )
    }
}

extension ConsentMachine.Withdrawal {
    fileprivate init(json: JSONValue) throws(JSONError) {
        guard let category = json["category"]?.string, let epoch = json["epoch"]?.integer else { throw .stateInvalid }
        self.init(
            subject: json["subject"]?.string,
            category: category,
            exceptions: (json["except"]?.array ?? []).compactMap(\.string),
            epoch: epoch
        )
    }

    fileprivate var json: JSONValue {
        .object(
            .init(present: [
                "subject": subject.map { .string($0) },
                "category": .string(category),
                "except": exceptions.isEmpty ? nil : .array(exceptions.map { .string($0) }),
                "epoch": .integer(epoch),
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
