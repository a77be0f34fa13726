// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayTesting

@testable internal import SAPUsageCompatibility

@Suite("Failed uploads and their successors")
struct UsageUploadFailureTests {
    private let app = UsageApp()
    private let backEnd = UploadBackEnd()

    /// The kind of store that is uploaded.
    enum Store: CaseIterable, Sendable {
        case module, own
    }

    private func configured(_ kind: Store, _ app: UsageApp) throws -> any UsageStoring {
        try app.configureWithConsent(kind == .own ? CustomStore(UsageApp.userID.uuidString) : nil)
    }

    private func report(_ numbers: Range<Int>, _ app: UsageApp) {
        for number in numbers {
            app.memory.clock.advance(by: .milliseconds(1))
            app.usage.reporter().report(
                SAPcpmsRecord.event(key: "many", date: app.environment.now.date, value: "\(number)")
            )
        }
    }

    private var values: [Int] { backEnd.storedEvents.compactMap { $0.value.flatMap { Int($0) } } }

    @Test(arguments: Store.allCases)
    func `an accepted report is removed before the next request, even if that one fails`(_ kind: Store) async throws {
        let store = try configured(kind, app)
        app.usage.reporter().report(app.start())
        report(0..<1_000, app)
        for accepted in [2, 1, 0] {
            let before = backEnd.requests
            backEnd.setResponse { _, number in number - before <= accepted ? .accept : .status(500) }
            #expect(await app.upload(to: backEnd) == .httpStatus(code: 500, body: ""))
        }
        backEnd.setResponse { _, _ in .accept }
        #expect(await app.upload(to: backEnd) == nil)
        #expect(values == Array(0..<1_000))
        #expect(backEnd.sessions.map { [$0.first, $0.last] } == [["SessionStart", "SessionEnd"]])
        #expect(app.events(store) == ["SessionStart"])
    }

    @Test(arguments: [1, 2, 3, 4])
    func `an accepted report is removed even if the process is killed later`(_ accepted: Int) async throws {
        var app = app
        try app.configureWithConsent()
        app.usage.reporter().report(app.start())
        report(0..<700, app)
        for _ in 0..<3 {
            let before = backEnd.requests
            backEnd.setResponse { _, number in number - before < accepted ? .accept : .loseResponse }
            // The process ends while it waits for a response.
            await app.upload(to: backEnd)
            app = app.restarted()
            try app.configureWithConsent()
        }
        backEnd.setResponse { _, _ in .accept }
        #expect([nil, .noData].contains(await app.upload(to: backEnd)))
        #expect(values == Array(0..<700))
        #expect(backEnd.sessions.count == 1)
        #expect(backEnd.repeatedRequests > 0)
    }

    @Test(
        arguments: [UploadBackEnd.Response.status(500), .status(503), .status(400), .offline, .status(401)],
        Store.allCases
    )
    func `a failed upload ends no session`(_ response: UploadBackEnd.Response, _ kind: Store) async throws {
        let store = try configured(kind, app)
        app.usage.reporter().report(app.start())
        backEnd.setResponse { _, _ in response }
        for number in 0..<5 {
            report(number..<number + 1, app)
            #expect(await app.upload(to: backEnd) != nil)
        }
        #expect(app.events(store) == ["SessionStart"] + Array(repeating: "many", count: 5))
        backEnd.setResponse { _, _ in .accept }
        #expect(await app.upload(to: backEnd) == nil)
        #expect(backEnd.sessions == [["SessionStart"] + Array(repeating: "many", count: 5) + ["SessionEnd"]])
        #expect(app.events(store) == ["SessionStart"])
    }

    @Test(arguments: Store.allCases, [1, 250])
    func `a request whose response was lost is repeated with the same bytes`(_ kind: Store, _ count: Int) async throws {
        _ = try configured(kind, app)
        app.usage.reporter().report(app.start())
        report(0..<count, app)
        backEnd.setResponse { _, _ in .loseResponse }
        for _ in 0..<3 {
            #expect(await app.upload(to: backEnd) == .network("timed_out: the response was lost"))
            report(count..<count + 1, app)
        }
        #expect(backEnd.repeatedRequests == 2)
        backEnd.setResponse { _, _ in .accept }
        #expect(await app.upload(to: backEnd) == nil)
        #expect(values == Array(0..<count) + [count, count, count])
        #expect(backEnd.sessions.allSatisfy { $0.count > 2 })
    }

