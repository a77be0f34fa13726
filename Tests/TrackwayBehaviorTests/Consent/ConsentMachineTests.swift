// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayBehavior
import TrackwayEvents

@Suite("Consent")
struct ConsentMachineTests {
    /// What is decided on each level, from the closest to the farthest.
    struct Row: Sendable, CustomTestStringConvertible {
        var personForCategory: Consent?
        var person: Consent?
        var deviceForCategory: Consent?
        var device: Consent?
        var initial = Consent.pending
        var counts: Consent
        var testDescription: String {
            "\([personForCategory, person, deviceForCategory, device].map { $0?.rawValue ?? "-" }) → \(counts)"
        }
    }

    private static let precedence: [Row] = [
        Row(counts: .pending),
        Row(initial: .granted, counts: .granted),
        Row(initial: .denied, counts: .denied),
        Row(device: .granted, counts: .granted),
        Row(device: .denied, initial: .granted, counts: .denied),
        Row(device: .pending, initial: .granted, counts: .pending),
        Row(deviceForCategory: .denied, device: .granted, counts: .denied),
        Row(deviceForCategory: .granted, device: .denied, counts: .granted),
        Row(person: .denied, deviceForCategory: .granted, device: .granted, counts: .denied),
        Row(person: .granted, deviceForCategory: .denied, counts: .granted),
        Row(personForCategory: .granted, person: .denied, counts: .granted),
        Row(personForCategory: .denied, person: .granted, deviceForCategory: .granted, counts: .denied),
        Row(personForCategory: .pending, person: .granted, counts: .pending),
    ]

