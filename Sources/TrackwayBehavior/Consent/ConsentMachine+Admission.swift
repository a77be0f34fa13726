// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension ConsentMachine {
    /// Of whom and for what a verdict is.
    struct Matter: Hashable {
        var subject: String?
        var category: ConsentCategory
    }

    /// Every category somebody named, and one that nobody did.
    var namedCategories: Set<ConsentCategory> {
        var categories = Set(device.categories.keys)
        for person in people { categories.formUnion(person.decisions.categories.keys) }
        return categories.union([ConsentCategory(rawValue: "")])
    }

    /// The verdicts for everybody known and for events of nobody. Stretches that belong to a user fare as the user does.
    ///
    /// - Complexity: O(people · categories).
    func verdicts(in categories: Set<ConsentCategory>) -> [Matter: Admission] {
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

    func person(_ subject: String) -> Person? { place(of: subject).map { people[$0] } }

    /// The person whose decisions count: the user a stretch belongs to; nil when that one was forgotten.
    func standing(_ person: Person) -> Person? {
        guard let joined = person.joined else { return person }
        return self.person(joined)
    }

    func consent(of person: Person?, for category: ConsentCategory) -> Consent {
        person?.decisions[category] ?? device[category] ?? rules.initial
    }

    /// The last turn at which somebody was here whose events may leave; nil when there is nobody. Who is here now is here
    /// at the last turn of all.
    func grantedUntil(_ category: ConsentCategory) -> Int64? {
        var latest: Int64?
        for person in people where person.joined == nil && consent(of: person, for: category) == .granted {
            latest = max(latest ?? .min, person.left ?? .max)
        }
        return latest
    }

    /// - Parameter known: The person whose decisions count; nil for nobody, and for a subject that is not known.
    func admission(
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
