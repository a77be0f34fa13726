// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The state machine that decides whether events may be recorded and sent.
///
/// This is the only consent check, for all destinations. A decision is made for the device or by the person who is
/// using the app, overall or for one category of use. The most specific decision applies, in this order: the person's
/// for the category, the person's overall, the device's for the category, the device's overall, the configured one.
/// Every event carries its subject in its context. An event is checked when it is about to be sent, against the
/// decisions of that subject at that time.
///
/// Events of a person who left without deciding are held until a person who came later consents. At that point, the
/// events are dropped, because other people's events must not wait for someone who may never return.
package struct ConsentMachine: Sendable, Equatable, Codable {
    /// A person who used the app.
    ///
    /// Either a user, or an anonymous visitor during a period in which no one was signed in.
    fileprivate struct Person: Sendable, Equatable, Codable {
        let subject: String
        var decisions = ConsentDecisions()
        /// The turn at which the person left; nil while current.
        var leftAt: Int64?
        /// The user that this anonymous period was merged into, after sign-in.
        var mergedUser: String?
    }

    /// A withdrawal of consent for a subject.
    ///
    /// Events recorded before the withdrawal are dropped, regardless of later decisions.
    fileprivate struct Withdrawal: Sendable, Equatable, Codable {
        /// The subject; nil for events without a known subject.
        let subject: String?
        /// The category; if empty, all categories except ``exceptions``.
        let category: String
        var exceptions: [String] = []
        /// The epoch of the withdrawal; events of earlier epochs are dropped.
        var epoch: Int64

        func applies(to subject: String?, _ category: ConsentCategory) -> Bool {
            subject == self.subject
                && (self.category.isEmpty
                    ? !exceptions.contains(category.rawValue) : self.category == category.rawValue)
        }
    }

    /// The information lost when people were forgotten because of the limit.
    private enum EvictionLoss: String, Sendable, Hashable, Codable {
        case noPeople = "nobody"
        case people = "somebody"
        /// A person who had refused was forgotten.
        ///
        /// Unknown subjects cannot be assumed to consent.
        case refusals = "someRefusal"
    }

    /// The subject of a user, distinct from every anonymous subject.
    private static func subject(of user: String) -> String { "user-" + user }

    /// The subject of an anonymous period.
    private static func subject(ofAnonymousPeriod number: Int64) -> String { "anonymous-\(number)" }

    /// The maximum number of people remembered.
    ///
    /// Beyond this limit, people without a decision are forgotten first.
    package static let maxPeople = 64

    /// An action for the caller; actions are performed in order.
    package enum Action: Sendable, Equatable {
        /// From now on, events belong to this subject (``RecordedContext/User/subject``).
        case subject(String)
        /// Check held events again: different events may be sent now.
        case reconsider
        /// Immediately drop the rejected events at the front of the queue.
        case purge
        /// Report that a decision was not stored because of too many categories.
        case reportTooManyCategories(ConsentCategory)
        /// Persist the state.
        case save
    }

    /// The app's rules; they are not persisted.
    package var rules: ConsentRules
    /// The decisions for the device.
    package private(set) var device: ConsentDecisions
    /// The subject of newly recorded events.
    package private(set) var subject: String
    private var people: [Person]
    private var anonymousPeriods: Int64
    /// The number of sign-ins and sign-outs, used to order people without relying on a clock.
    private var turn: Int64
    private var forgotten: EvictionLoss
    /// The number of withdrawals; events contain it (``RecordedContext/User/consentEpoch``).
    package private(set) var epoch: Int64 = 0
    /// The latest withdrawals, one for each subject and category.
    private var withdrawals: [Withdrawal] = []

    /// The maximum number of withdrawals remembered.
    ///
    /// Beyond this limit, the oldest are forgotten; the events they apply to were dropped long ago.
    private static let maxWithdrawals = 256

    /// Creates a machine without decisions or known people.
    package init(rules: ConsentRules = ConsentRules()) {
        self.rules = rules
        device = ConsentDecisions()
        anonymousPeriods = 1
        subject = Self.subject(ofAnonymousPeriod: 1)
        people = [Person(subject: subject)]
        turn = 0
        forgotten = .noPeople
    }

    // MARK: Queries

    /// Returns the current person's consent for a category.
    package func consent(for category: ConsentCategory) -> Consent {
        consent(of: person(subject), for: category)
    }

    /// The decisions made by the person who is using the app now.
    package var decisions: ConsentDecisions { person(subject)?.decisions ?? ConsentDecisions() }

    /// Whether the device or the current person has decided about a category.
    package func hasDecision(for category: ConsentCategory) -> Bool {
        person(subject)?.decisions[category] != nil || device[category] != nil
    }

    /// Returns the subject that a person's decisions belong to now.
    ///
    /// For an anonymous period that was merged into a user, this is that user; nil if the person was forgotten.
    package func currentSubject(of subject: String) -> String? {
        person(subject).flatMap { effectivePerson($0) }?.subject
    }

    /// Returns the machine that applies to local destinations.
    package var forLocalDestinations: ConsentMachine {
        var machine = self
        machine.rules.initial = rules.initialForLocal
        return machine
    }

    /// Returns whether events may be recorded now for destinations of a category.
    package func mayRecord(_ category: ConsentCategory) -> Bool {
        consent(for: category) != .denied
    }

    /// Returns whether any subject's events may be sent for a category.
    ///
    /// - Complexity: O(people).
    package func maySend(_ category: ConsentCategory) -> Bool {
        grantedUntil(category) != nil || admission(of: nil, for: category) == .send
    }

    /// Returns whether some events that `before` admitted may no longer be sent.
    ///
    /// - Complexity: O(people · categories).
    package func isStricter(than before: ConsentMachine) -> Bool {
        let categories = before.namedCategories.union(namedCategories)
        let now = verdicts(in: categories)
        return before.verdicts(in: categories).contains { key, admission in
            admission == .send && now[key] != .send
        }
    }

    /// Returns whether a subject's event may be sent to this category's destinations.
    ///
    /// - Parameters:
    ///   - subject: The subject in the event's context; nil for events recorded before consent was stored per person.
    ///   - epoch: The epoch in the event's context. An event recorded before a withdrawal stays withdrawn.
    /// - Complexity: O(people).
    package func admission(
        of subject: String?,
        in epoch: Int64 = .max,
        for category: ConsentCategory
    ) -> Admission {
        let known = subject.flatMap { person($0) }.flatMap { effectivePerson($0) }
        if epoch < self.epoch, isWithdrawn(subject, known, in: epoch, for: category) { return .drop(.consentDenied) }
        return admission(of: known, subject, for: category, grantedUntil: grantedUntil(category))
    }

    // MARK: Inputs

    /// Stores a decision; nil removes an earlier one.
    ///
    /// - Parameter subject: The person that made the decision; nil for the current one. A decision of a person who was
    ///   forgotten since is ignored.
    package mutating func decide(
        _ consent: Consent?,
        by scope: ConsentScope,
        for category: ConsentCategory? = nil,
        of subject: String? = nil
    ) -> [Action] {
        change { machine in
            var isStored = true
            switch scope {
            case .device:
                isStored = machine.device.decide(consent, for: category)
            case .person:
                let owner = subject.map { machine.currentSubject(of: $0) } ?? machine.subject
                guard let owner, let place = machine.index(of: owner) else { return [] }
                isStored = machine.people[place].decisions.decide(consent, for: category)
            }
            guard !isStored, let category else { return [] }
            return [.reportTooManyCategories(category)]
        }
    }

    /// Handles a user's sign-in.
    package mutating func signIn(_ user: String) -> [Action] {
        let arriving = Self.subject(of: user)
        guard arriving != subject else { return [] }
        return change { machine in
            machine.turn += 1
            let leaving = machine.index(of: machine.subject)
            if let leaving { machine.people[leaving].leftAt = machine.turn }
            var person = machine.index(of: arriving).map { machine.people[$0] } ?? Person(subject: arriving)
            person.leftAt = nil
            if let leaving, machine.isAnonymous, machine.rules.anonymous == .mergeIntoUser {
                machine.people[leaving].mergedUser = arriving
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
    package mutating func signOut() -> [Action] {
        guard !isAnonymous else { return [] }
        return change { machine in
            machine.turn += 1
            if let leaving = machine.index(of: machine.subject) { machine.people[leaving].leftAt = machine.turn }
            machine.beginAnonymousPeriod()
            return [.subject(machine.subject)]
        }
    }

    /// Forgets everything about people; decisions for the device are kept.
    package mutating func erase() -> [Action] {
        change { machine in
            machine.people = []
            machine.forgotten = .noPeople
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
            epoch < withdrawal.epoch && subjects.contains { withdrawal.applies(to: $0, category) }
        }
    }

    private mutating func withdraw(_ keys: [VerdictKey], named: Set<ConsentCategory>) {
        epoch += 1
        let exceptions = named.map(\.rawValue).filter { !$0.isEmpty }.ordered()
        for key in keys {
            let category = key.category.rawValue
            withdrawals.removeAll { $0.subject == key.subject && $0.category == category }
            withdrawals.append(
                Withdrawal(
                    subject: key.subject,
                    category: category,
                    exceptions: category.isEmpty ? exceptions : [],
                    epoch: epoch
                )
            )
        }
        // Sorted so that equal states have equal bytes.
        withdrawals = withdrawals.ordered {
            ($0.epoch, $0.subject ?? "", $0.category) < ($1.epoch, $1.subject ?? "", $1.category)
        }
        if withdrawals.count > Self.maxWithdrawals { withdrawals.removeFirst(withdrawals.count - Self.maxWithdrawals) }
    }

    // MARK: Transitions

    private var isAnonymous: Bool { subject == Self.subject(ofAnonymousPeriod: anonymousPeriods) }

    private mutating func beginAnonymousPeriod() {
        anonymousPeriods += 1
        subject = Self.subject(ofAnonymousPeriod: anonymousPeriods)
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
        let changed = new.filter { key, admission in old[key].map { $0 != admission } ?? false }
        if !changed.isEmpty { actions.append(.reconsider) }
        let refused = changed.filter { key, admission in
            admission == .drop(.consentDenied) && old[key] != .drop(.consentUndecided)
        }
        if !refused.isEmpty { withdraw(Array(refused.keys), named: categories) }
        let isDropped = changed.values.contains { if case .drop = $0 { true } else { false } }
        if isDropped { actions.append(.purge) }
        return actions + [.save]
    }

    private func index(of subject: String) -> Int? { people.lastIndex { $0.subject == subject } }

    private mutating func evictPeople() {
        while people.count > Self.maxPeople {
            // People with the least information are forgotten first; among equals, those who have been away longest.
            let candidates = people.indices.filter { people[$0].subject != subject }
            let ranked = candidates.map {
                (weight: evictionWeight(people[$0]), leftAt: people[$0].leftAt ?? .max, place: $0)
            }
            guard let least = ranked.min(by: { ($0.weight, $0.leftAt) < ($1.weight, $1.leftAt) }) else { return }
            if least.weight == 2 {
                forgotten = .refusals
            } else if forgotten == .noPeople {
                forgotten = .people
            }
            people.remove(at: least.place)
        }
    }

    /// The weight of the information that would be lost with a person.
    ///
    /// 0 stands for the person's presence only, 1 for a decision, and 2 for a refusal.
    private func evictionWeight(_ person: Person) -> Int {
        guard let decided = effectivePerson(person) else { return forgotten == .refusals ? 2 : 1 }
        if decided.decisions.hasDenial { return 2 }
        return decided.decisions.isEmpty && person.mergedUser == nil ? 0 : 1
    }

    // MARK: Verdicts

    /// The subject and category that a verdict applies to.
    private struct VerdictKey: Hashable {
        var subject: String?
        var category: ConsentCategory
    }

    /// Every category with a decision, plus one that represents all others.
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
    private func verdicts(in categories: Set<ConsentCategory>) -> [VerdictKey: Admission] {
        var verdicts: [VerdictKey: Admission] = [:]
        for category in categories {
            let grantedUntil = grantedUntil(category)
            for person in people where person.mergedUser == nil {
                verdicts[VerdictKey(subject: person.subject, category: category)] = admission(
                    of: person,
                    person.subject,
                    for: category,
                    grantedUntil: grantedUntil
                )
            }
            verdicts[VerdictKey(subject: nil, category: category)] = admission(
                of: nil,
                nil,
                for: category,
                grantedUntil: grantedUntil
            )
        }
        return verdicts
    }

    private func person(_ subject: String) -> Person? { index(of: subject).map { people[$0] } }

    /// Returns the person whose decisions apply to the given person.
    ///
    /// For an anonymous period that was merged into a user, this is that user; nil if the user was forgotten.
    private func effectivePerson(_ person: Person) -> Person? {
        guard let mergedUser = person.mergedUser else { return person }
        return self.person(mergedUser)
    }

    private func consent(of person: Person?, for category: ConsentCategory) -> Consent {
        person?.decisions[category] ?? device[category] ?? rules.initial
    }

    /// Returns the last turn at which a consenting person was present.
    ///
    /// The current person counts as present at the maximum turn. nil if no one granted consent.
    private func grantedUntil(_ category: ConsentCategory) -> Int64? {
        var latest: Int64?
        for person in people where person.mergedUser == nil && consent(of: person, for: category) == .granted {
            latest = max(latest ?? .min, person.leftAt ?? .max)
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
            return known == nil && subject != nil && forgotten == .refusals ? .drop(.consentDenied) : .send
        case .denied:
            if rules.denial == .purge { return .drop(.consentDenied) }
            return shouldDropHeldEvents(known, subject, grantedUntil) ? .drop(.consentDenied) : .hold
        case .pending:
            return shouldDropHeldEvents(known, subject, grantedUntil) ? .drop(.consentUndecided) : .hold
        }
    }

    /// Returns whether holding this person's events would delay those of consenting people.
    private func shouldDropHeldEvents(_ person: Person?, _ subject: String?, _ grantedUntil: Int64?) -> Bool {
        guard let grantedUntil else { return false }
        if let person {
            guard let leftAt = person.leftAt else { return false }
            return grantedUntil > leftAt
        }
        // If no person was ever forgotten, an unknown subject may have just been added by another process, so its
        // events are held.
        return subject == nil || forgotten != .noPeople
    }
}

extension ConsentMachine {
    /// Reads JSON that ``json`` wrote.
    ///
    /// - Throws: `JSONError` when the JSON is invalid.
    package init(json: JSONValue, rules: ConsentRules = ConsentRules()) throws(JSONError) {
        guard let subject = json["subject"]?.string, let anonymousPeriods = json["stretches"]?.integer,
            anonymousPeriods > 0,
            let turn = json["turn"]?.integer, turn >= 0, let known = json["people"]?.array
        else { throw .stateInvalid }
        self.rules = rules
        self.subject = subject
        self.anonymousPeriods = anonymousPeriods
        self.turn = turn
        device = try ConsentDecisions(json: json["device"] ?? .object(.init()))
        guard let forgotten = EvictionLoss(rawValue: json["forgotten"]?.string ?? "nobody") else { throw .stateInvalid }
        self.forgotten = forgotten
        people = []
        for person in known { people.append(try Person(json: person)) }
        // The current person must be listed; otherwise decisions could not be stored.
        guard index(of: subject) != nil else { throw .stateInvalid }
        epoch = json["epoch"]?.integer ?? 0
        for withdrawal in json["withdrawn"]?.array ?? [] { withdrawals.append(try Withdrawal(json: withdrawal)) }
    }

    /// The state in its stored form, without the app's rules.
    package var json: JSONValue {
        .object(
            .init(present: [
                "device": device.isEmpty ? nil : device.json,
                "subject": .string(subject),
                "stretches": .integer(anonymousPeriods),
                "turn": .integer(turn),
                "forgotten": forgotten == .noPeople ? nil : .string(forgotten.rawValue),
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
            leftAt: json["left"]?.integer,
            mergedUser: json["joined"]?.string
        )
    }

    fileprivate var json: JSONValue {
        var members: [JSONValue.Object.Member] = [.init(key: "subject", value: .string(subject))]
        if let leftAt { members.append(.init(key: "left", value: .integer(leftAt))) }
        if let mergedUser { members.append(.init(key: "joined", value: .string(mergedUser))) }
        return .object(.init(members + (decisions.json.object?.members ?? [])))
    }
}