    @Test("The closest decision counts", arguments: precedence)
    func closest(row: Row) {
        var machine = ConsentMachine(rules: ConsentRules(initial: row.initial))
        _ = machine.decided(row.device, by: .device)
        _ = machine.decided(row.deviceForCategory, by: .device, for: .marketing)
        _ = machine.decided(row.person, by: .person)
        _ = machine.decided(row.personForCategory, by: .person, for: .marketing)
        #expect(machine.consent(for: .marketing) == row.counts)
        #expect(machine.mayRecord(.marketing) == (row.counts != .denied))
        let admission: Admission =
            switch row.counts {
            case .granted: .send
            case .pending: .hold
            case .denied: .drop(.consentDenied)
            }
        #expect(machine.admission(of: "anonymous-1", for: .marketing) == admission)
        // A decision about one category says nothing about the others.
        #expect(machine.consent(for: "other") == row.person ?? row.device ?? row.initial)
        // Taken back, one by one, nothing is left of them.
        _ = machine.decided(nil, by: .person, for: .marketing)
        #expect(machine.consent(for: .marketing) == row.person ?? row.deviceForCategory ?? row.device ?? row.initial)
        _ = machine.decided(nil, by: .person)
        _ = machine.decided(nil, by: .device, for: .marketing)
        #expect(machine.consent(for: .marketing) == row.device ?? row.initial)
        _ = machine.decided(nil, by: .device)
        // But that what was withdrawn on the way stays withdrawn.
        if machine.epoch == 0 { #expect(machine == ConsentMachine(rules: ConsentRules(initial: row.initial))) }
        #expect(machine.device.isEmpty && machine.decisions.isEmpty)
        #expect(machine.consent(for: .marketing) == row.initial)
    }

    @Test("What a change orders")
    func orders() {
        var machine = ConsentMachine()
        #expect(machine.decided(.granted, by: .device) == [.reconsider, .save])
        #expect(machine.decided(.granted, by: .device) == [])
        #expect(machine.decided(.denied, by: .device) == [.reconsider, .purge, .save])
        #expect(machine.decided(.pending, by: .device) == [.reconsider, .save])
        #expect(machine.signedIn("ann") == [.subject("user-ann"), .save])
        #expect(machine.signedIn("ann") == [])
        // Events from before people were told apart are given up with that: whose they are nobody can say.
        #expect(machine.decided(.granted, by: .person) == [.reconsider, .purge, .save])
        #expect(machine.signedOut() == [.subject("anonymous-2"), .save])
        #expect(machine.signedOut() == [])
    }

    @Test("By choice what waits is kept when somebody refuses")
    func kept() {
        var machine = ConsentMachine(rules: ConsentRules(denial: .keep))
        #expect(machine.decided(.denied, by: .device) == [.save])
        #expect(machine.admission(of: "anonymous-1", for: .analytics) == .hold)
        #expect(!machine.mayRecord(.analytics))
        #expect(machine.decided(.granted, by: .device) == [.reconsider, .save])
        #expect(machine.admission(of: "anonymous-1", for: .analytics) == .send)
        #expect(machine.decided(.denied, by: .person) == [.reconsider, .save])
    }

    @Test("A stretch in which nobody was signed in joins the user who signs in, with what was decided in it")
    func joining() {
        var machine = ConsentMachine()
        _ = machine.decided(.granted, by: .person)
        _ = machine.signedIn("ann")
        #expect(machine.consent(for: .analytics) == .granted)
        #expect(machine.admission(of: "anonymous-1", for: .analytics) == .send)
        #expect(machine.decided(.denied, by: .person) == [.reconsider, .purge, .save])
        #expect(machine.admission(of: "anonymous-1", for: .analytics) == .drop(.consentDenied))
        #expect(machine.admission(of: "user-ann", for: .analytics) == .drop(.consentDenied))
    }

    @Test("Who decided before is not overruled by what was decided while nobody was signed in")
    func joiningKnown() {
        var machine = ConsentMachine()
        _ = machine.signedIn("ann")
        _ = machine.decided(.denied, by: .person, for: .marketing)
        _ = machine.signedOut()
        _ = machine.decided(.granted, by: .person)
        #expect(machine.admission(of: "anonymous-2", for: .analytics) == .send)
        _ = machine.signedIn("ann")
        #expect(machine.consent(for: .analytics) == .pending)
        #expect(machine.consent(for: .marketing) == .denied)
        #expect(machine.admission(of: "anonymous-2", for: .analytics) == .hold)
        #expect(machine.admission(of: "anonymous-2", for: .marketing) == .drop(.consentDenied))
    }

    @Test("By choice a stretch in which nobody was signed in stays apart")
    func stayingApart() {
        var machine = ConsentMachine(rules: ConsentRules(anonymous: .keepSeparate))
        _ = machine.decided(.denied, by: .person, for: .marketing)
        _ = machine.signedIn("ann")
        #expect(machine.consent(for: .marketing) == .pending)
        #expect(machine.admission(of: "anonymous-1", for: .analytics) == .hold)
        #expect(machine.admission(of: "anonymous-1", for: .marketing) == .drop(.consentDenied))
        #expect(machine.decided(.granted, by: .person) == [.reconsider, .purge, .save])
        #expect(machine.admission(of: "user-ann", for: .analytics) == .send)
        #expect(machine.admission(of: "anonymous-1", for: .analytics) == .drop(.consentUndecided))
    }

    @Test("Who left undecided is waited for until somebody who came later agrees")
    func undecided() {
        var machine = ConsentMachine()
        _ = machine.signedIn("ann")
        _ = machine.signedIn("bob")
        #expect(machine.admission(of: "user-ann", for: .analytics) == .hold)
        #expect(machine.decided(.granted, by: .person) == [.reconsider, .purge, .save])
        #expect(machine.admission(of: "user-ann", for: .analytics) == .drop(.consentUndecided))
        // Somebody who came before is not behind ann, and those who came after bob are not in front of him.
        _ = machine.signedIn("eve")
        #expect(machine.admission(of: "user-eve", for: .analytics) == .hold)
        _ = machine.signedIn("dan")
        #expect(machine.admission(of: "user-eve", for: .analytics) == .hold)
        // Ann comes back: what still waits of hers is waited for again.
        _ = machine.signedIn("ann")
        #expect(machine.admission(of: "user-ann", for: .analytics) == .hold)
    }

    @Test("While the device has not decided, signing in and out gives nothing up, and one decision sends everything")
    func deviceUndecided() {
        var machine = ConsentMachine()
        for user in ["a", "b", "c"] {
            _ = machine.signedIn(user)
            _ = machine.signedOut()
        }
        let subjects = ["anonymous-1", "user-a", "anonymous-2", "user-b", "user-c", "anonymous-4", nil]
        for subject in subjects { #expect(machine.admission(of: subject, for: .analytics) == .hold) }
        _ = machine.decided(.granted, by: .device)
        for subject in subjects { #expect(machine.admission(of: subject, for: .analytics) == .send) }
    }

    @Test("Kept events of somebody who refused and left do not make others wait")
    func keptAndLeft() {
        var machine = ConsentMachine(rules: ConsentRules(denial: .keep))
        _ = machine.signedIn("ann")
        _ = machine.decided(.denied, by: .person)
        #expect(machine.admission(of: "user-ann", for: .analytics) == .hold)
        _ = machine.signedIn("bob")
        #expect(machine.admission(of: "user-ann", for: .analytics) == .hold)
        _ = machine.decided(.granted, by: .person)
        #expect(machine.admission(of: "user-ann", for: .analytics) == .drop(.consentDenied))
    }

    @Test("Events without a subject are the device's; a subject nobody knows yet is waited for")
    func nobody() {
        var machine = ConsentMachine()
        _ = machine.signedIn("ann")
        _ = machine.decided(.granted, by: .person)
        #expect(machine.admission(of: nil, for: .analytics) == .drop(.consentUndecided))
        #expect(machine.admission(of: "user-new", for: .analytics) == .hold)
        _ = machine.decided(.granted, by: .device)
        #expect(machine.admission(of: nil, for: .analytics) == .send)
        #expect(machine.admission(of: "user-new", for: .analytics) == .send)
    }

    @Test("A user whose name looks like a stretch is somebody else")
    func names() {
        var machine = ConsentMachine(rules: ConsentRules(anonymous: .keepSeparate))
        _ = machine.decided(.denied, by: .person)
        _ = machine.signedIn("anonymous-1")
        #expect(machine.subject == "user-anonymous-1")
        #expect(machine.consent(for: .analytics) == .pending)
    }

    @Test(
        "Too many people: those are forgotten who decided nothing, then those who agreed; never who refused, silently"
    )
    func maxPeople() {
        var machine = ConsentMachine(rules: ConsentRules(initial: .granted, anonymous: .keepSeparate))
        _ = machine.signedIn("refused")
        _ = machine.decided(.denied, by: .person)
        _ = machine.signedIn("agreed")
        _ = machine.decided(.granted, by: .person)
        for number in 0..<(ConsentMachine.maxPeople * 2) { _ = machine.signedIn("user-\(number)") }
        #expect(machine.admission(of: "user-refused", for: .analytics) == .drop(.consentDenied))
        #expect(machine.admission(of: "user-user-0", for: .analytics) == .send)
        for number in 0..<ConsentMachine.maxPeople {
            _ = machine.signedIn("other-\(number)")
            _ = machine.decided(.denied, by: .person)
        }
        // Too many refusals to remember each: from here on nobody unknown is taken for agreed.
        #expect(machine.admission(of: "user-refused", for: .analytics) == .drop(.consentDenied))
        #expect(machine.admission(of: "user-agreed", for: .analytics) == .drop(.consentDenied))
        #expect(machine.json.json().count < 16_384)
    }

    @Test("One at and one above the most categories")
    func maxCategories() {
        var machine = ConsentMachine()
        for number in 1...ConsentDecisions.maxCategories {
            let category = ConsentCategory(rawValue: "c\(number)")
            #expect(machine.decided(.granted, by: .person, for: category).last == .save)
            #expect(machine.consent(for: category) == .granted)
        }
        #expect(machine.decided(.denied, by: .person, for: "more") == [.reportTooManyCategories("more")])
        #expect(machine.consent(for: "more") == .pending)
        _ = machine.decided(.denied, by: .person, for: "c1")
        #expect(machine.consent(for: "c1") == .denied)
    }

    @Test("Erasing forgets the people, not the device's decision")
    func erased() {
        var machine = ConsentMachine()
        _ = machine.decided(.denied, by: .device, for: .marketing)
        _ = machine.signedIn("ann")
        _ = machine.decided(.granted, by: .person)
        #expect(machine.erased().first == .subject("anonymous-2"))
        #expect(machine.consent(for: .marketing) == .denied)
        #expect(machine.consent(for: .analytics) == .pending)
        #expect(machine.admission(of: "user-ann", for: .analytics) == .hold)
    }

    @Test("The stored form is read back exactly; a part that is not understood is not guessed")
    func stored() throws {
        var machine = ConsentMachine()
        _ = machine.decided(.granted, by: .device)
        _ = machine.signedIn("ann\n")
        _ = machine.decided(.denied, by: .person, for: "märketing")
        _ = machine.signedOut()
        #expect(try ConsentMachine(json: machine.json, rules: machine.rules) == machine)
        #expect(try JSONDecoder().decode(ConsentMachine.self, from: JSONEncoder().encode(machine)) == machine)
        for bad in [
            "{}", "[]", #"{"subject":"a","stretches":1,"turn":0,"people":[]}"#,
            #"{"subject":"a","stretches":1,"turn":0,"people":[{"subject":"a","consent":"maybe"}]}"#,
        ] {
            #expect(throws: JSONError.self) { try ConsentMachine(json: .parse(Array(bad.utf8))) }
        }
    }
}