    @Test(arguments: Store.allCases)
    func `a session end right after an upload belongs to the uploaded session, and no empty session is sent`(
        _ kind: Store
    ) async throws {
        _ = try configured(kind, app)
        app.usage.reporter().report(app.start())
        report(0..<1, app)
        #expect(await app.upload(to: backEnd) == nil)
        app.memory.clock.advance(by: .seconds(5))
        app.usage.reporter().report(.sessionEnd, date: app.environment.now.date)
        app.usage.reporter().report(app.start())
        report(1..<2, app)
        #expect(await app.upload(to: backEnd) == nil)
        #expect(backEnd.sessions.count == 2)
        #expect(values == [0, 1])
    }

    @Test(arguments: 1...3)
    func `records stored while an upload takes its snapshot are sent by the next upload`(_ records: Int) async throws {
        let store = CustomStore(UsageApp.userID.uuidString)
        try app.configureWithConsent(store)
        app.usage.reporter().report(app.start())
        var next = 0
        store.onSnapshot = {
            // Recording these events takes no further snapshot.
            report(next..<next + records, app)
            next += records
        }
        for _ in 0..<5 { _ = await app.upload(to: backEnd) }
        store.onSnapshot = {}
        #expect([nil, .noData].contains(await app.upload(to: backEnd)))
        #expect(next >= 5 * records)
        #expect(values == Array(0..<next))
        #expect(app.events(store) == ["SessionStart"])
    }

    @Test(arguments: [499, 500, 501, 1_205])
    func `a custom store with many records is read in parts, and each record once`(_ records: Int) async throws {
        let store = CustomStore(UsageApp.userID.uuidString)
        try app.configureWithConsent(store)
        app.usage.reporter().report(app.start())
        report(0..<records, app)
        #expect(await app.upload(to: backEnd) == nil)
        #expect(values == Array(0..<records))
        #expect(app.events(store) == ["SessionStart"])
        #expect(store.overlaps == 0)
    }

    @Test(arguments: Store.allCases)
    func `a session that an upload began is not sent if the app begins another one immediately`(_ kind: Store)
        async throws
    {
        let store = try configured(kind, app)
        app.usage.reporter().report(app.start())
        report(0..<1, app)
        #expect(await app.upload(to: backEnd) == nil)
        app.usage.reporter().report(app.start())
        report(1..<2, app)
        #expect(await app.upload(to: backEnd) == nil)
        #expect(backEnd.sessions == Array(repeating: ["SessionStart", "many", "SessionEnd"], count: 2))
        #expect(app.events(store).count == 1)
    }

    @Test
    func `a killed process's session ends at its last record`() async throws {
        try app.configureWithConsent()
        app.usage.reporter().report(app.start())
        app.memory.clock.advance(by: .seconds(3))
        report(0..<1, app)
        app.memory.clock.advance(by: .seconds(3_600))
        let next = app.restarted()
        let store = try next.configureWithConsent()
        #expect(await next.upload(to: backEnd) == nil)
        #expect(backEnd.sessions == [["SessionStart", "many", "SessionEnd"]])
        let end = try #require(backEnd.storedEvents.last)
        #expect(try JSONValue.parse(Array(end.json.utf8))["duration"]?.string == "3.001")
        #expect(next.events(store).isEmpty)
        // The next process begins a new session.
        next.usage.reporter().report(next.start())
        report(1..<2, next)
        #expect(await next.upload(to: backEnd) == nil)
        #expect(backEnd.sessions == Array(repeating: ["SessionStart", "many", "SessionEnd"], count: 2))
    }

