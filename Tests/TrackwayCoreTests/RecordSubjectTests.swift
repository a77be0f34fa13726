// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@Suite("The subject of a record")
struct RecordSubjectTests {
    @Test(arguments: [
        (CapturedName.profileSet, RecordSubject.person), (CapturedName.profileSetOnce, .person),
        (CapturedName.profileIncrement, .person), (CapturedName.profileAppend, .person),
        (CapturedName.profileUnset, .person), (CapturedName.profileDelete, .person), (CapturedName.consent, .person),
        (CapturedName.alias, .person),
        (CapturedName.itemSet, .item),
        (CapturedName.itemDelete, .item), (CapturedName.deviceProperties, .device),
        (CapturedName.appState, .device),
        (CapturedName.firstOpen, .event), (CapturedName.appStart, .event),
        (CapturedName.appEnd, .event), (CapturedName.sessionStart, .event),
        (CapturedName.screenView, .event), (CapturedName.userEngagement, .event),
        (CapturedName.appException, .event), (CapturedName.appUpdate, .event),
        (CapturedName.osUpdate, .event), (CapturedName.clickstreamError, .event),
        (CapturedName.identityBound, .event), (CapturedName.identityUnbound, .event), ("", .event),
        ("purchase", .event), ("profile_set", .event), ("_profile_set ", .event),
    ])
    func `every record name has the right subject, and only events get shared attributes`(
        _ name: String,
        _ subject: RecordSubject
    ) {
        #expect(RecordSubject(name: name, attributes: [:]) == subject)
        #expect(RecordSubject(name: name, attributes: ["own": 1, "_item_id": "7"]) == subject)
        let shared: Attributes = ["n": 1, "own": 2]
        let added = (["own": 1] as Attributes).adding(shared: shared, toRecord: name, limit: 10)
        #expect(added == (subject == .event ? ["own": 1, "n": 1] : ["own": 1]))
    }

    @Test(arguments: [true, false])
    func `a sign-in or sign-out is an event, although it is recorded as profile data`(_ isIn: Bool) {
        let attributes: Attributes = [CapturedKey.signedIn: .boolean(isIn)]
        #expect(RecordSubject(name: CapturedName.profileSet, attributes: attributes) == .event)
    }

    @Test
    func `shared attributes are not evaluated for a record that takes none`() {
        var asked = 0
        func shared() -> Attributes {
            asked += 1
            return ["n": 1]
        }
        _ = ([:] as Attributes).adding(shared: shared(), toRecord: CapturedName.profileUnset, limit: 10)
        #expect(asked == 0)
        _ = ([:] as Attributes).adding(shared: shared(), toRecord: "x", limit: 10)
        #expect(asked == 1)
    }

    @Test(arguments: [Int.min, -1, 0, 1, 2, .max])
    func `any attribute limit works without trapping`(_ limit: Int) {
        let added = (["own": 1] as Attributes).adding(shared: ["a": 1, "b": 2], toRecord: "x", limit: limit)
        #expect(added.count == 1 + min(2, max(0, limit)))
        var limits = EventLimits()
        limits.attributes = limit
        #expect((1...1_000_001).contains(limits.attributeCountLimit + 1))
    }

    @Test
    func `an event note is read only from attributes that the encoder wrote`() {
        var limits = EventLimits()
        limits.attributes = 4
        let bad: [(String, Attributes)] = [
            ("", [:]), ("x", ["nan": .double(.nan)]), ("x", ["": 1]),
            ("x", ["far": .date(Timestamp(milliseconds: .max))]), ("x", ["a": 1, "b": 1, "c": 1, "d": 1, "e": 1]),
            ("x", [String(repeating: "k", count: 200): 1]),
            ("x", ["long": .string(String(repeating: "k", count: 9_000))]),
            (String(repeating: "n", count: 200), [:]), ("a\u{1}", [:]),
        ]
        for (name, attributes) in bad {
            let event = Event(
                id: EventID(high: 0, low: 1),
                name: name,
                time: Timestamp(milliseconds: 0),
                monotonic: MonotonicTime(milliseconds: 0),
                attributes: attributes
            )
            var reported: [Diagnostic] = []
            let json = event.json(limits: limits) { reported.append($0) }
            let read = try? Event(json: json)
            #expect(
                RecordedLimitNote(read?.attributes ?? [:])?.code == reported.first?.code,
                "\(name.prefix(5)) \(attributes.keys)"
            )
        }
        #expect(RecordedLimitNote([:]) == nil)
        #expect(RecordedLimitNote(["_error_code": 404, "_error_message": "not found"]) == nil)
        #expect(RecordedLimitNote(["_error_code": "E7", "_error_message": "not found"]) == nil)
        #expect(RecordedLimitNote(["_error_code": "name_empty"]) == nil)
    }

    @Test
    func `mistakes are reported but add no note to records about people, items and the device`() throws {
        for name in [
            CapturedName.profileSet, CapturedName.profileUnset, CapturedName.profileIncrement, CapturedName.itemSet,
            CapturedName.deviceProperties,
        ] {
            let event = Event(
                id: EventID(high: 0, low: 1),
                name: name,
                time: Timestamp(milliseconds: 0),
                monotonic: MonotonicTime(milliseconds: 0),
                attributes: ["own": 1, "nan": .double(.nan)]
            )
            var reported: [Diagnostic] = []
            let read = try Event(json: event.json(limits: EventLimits()) { reported.append($0) })
            #expect(read.attributes == ["own": 1], "\(name)")
            #expect(reported.map(\.code) == [.numberNotFinite])
        }
    }
}
