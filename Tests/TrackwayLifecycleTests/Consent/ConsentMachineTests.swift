// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayLifecycle

@Suite("Consent")
struct ConsentMachineTests {
    /// The decisions at each level, from closest to farthest.
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

    @Test(arguments: precedence)
    func `the closest decision applies`(row: Row) {
        var machine = ConsentMachine(rules: ConsentRules(initial: row.initial))
        _ = machine.decide(row.device, by: .device)
        _ = machine.decide(row.deviceForCategory, by: .device, for: .marketing)
        _ = machine.decide(row.person, by: .person)
        _ = machine.decide(row.personForCategory, by: .person, for: .marketing)
        #expect(machine.consent(for: .marketing) == row.counts)
        #expect(machine.mayRecord(.marketing) == (row.counts != .denied))
        let admission: Admission =
            switch row.counts {
            case .granted: .send
            case .pending: .hold
            case .denied: .drop(.consentDenied)
            }
        #expect(machine.admission(of: "anonymous-1", for: .marketing) == admission)
        // A decision for one category does not affect the others.
        #expect(machine.consent(for: "other") == row.person ?? row.device ?? row.initial)
        // Withdrawing the decisions one by one leaves none of their state.
        _ = machine.decide(nil, by: .person, for: .marketing)
        #expect(machine.consent(for: .marketing) == row.person ?? row.deviceForCategory ?? row.device ?? row.initial)
        _ = machine.decide(nil, by: .person)
        _ = machine.decide(nil, by: .device, for: .marketing)
        #expect(machine.consent(for: .marketing) == row.device ?? row.initial)
        _ = machine.decide(nil, by: .device)
        // The exception is the epoch, because consent withdrawn in between stays withdrawn.
        if machine.epoch == 0 { #expect(machine == ConsentMachine(rules: ConsentRules(initial: row.initial))) }
        #expect(machine.device.isEmpty && machine.decisions.isEmpty)
        #expect(machine.consent(for: .marketing) == row.initial)
    }

    @Test
    func `each change returns the expected actions`() {
        var machine = ConsentMachine()
        #expect(machine.decide(.granted, by: .device) == [.reconsider, .save])
        #expect(machine.decide(.granted, by: .device) == [])
        #expect(machine.decide(.denied, by: .device) == [.reconsider, .purge, .save])
        #expect(machine.decide(.pending, by: .device) == [.reconsider, .save])
        #expect(machine.signIn("ann") == [.subject("user-ann"), .save])
        #expect(machine.signIn("ann") == [])
        // This also drops events from before people were distinguished, because their owner is unknown.
        #expect(machine.decide(.granted, by: .person) == [.reconsider, .purge, .save])
        #expect(machine.signOut() == [.subject("anonymous-2"), .save])
        #expect(machine.signOut() == [])
    }

    @Test
    func `with the denial policy keep, pending events are kept when consent is denied`() {
        var machine = ConsentMachine(rules: ConsentRules(denial: .keep))
        #expect(machine.decide(.denied, by: .device) == [.save])
        #expect(machine.admission(of: "anonymous-1", for: .analytics) == .hold)
        #expect(!machine.mayRecord(.analytics))
        #expect(machine.decide(.granted, by: .device) == [.reconsider, .save])
        #expect(machine.admission(of: "anonymous-1", for: .analytics) == .send)
        #expect(machine.decide(.denied, by: .person) == [.reconsider, .save])
    }

    @Test
    func `an anonymous period and its decisions are merged into the user who signs in`() {
        var machine = ConsentMachine()
        _ = machine.decide(.granted, by: .person)
        _ = machine.signIn("ann")
        #expect(machine.consent(for: .analytics) == .granted)
        #expect(machine.admission(of: "anonymous-1", for: .analytics) == .send)
        #expect(machine.decide(.denied, by: .person) == [.reconsider, .purge, .save])
        #expect(machine.admission(of: "anonymous-1", for: .analytics) == .drop(.consentDenied))
        #expect(machine.admission(of: "user-ann", for: .analytics) == .drop(.consentDenied))
    }

    @Test
    func `decisions of an anonymous period do not override a user's earlier decisions`() {
        var machine = ConsentMachine()
        _ = machine.signIn("ann")
        _ = machine.decide(.denied, by: .person, for: .marketing)
        _ = machine.signOut()
        _ = machine.decide(.granted, by: .person)
        #expect(machine.admission(of: "anonymous-2", for: .analytics) == .send)
        _ = machine.signIn("ann")
        #expect(machine.consent(for: .analytics) == .pending)
        #expect(machine.consent(for: .marketing) == .denied)
        #expect(machine.admission(of: "anonymous-2", for: .analytics) == .hold)
        #expect(machine.admission(of: "anonymous-2", for: .marketing) == .drop(.consentDenied))
    }

    @Test
    func `with keepSeparate, an anonymous period stays separate from the user`() {
        var machine = ConsentMachine(rules: ConsentRules(anonymous: .keepSeparate))
        _ = machine.decide(.denied, by: .person, for: .marketing)
        _ = machine.signIn("ann")
        #expect(machine.consent(for: .marketing) == .pending)
        #expect(machine.admission(of: "anonymous-1", for: .analytics) == .hold)
        #expect(machine.admission(of: "anonymous-1", for: .marketing) == .drop(.consentDenied))
        #expect(machine.decide(.granted, by: .person) == [.reconsider, .purge, .save])
        #expect(machine.admission(of: "user-ann", for: .analytics) == .send)
        #expect(machine.admission(of: "anonymous-1", for: .analytics) == .drop(.consentUndecided))
    }

    @Test
    func `events of an undecided user who left are held until a later user grants consent`() {
        var machine = ConsentMachine()
        _ = machine.signIn("ann")
        _ = machine.signIn("bob")
        #expect(machine.admission(of: "user-ann", for: .analytics) == .hold)
        #expect(machine.decide(.granted, by: .person) == [.reconsider, .purge, .save])
        #expect(machine.admission(of: "user-ann", for: .analytics) == .drop(.consentUndecided))
        // Bob's consent drops only events of undecided users before him; eve and dan came after him.
        _ = machine.signIn("eve")
        #expect(machine.admission(of: "user-eve", for: .analytics) == .hold)
        _ = machine.signIn("dan")
        #expect(machine.admission(of: "user-eve", for: .analytics) == .hold)
        // When ann returns, her pending events are held again.
        _ = machine.signIn("ann")
        #expect(machine.admission(of: "user-ann", for: .analytics) == .hold)
    }

    @Test
    func `without a device decision, signing in and out drops no events, and one decision sends them all`() {
        var machine = ConsentMachine()
        for user in ["a", "b", "c"] {
            _ = machine.signIn(user)
            _ = machine.signOut()
        }
        let subjects = ["anonymous-1", "user-a", "anonymous-2", "user-b", "user-c", "anonymous-4", nil]
        for subject in subjects { #expect(machine.admission(of: subject, for: .analytics) == .hold) }
        _ = machine.decide(.granted, by: .device)
        for subject in subjects { #expect(machine.admission(of: subject, for: .analytics) == .send) }
    }

    @Test
    func `kept events of a user who denied consent and left do not block others`() {
        var machine = ConsentMachine(rules: ConsentRules(denial: .keep))
        _ = machine.signIn("ann")
        _ = machine.decide(.denied, by: .person)
        #expect(machine.admission(of: "user-ann", for: .analytics) == .hold)
        _ = machine.signIn("bob")
        #expect(machine.admission(of: "user-ann", for: .analytics) == .hold)
        _ = machine.decide(.granted, by: .person)
        #expect(machine.admission(of: "user-ann", for: .analytics) == .drop(.consentDenied))
    }

    @Test
    func `events without a subject follow the device's decision, and events of an unknown subject are held`() {
        var machine = ConsentMachine()
        _ = machine.signIn("ann")
        _ = machine.decide(.granted, by: .person)
        #expect(machine.admission(of: nil, for: .analytics) == .drop(.consentUndecided))
        #expect(machine.admission(of: "user-new", for: .analytics) == .hold)
        _ = machine.decide(.granted, by: .device)
        #expect(machine.admission(of: nil, for: .analytics) == .send)
        #expect(machine.admission(of: "user-new", for: .analytics) == .send)
    }

    @Test
    func `a user whose name looks like an anonymous period is a different subject`() {
        var machine = ConsentMachine(rules: ConsentRules(anonymous: .keepSeparate))
        _ = machine.decide(.denied, by: .person)
        _ = machine.signIn("anonymous-1")
        #expect(machine.subject == "user-anonymous-1")
        #expect(machine.consent(for: .analytics) == .pending)
    }

    @Test
    func `beyond the limit, undecided people are forgotten first, then consenting ones; no denial is lost silently`() {
        var machine = ConsentMachine(rules: ConsentRules(initial: .granted, anonymous: .keepSeparate))
        _ = machine.signIn("refused")
        _ = machine.decide(.denied, by: .person)
        _ = machine.signIn("agreed")
        _ = machine.decide(.granted, by: .person)
        for number in 0..<(ConsentMachine.maxPeople * 2) { _ = machine.signIn("user-\(number)") }
        #expect(machine.admission(of: "user-refused", for: .analytics) == .drop(.consentDenied))
        #expect(machine.admission(of: "user-user-0", for: .analytics) == .send)
        for number in 0..<ConsentMachine.maxPeople {
            _ = machine.signIn("other-\(number)")
            _ = machine.decide(.denied, by: .person)
        }
        // There are too many denials to remember each, so unknown people no longer count as consenting.
        #expect(machine.admission(of: "user-refused", for: .analytics) == .drop(.consentDenied))
        #expect(machine.admission(of: "user-agreed", for: .analytics) == .drop(.consentDenied))
        #expect(machine.json.json().count < 16_384)
    }

    @Test
    func `decisions are limited to the maximum number of categories, and exceeding it is reported`() {
        var machine = ConsentMachine()
        for number in 1...ConsentDecisions.maxCategories {
            let category = ConsentCategory(rawValue: "c\(number)")
            #expect(machine.decide(.granted, by: .person, for: category).last == .save)
            #expect(machine.consent(for: category) == .granted)
        }
        #expect(machine.decide(.denied, by: .person, for: "more") == [.reportTooManyCategories("more")])
        #expect(machine.consent(for: "more") == .pending)
        _ = machine.decide(.denied, by: .person, for: "c1")
        #expect(machine.consent(for: "c1") == .denied)
    }

    @Test
    func `erasing forgets people but not the device's decision`() {
        var machine = ConsentMachine()
        _ = machine.decide(.denied, by: .device, for: .marketing)
        _ = machine.signIn("ann")
        _ = machine.decide(.granted, by: .person)
        #expect(machine.erase().first == .subject("anonymous-2"))
        #expect(machine.consent(for: .marketing) == .denied)
        #expect(machine.consent(for: .analytics) == .pending)
        #expect(machine.admission(of: "user-ann", for: .analytics) == .hold)
    }

    @Test
    func `the stored form reads back exactly, and invalid parts are rejected`() throws {
        var machine = ConsentMachine()
        _ = machine.decide(.granted, by: .device)
        _ = machine.signIn("ann\n")
        _ = machine.decide(.denied, by: .person, for: "märketing")
        _ = machine.signOut()
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