    @Test(arguments: [true, false])
    func `a process without a session start reports in the previous session`(_ isUploaded: Bool) async throws {
        try app.configureWithConsent()
        app.usage.reporter().report(app.start())
        report(0..<1, app)
        if isUploaded { #expect(await app.upload(to: backEnd) == nil) }
        let next = app.restarted()
        try next.configureWithConsent()
        report(1..<2, next)
        #expect(await next.upload(to: backEnd) == nil)
        #expect(values == [0, 1])
        #expect(backEnd.sessions.count == (isUploaded ? 2 : 1))
    }

    @Test(arguments: [413, 500])
    func `every record is sent once even if others are rejected`(_ status: Int) async throws {
        let store = try app.configureWithConsent()
        app.usage.reporter().report(app.start())
        report(0..<300, app)
        // A body with this record is rejected.
        backEnd.setResponse { request, _ in
            String(decoding: request.body, as: UTF8.self).contains(#""value":"70""#) ? .status(status) : .accept
        }
        let error = await app.upload(to: backEnd)
        if status == 413 {
            #expect(error == nil)
            #expect(values == Array(0..<300).filter { $0 != 70 })
            #expect(store.snapshot(for: "default").all.map { $0.info["value"] as? String } == ["70", nil])
            report(300..<310, app)
            let before = backEnd.requests
            #expect(await app.upload(to: backEnd) == nil)
            #expect(backEnd.requests == before + 1)
            #expect(app.events(store).count == 2)
        } else {
            #expect(error == .httpStatus(code: 500, body: ""))
            #expect(values.isEmpty)
            #expect(app.events(store).count == 301)
        }
    }

    @Test(arguments: Store.allCases)
    func `a server that rejects every body size is reported after a few requests`(_ kind: Store) async throws {
        let store = try configured(kind, app)
        app.usage.reporter().report(app.start())
        report(0..<450, app)
        backEnd.setResponse { _, _ in .status(413) }
        #expect(await app.upload(to: backEnd) == .httpStatus(code: 413, body: ""))
        #expect(backEnd.requests < 24)
        #expect(app.events(store).count == 451)
        // A smaller limit is detected and then used.
        backEnd.setResponse { request, _ in request.body.count > 2_000 ? .status(413) : .accept }
        #expect(await app.upload(to: backEnd) == nil)
        #expect(values == Array(0..<450))
        #expect(app.events(store) == ["SessionStart"])
    }

    @Test(
        arguments: [(TestScale.count(900, full: 3_000), false), (450, true), (200, true), (201, true), (500, false)],
        Store.allCases
    )
    func `equal events stay distinct in every report`(_ load: (count: Int, isOneDate: Bool), _ kind: Store) async throws
    {
        _ = try configured(kind, app)
        app.usage.reporter().report(app.start())
        for number in 0..<load.count {
            if !load.isOneDate, number.isMultiple(of: 37) { app.memory.clock.advance(by: .milliseconds(1)) }
            app.usage.reporter().report(
                SAPcpmsRecord.event(type: "userInteraction", key: "Tap", date: app.environment.now.date, view: "Game")
            )
        }
        backEnd.setResponse { _, number in number == 2 ? .loseResponse : .accept }
        await app.upload(to: backEnd)
        await app.upload(to: backEnd)
        // A receiver identifies an event by its session, its content, and the number of equal events before it in the
        // report.
        var known: Set<[String]> = []
        for report in backEnd.reports {
            var counts: [[String]: Int] = [:]
            for event in report where event.key == "Tap" {
                let content = [event.session, event.json]
                counts[content, default: 0] += 1
                known.insert(content + ["\(counts[content] ?? 0)"])
            }
        }
        #expect(known.count == load.count)
        #expect(backEnd.storedEvents.count { $0.key == "Tap" } == load.count)
    }

    @Test(arguments: Store.allCases)
    func `equal events of one session in two uploads stay distinct`(_ kind: Store) async throws {
        _ = try configured(kind, app)
        app.usage.reporter().report(app.start())
        let date = app.environment.now.date
        app.usage.reporter().report(.event("a"), date: date)
        app.usage.reporter().report(.sessionEnd, date: date)
        #expect(await app.upload(to: backEnd) == nil)
        app.usage.reporter().report(.event("a"), date: date)
        #expect(await app.upload(to: backEnd) == nil)
        let taps = backEnd.storedEvents.filter { $0.key == "a" }
        #expect(taps.count == 2)
        #expect(Set(taps).count == 2)
        #expect(backEnd.sessions.count == 1)
    }

    @Test
    func `withheld records do not block others, stay in order, and are sent when possible`() async throws {
        var app = app
        let store = try app.configureWithConsent()
        let reporter = app.usage.reporter()
        reporter.report(.event("early"))
        reporter.report(app.start("another"))
        reporter.report(.event("other"))
        for round in 0..<10 {
            app.usage.reporter().report(app.start())
            report(round * 400..<(round + 1) * 400, app)
            #expect(await app.upload(to: backEnd) == nil)
        }
        #expect(values == Array(0..<4_000))
        let staying = ["early", "SessionStart", "other"]
        #expect(app.events(store) == staying + ["SessionStart"])
        // The only segment left in the log is the one being written.
        #expect(app.segments <= 1)
        app = app.restarted()
        let reopened = try app.configureWithConsent()
        #expect(app.events(reopened) == staying + ["SessionStart"])
        let other = UploadBackEnd()
        #expect(await app.upload(to: other, as: "another") == nil)
        #expect(other.sessions == [["SessionStart", "other"]])
        #expect(app.events(reopened) == ["early", "SessionStart"])
        reopened.removeRecords(before: .distantFuture, after: nil, targetID: "default")
        #expect(app.events(reopened).isEmpty)
    }

    @Test(arguments: [1, 40])
    func `a removal by date withholds the remaining records, so that their segments are deleted`(_ staying: Int) throws
    {
        let store = try app.configureWithConsent()
        let lateDate = app.environment.now.date + 1_000_000
        for number in 0..<staying { app.usage.reporter().report(.event("late \(number)"), date: lateDate) }
        for round in 0..<5 {
            report(0..<TestScale.count(600, full: 2_000), app)
            store.removeRecords(before: app.environment.now.date, after: nil, targetID: "default")
            #expect(store.snapshot(for: "default").recordCount() == staying, "\(round)")
        }
        #expect(app.events(store) == (0..<staying).map { "late \($0)" })
        #expect(app.segments <= 1)
        let next = app.restarted()
        #expect(next.events(try next.store(of: UsageApp.userID)).count == staying)
    }

    @Test
    func `unattributed records that cannot be removed one by one are sent once and do not block others`() async throws {
        let store = try app.configureWithConsent()
        let parked = CustomStore(Usage.unattributedStorageID)
        parked.store(record: UsageRecord(.event("no session"), date: app.environment.now.date), for: "default")
        parked.store(record: app.start(), for: "default")
        parked.store(record: UsageRecord(.event("anon"), date: app.environment.now.date), for: "default")
        app.usage.reporter().report(app.start())
        report(0..<1, app)
        for _ in 0..<3 { await app.upload(to: backEnd, unattributed: parked.snapshot(for: "default")) }
        #expect(backEnd.storedEvents.count { $0.key == "anon" } == 1)
        #expect(values == [0])
        try #require(parked.storedRecords.count == 3)
        #expect(app.events(store) == ["SessionStart"])
        // Once every record can be sent, the whole store is removed.
        parked.storedRecords.removeFirst()
        parked.store(record: UsageRecord(.event("later"), date: app.environment.now.date), for: "default")
        await app.upload(to: backEnd, unattributed: parked.snapshot(for: "default"))
        #expect(parked.storedRecords.isEmpty)
        #expect(backEnd.storedEvents.count { $0.key == "anon" } == 1)
        #expect(backEnd.storedEvents.count { $0.key == "later" } == 1)
    }

    @Test
    func `a rejected part does not prevent the other from being sent`() async throws {
        let unattributedStore = try app.store()
        unattributedStore.store(record: app.start(), for: "default")
        unattributedStore.store(record: UsageRecord(.event("anon"), date: app.environment.now.date), for: "default")
        try app.configureWithConsent()
        app.usage.reporter().report(app.start())
        report(0..<1, app)
        backEnd.setResponse { request, _ in
            String(decoding: request.body, as: UTF8.self).contains("anon") ? .status(400) : .accept
        }
        let error = await app.upload(to: backEnd, unattributed: unattributedStore.snapshot(for: "default"))
        #expect(error == .httpStatus(code: 400, body: ""))
        #expect(values == [0])
        #expect(app.events(unattributedStore) == ["SessionStart", "anon"])
    }
}
