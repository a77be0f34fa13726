// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@testable import TrackwayLifecycle

@Suite("Log of consent decisions")
struct ConsentRecordTests {
    private static func record(
        _ time: Int64,
        _ decision: Consent? = .granted,
        scope: ConsentScope = .device,
        category: ConsentCategory? = nil,
        subject: String? = nil
    ) -> ConsentRecord {
        ConsentRecord(
            time: Timestamp(milliseconds: time),
            decision: decision,
            scope: scope,
            category: category,
            source: "banner",
            version: "v\(time)",
            subject: subject
        )
    }

    @Test
    func `a full log drops decisions that a later one replaced, and keeps the latest of each kind`() {
        var log = ConsentLog()
        log.add(Self.record(1, .denied, category: .marketing))
        log.add(Self.record(2, .denied, scope: .person, subject: "user-ann"))
        for number in 0..<1_000 { log.add(Self.record(Int64(number), number.isMultiple(of: 2) ? .granted : .denied)) }
        #expect(log.records.count == ConsentLog.maxRecords)
        #expect(log.records.first?.category == .marketing)
        #expect(log.records.dropFirst().first?.subject == "user-ann")
        #expect(log.records.last?.time.milliseconds == 999)
    }

    @Test
    func `a log full of different decisions drops the oldest`() {
        var log = ConsentLog()
        for number in 0..<150 { log.add(Self.record(Int64(number), category: ConsentCategory(rawValue: "\(number)"))) }
        #expect(log.records.map { $0.time.milliseconds } == Array(50..<150))
    }

    @Test
    func `only the latest decision about the same people and category counts as repeated`() {
        var log = ConsentLog()
        let first = Self.record(1)
        log.add(first)
        #expect(log.isRepetition(first))
        #expect(!log.isRepetition(Self.record(1, .denied)))
        #expect(!log.isRepetition(Self.record(2)))
        #expect(!log.isRepetition(Self.record(1, category: .marketing)))
        #expect(!log.isRepetition(Self.record(1, scope: .person, subject: "user-ann")))
        log.add(Self.record(1, .denied))
        #expect(!log.isRepetition(first))
    }

    @Test
    func `removing people keeps the decisions for the device`() {
        var log = ConsentLog()
        log.add(Self.record(1))
        log.add(Self.record(2, scope: .person, subject: "user-ann"))
        log.removePeople()
        #expect(log.records.map { $0.time.milliseconds } == [1])
    }

    @Test(arguments: [Consent.granted, .denied, .pending, nil], [ConsentScope.device, .person])
    func `stored decisions are restored unchanged`(decision: Consent?, scope: ConsentScope) throws {
        var log = ConsentLog()
        let subject = scope == .person ? "user-\u{0}\"ann" : nil
        log.add(Self.record(.min, decision, scope: scope, category: .analytics, subject: subject))
        log.add(ConsentRecord(time: Timestamp(milliseconds: .max), decision: decision, scope: .device))
        #expect(ConsentLog(json: try JSONValue.parse(log.json.json())) == log)
        let scheduled = ScheduledConsent(id: "a", record: log.records[0], deadline: Timestamp(milliseconds: 7))
        #expect(try ScheduledConsent(json: JSONValue.parse(scheduled.json.json())) == scheduled)
    }

    @Test(arguments: ["{}", "[{}]", #"[{"time":1,"decision":"maybe"}]"#, #"[{"time":"1","decision":"granted"}]"#, "1"])
    func `invalid entries of a log are ignored`(json: String) throws {
        #expect(ConsentLog(json: try JSONValue.parse(Array(json.utf8))).records.isEmpty)
    }

    @Test(arguments: ["{}", #"{"id":"a","deadline":1,"time":1,"decision":"maybe"}"#, #"{"id":"a","time":1}"#])
    func `an invalid scheduled decision is an error`(json: String) throws {
        let value = try JSONValue.parse(Array(json.utf8))
        #expect(throws: JSONError.self) { try ScheduledConsent(json: value) }
    }

    @Test(arguments: [(0, true), (10, false), (59, false), (60, true), (1_000, true)])
    func `a scheduled decision is overdue after its deadline, or if the clock was set back`(
        now: Int64,
        expected: Bool
    ) {
        let scheduled = ScheduledConsent(
            id: "a",
            record: Self.record(10),
            deadline: Timestamp(milliseconds: 60)
        )
        #expect(scheduled.isOverdue(at: Timestamp(milliseconds: now)) == expected)
    }

    @Test
    func `the attributes of the event contain what is known`() {
        var record = Self.record(1, nil, scope: .person, category: .marketing, subject: "user-ann")
        #expect(
            record.attributes == [
                "_consent_decision": "removed", "_consent_scope": "person", "_consent_category": "marketing",
                "_consent_source": "banner", "_consent_version": "v1",
            ]
        )
        record = ConsentRecord(time: Timestamp(milliseconds: 1), decision: .granted, scope: .device)
        #expect(record.attributes == ["_consent_decision": "granted", "_consent_scope": "device"])
    }
}

@Suite("Consent decisions of someone other than the current person")
struct ConsentSubjectTests {
    @Test
    func `a decision of a visitor applies to the user that the visitor became`() {
        var machine = ConsentMachine(rules: ConsentRules(initial: .granted))
        let visitor = machine.subject
        _ = machine.signIn("ann")
        #expect(machine.currentSubject(of: visitor) == machine.subject)
        _ = machine.decide(.denied, by: .person, of: visitor)
        #expect(machine.consent(for: .analytics) == .denied)
    }

    @Test
    func `a decision of a former user applies to that user only`() {
        var machine = ConsentMachine(rules: ConsentRules(initial: .granted))
        _ = machine.signIn("ann")
        let ann = machine.subject
        _ = machine.signIn("bob")
        _ = machine.decide(.denied, by: .person, of: ann)
        #expect(machine.consent(for: .analytics) == .granted)
        #expect(machine.admission(of: ann, for: .analytics) == .drop(.consentDenied))
        _ = machine.signIn("ann")
        #expect(machine.consent(for: .analytics) == .denied)
    }

    @Test
    func `a decision of a forgotten person changes nothing`() {
        var machine = ConsentMachine(rules: ConsentRules(initial: .granted))
        let before = machine
        #expect(machine.decide(.denied, by: .person, of: "user-nobody").isEmpty)
        #expect(machine == before && machine.currentSubject(of: "user-nobody") == nil)
    }

    @Test
    func `local destinations have their own initial consent, and follow decisions`() {
        var machine = ConsentMachine(rules: ConsentRules(initial: .pending, initialForLocal: .granted))
        #expect(machine.admission(of: machine.subject, for: .analytics) == .hold)
        #expect(machine.forLocalDestinations.admission(of: machine.subject, for: .analytics) == .send)
        #expect(!machine.hasDecision(for: .analytics))
        _ = machine.decide(.denied, by: .device)
        #expect(machine.forLocalDestinations.admission(of: machine.subject, for: .analytics) == .drop(.consentDenied))
        #expect(machine.hasDecision(for: .analytics))
    }
}
