// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayLifecycle
import TrackwayTesting

@Suite("Random walks of consent")
struct ConsentMachineWalkTests {
    @Test(arguments: [1] as [UInt64])
    func `guarantees hold at every step of a long random walk`(seed: UInt64) throws {
        try walk(seed: seed, steps: TestScale.count(20_000, full: 100_000), isKilled: false)
    }

    @Test(arguments: [3, 4] as [UInt64])
    func `a consent machine killed and restored at every step continues unchanged`(seed: UInt64) throws {
        try walk(seed: seed, steps: 1_500, isKilled: true)
    }

    private static let categories: [ConsentCategory] = [.analytics, .marketing]

    private func walk(seed: UInt64, steps: Int, isKilled: Bool) throws {
        var random = SeededGenerator(seed: seed)
        let rules = ConsentRules(
            initial: .pending,
            denial: random.nextBool() ? .keep : .purge,
            anonymous: seed % 2 == 0 ? .keepSeparate : .mergeIntoUser
        )
        var machine = ConsentMachine(rules: rules)
        var problems: [String] = []
        // The journal: each event's subject and category.
        var journal: [(subject: String, category: ConsentCategory)] = []
        var admissions: [Admission: Int] = [:]
        for step in 0..<steps {
            let before = machine
            let consent = [nil, Consent.pending, .granted, .denied][random.next(below: 4)]
            let category = [nil, ConsentCategory.analytics, .marketing][random.next(below: 3)]
            var actions: [ConsentMachine.Action] = []
            switch random.next(below: 40) {
            case 0: actions = machine.decide(consent, by: .device, for: category)
            case 1...2: actions = machine.decide(consent, by: .person, for: category)
            case 3...5: actions = machine.signIn("user-\(random.next(below: 6))")
            case 6...7: actions = machine.signOut()
            case 8 where random.next(below: 200) == 0:
                actions = machine.erase()
                journal = []
            default:
                let category = Self.categories[random.next(below: 2)]
                if journal.count < 40, machine.mayRecord(category) { journal.append((machine.subject, category)) }
            }
            if before != machine, actions.last != .save { problems.append("\(step): a change is not saved") }
            if before == machine, !actions.isEmpty { problems.append("\(step): actions without a change") }
            if before.subject != machine.subject, actions.first != .subject(machine.subject) {
                problems.append("\(step): events are stored with another subject")
            }
            // Checking all people is slow, so only one in twenty steps does it.
            if random.next(below: 20) == 0 {
                let known = Self.known(before).intersection(Self.known(machine))
                for category in Self.categories { check(machine, before, category, known, actions, step, &problems) }
            }
            if isKilled {
                machine = try ConsentMachine(
                    json: .parse(machine.json.json()),
                    rules: try JSONDecoder().decode(ConsentRules.self, from: JSONEncoder().encode(rules))
                )
            }
            // Deliver from the front until an event is held.
            if step % 16 == 0 || actions.contains(.purge) {
                for category in Self.categories {
                    deliver(category, &journal, machine, &admissions)
                }
            }
            if !problems.isEmpty { break }
        }
        #expect(problems == [])
        #expect(Set(admissions.keys).isSuperset(of: [.send, .drop(.consentUndecided)]))
        // A last user grants consent, which settles all pending events.
        _ = machine.signIn("last")
        for category in Self.categories {
            _ = machine.decide(.granted, by: .person, for: category)
            deliver(category, &journal, machine, &admissions)
        }
        #expect(journal.isEmpty)
    }

    private func deliver(
        _ category: ConsentCategory,
        _ journal: inout [(subject: String, category: ConsentCategory)],
        _ machine: ConsentMachine,
        _ admissions: inout [Admission: Int]
    ) {
        var isHeld = false
        journal.removeAll { event in
            guard event.category == category, !isHeld else { return false }
            let admission = machine.admission(of: event.subject, for: category)
            isHeld = admission == .hold
            if !isHeld { admissions[admission, default: 0] += 1 }
            return !isHeld
        }
    }

    private func check(
        _ machine: ConsentMachine,
        _ before: ConsentMachine,
        _ category: ConsentCategory,
        _ known: Set<String>,
        _ actions: [ConsentMachine.Action],
        _ step: Int,
        _ problems: inout [String]
    ) {
        let current = machine.admission(of: machine.subject, for: category)
        switch (machine.consent(for: category), current) {
        case (.granted, .send), (.pending, .hold), (.denied, .drop(.consentDenied)), (.denied, .hold): break
        default: problems.append("\(step): \(machine.consent(for: category)), but \(current)")
        }
        for subject in known where subject.hasPrefix("user-") {
            let (old, new) = (
                before.admission(of: subject, for: category), machine.admission(of: subject, for: category)
            )
            // An absent, undecided user never blocks a present one who consented.
            if current == .send, new == .hold, subject != machine.subject {
                problems.append("\(step): \(subject) blocks others")
            }
            guard old != new else { continue }
            if !actions.contains(.reconsider) { problems.append("\(step): \(subject) was not reconsidered") }
            if case .drop = new, !actions.contains(.purge) { problems.append("\(step): \(subject) is not purged") }
        }
    }

    private static func known(_ machine: ConsentMachine) -> Set<String> {
        Set((machine.json["people"]?.array ?? []).compactMap { $0["subject"]?.string })
    }
}
