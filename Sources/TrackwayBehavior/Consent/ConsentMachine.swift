// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Decides whose events may be recorded, and which of those that wait may leave the device: the one gate for all
/// destinations.
///
/// A decision is made for the device or by the person who uses the app, altogether or for a category of use; the closer
/// one counts: the person's for the category, the person's, the device's for the category, the device's, the configured
/// one. Every event carries the subject it belongs to in its context, and is judged when it is about to leave, by what
/// that subject's decisions are then.
///
/// Events of somebody who left undecided wait, until somebody who came later agreed: then they are given up, because
/// nobody's events wait behind those of a person who may never come back.
package struct ConsentMachine: Sendable, Hashable, Codable {
    /// Somebody who used the app: a user, or whoever used it in a stretch in which nobody was signed in.
    fileprivate struct Person: Sendable, Hashable, Codable {
        let subject: String
        var decisions = ConsentDecisions()
        /// The turn at which the person left; nil while it is here.
        var left: Int64?
        /// The user this stretch belongs to, once one signed in.
        var joined: String?
    }

    /// Events of a subject that were recorded before consent was withdrawn. They are dropped whatever is decided later.
    fileprivate struct Withdrawal: Sendable, Hashable, Codable {
        /// nil for events of nobody who is known.
        let subject: String?
        /// An empty name stands for all categories but ``exceptions``.
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

    /// What is lost of people who were forgotten because there were too many.
    private enum Forgotten: String, Sendable, Hashable, Codable {
        case nobody
        case somebody
        /// Somebody who had refused: nobody who is unknown here may be taken for agreed.
        case someRefusal
    }

    /// The subject of a user, which no stretch has.
    private static func subject(of user: String) -> String { "user-" + user }

    /// The subject of a stretch in which nobody was signed in.
    private static func subject(ofStretch number: Int64) -> String { "anonymous-\(number)" }

    /// The most people that are told apart; beyond it those are forgotten first who decided nothing.
    package static let maxPeople = 64

    /// An order to the driver; they are carried out in their order.
    package enum Action: Sendable, Hashable {
        /// From now on events belong to this subject (``RecordedContext/User/subject``).
        case subject(String)
        /// What may leave has changed: judge again what was held.
        case reconsider
        /// Drop at once what waits at the front and is to be dropped.
        case purge
        /// Say that there are too many categories, and that this decision was not taken.
        case reportTooManyCategories(ConsentCategory)
        /// Write the state down.
        case save
    }

    /// The app's rules; they are not part of what is stored.
    package var rules: ConsentRules
    /// What was decided for the device.
    package private(set) var device: ConsentDecisions
    /// Whom events recorded now belong to.
    package private(set) var subject: String
    private var people: [Person]
    private var stretches: Int64
    /// Counts who came and went; says who came later without a clock.
    private var turn: Int64
    private var forgotten: Forgotten
    /// The number of withdrawals so far: events carry it (``RecordedContext/User/consentEpoch``).
    package private(set) var epoch: Int64 = 0
    /// The latest withdrawals, one for each subject and category.
    private var withdrawals: [Withdrawal] = []

    /// The most withdrawals that are remembered; beyond it the oldest are forgotten: what they concern was dropped long ago.
    private static let maxWithdrawals = 256

    /// Nothing decided, nobody known.
    package init(rules: ConsentRules = ConsentRules()) {
        self.rules = rules
        device = ConsentDecisions()
        stretches = 1
        subject = Self.subject(ofStretch: 1)
        people = [Person(subject: subject)]
        turn = 0
        forgotten = .nobody
    }

    // MARK: Questions

    /// What counts for the person who uses the app now.
    package func consent(for category: ConsentCategory) -> Consent {
        consent(of: person(subject), for: category)
    }

    /// What the person who uses the app now decided itself.
    package var decisions: ConsentDecisions { person(subject)?.decisions ?? ConsentDecisions() }

    /// Whether events may be recorded now for destinations of a category.
    package func mayRecord(_ category: ConsentCategory) -> Bool {
        consent(for: category) != .denied
    }

    /// Whether anybody's events may leave for destinations of a category.
    ///
    /// - Complexity: O(people).
    package func maySend(_ category: ConsentCategory) -> Bool {
        grantedUntil(category) != nil || admission(of: nil, for: category) == .send
    }

    /// Whether somebody's events may not leave any more that might before.
    ///
    /// - Complexity: O(people · categories).
    package func permitsLess(than before: ConsentMachine) -> Bool {
        let categories = before.namedCategories.union(namedCategories)
        let now = verdicts(in: categories)
        return before.verdicts(in: categories).contains { matter, admission in
            admission == .send && now[matter] != .send
        }
    }

    /// Whether an event of a subject may leave for a destination of a category.
    ///
    /// - Parameters:
    ///   - subject: as the event's context says; nil for events from before consent was kept by person.
    ///   - epoch: as the event's context says: an event that was recorded before a withdrawal stays withdrawn.
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

    // MARK: What people did

    /// Somebody decided, or took a decision back with nil.
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

    /// Somebody signed in.
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
                // Who just answered does not have to answer again.
                person.decisions.fill(from: machine.people[leaving].decisions)
                machine.people[leaving].decisions = ConsentDecisions()
            }
            machine.people.removeAll { $0.subject == arriving }
            machine.people.append(person)
            machine.subject = arriving
            machine.forgetSome()
            return [.subject(arriving)]
        }
    }

    /// Whoever was signed in is not any more.
    package mutating func signedOut() -> [Action] {
        guard !isAnonymous else { return [] }
        return change { machine in
            machine.turn += 1
            if let leaving = machine.place(of: machine.subject) { machine.people[leaving].left = machine.turn }
            machine.beginStretch()
            return [.subject(machine.subject)]
        }
    }

    /// Everything about people is to be forgotten; what was decided for the device stays.
    package mutating func erased() -> [Action] {
        change { machine in
            machine.people = []
            machine.forgotten = .nobody
            machine.turn = 0
            machine.beginStretch()
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
        // Of somebody who is not known here, the events fare as those of nobody.
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
        // In an order of its own: the same state has the same bytes.
        withdrawals.sort {
            ($0.epoch, $0.subject ?? "", $0.category) < ($1.epoch, $1.subject ?? "", $1.category)
        }
        if withdrawals.count > Self.maxWithdrawals { withdrawals.removeFirst(withdrawals.count - Self.maxWithdrawals) }
    }

    // MARK: Transitions

    private var isAnonymous: Bool { subject == Self.subject(ofStretch: stretches) }

    private mutating func beginStretch() {
        stretches += 1
        subject = Self.subject(ofStretch: stretches)
        people.append(Person(subject: subject))
        forgetSome()
    }

    /// Makes a change and says what follows from it for the events that wait.
    private mutating func change(_ body: (inout ConsentMachine) -> [Action]) -> [Action] {
        let before = self
        var actions = body(&self)
        guard self != before else { return actions }
        // Nothing waits of somebody who was unknown until now.
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

    private mutating func forgetSome() {
        while people.count > Self.maxPeople {
            // The least that is lost first, then who is away longest.
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

    /// How much is lost with what is known of somebody: nothing but having been here, a decision, a refusal.
    private func weight(_ person: Person) -> Int {
        guard let decided = standing(person) else { return forgotten == .someRefusal ? 2 : 1 }
        if decided.decisions.hasDenial { return 2 }
        return decided.decisions.isEmpty && person.joined == nil ? 0 : 1
    }

    // MARK: Verdicts

    /// Of whom and for what a verdict is.
    private struct Matter: Hashable {
        var subject: String?
        var category: ConsentCategory
    }

    /// Every category somebody named, and one that nobody did.
    private var namedCategories: Set<ConsentCategory> {
        var categories = Set(device.categories.keys)
        for person in people { categories.formUnion(person.decisions.categories.keys) }
        return categories.union([ConsentCategory(rawValue: "")])
    }

    /// The verdicts for everybody known and for events of nobody. Stretches that belong to a user fare as the user does.
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

    /// The person whose decisions count: the user a stretch belongs to; nil when that one was forgotten.
    private func standing(_ person: Person) -> Person? {
        guard let joined = person.joined else { return person }
        return self.person(joined)
    }

    private func consent(of person: Person?, for category: ConsentCategory) -> Consent {
        person?.decisions[category] ?? device[category] ?? rules.initial
    }

    /// The last turn at which somebody was here whose events may leave; nil when there is nobody. Who is here now is here
    /// at the last turn of all.
    private func grantedUntil(_ category: ConsentCategory) -> Int64? {
        var latest: Int64?
        for person in people where person.joined == nil && consent(of: person, for: category) == .granted {
            latest = max(latest ?? .min, person.left ?? .max)
        }
        return latest
    }

    /// - Parameter known: The person whose decisions count; nil for nobody, and for a subject that is not known.
    private func admission(
        of known: Person?,
        _ subject: String?,
        for category: ConsentCategory,
        grantedUntil: Int64?
    ) -> Admission {
        switch consent(of: known, for: category) {
        case .granted:
            // A forgotten refusal could be this one's.
            return known == nil && subject != nil && forgotten == .someRefusal ? .drop(.consentDenied) : .send
        case .denied:
            if rules.denial == .purge { return .drop(.consentDenied) }
            return isGivenUp(known, subject, grantedUntil) ? .drop(.consentDenied) : .hold
        case .pending:
            return isGivenUp(known, subject, grantedUntil) ? .drop(.consentUndecided) : .hold
        }
    }

    /// Whether waiting for a decision of this one would make others wait who agreed.
    private func isGivenUp(_ person: Person?, _ subject: String?, _ grantedUntil: Int64?) -> Bool {
        guard let grantedUntil else { return false }
        if let person {
            guard let left = person.left else { return false }
            return grantedUntil > left
        }
        // Somebody another process saw arrive a moment ago is unknown too, as long as nobody was ever forgotten.
        return subject == nil || forgotten != .nobody
    }
}

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
        epoch = json["epoch"]?.integer ?? 0
        for withdrawal in json["withdrawn"]?.array ?? [] { withdrawals.append(try Withdrawal(json: withdrawal)) }
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
