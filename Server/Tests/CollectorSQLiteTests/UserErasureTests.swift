// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal
internal import TrackwayTesting

@testable internal import CollectorSQLite

/// A test event with a unique text.
private struct MarkedEvent {
    let number: UInt64
    var installation: UInt64?
    var user: String?
    var time: Int64
    var isRejected = false

    var mark: String { "mark-\(number)-end" }

    var context: String {
        user.map { #"{"context":{"user":{"id":"\#($0)","attributes":{"name":"\#($0)-name"}}}}"# } ?? #"{"context":{}}"#
    }

    var line: String {
        CollectorSQLiteTests.line(
            number,
            isRejected ? "" : "view",
            time: 1_700_000_000_000 + time,
            attributes: #"{"mark":"\#(mark)"}"#
        )
    }
}

@Suite("Erased users")
struct UserErasureTests {
    /// Appends events in batches of up to three events, in formats that allow them.
    private static func append(_ events: [MarkedEvent], to environment: IndexEnvironment, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var next: [UInt64: UInt64] = [:]
        var rest = events[...]
        while let first = rest.first {
            let isVendor = first.installation == nil || Bool.random(using: &generator)
            let size = Int.random(in: 1...3, using: &generator)
            let part = rest.prefix(size).prefix { isVendor || $0.installation == first.installation }
            rest = rest.dropFirst(part.count)
            var batch = Batch()
            if isVendor {
                batch.format = "clickstream"
                for event in part {
                    let id = event.installation.map { #""installation":"\#(InstallationID.numbered($0))""# } ?? ""
                    batch.lines += ["{\"batch\":{\(id)}}", event.context, event.line]
                }
            } else if let installation = first.installation {
                let start = next[installation, default: 1]
                next[installation] = start + UInt64(part.count)
                batch = Batch(installation, installation, start...start + UInt64(part.count) - 1)
                batch.lines = part.flatMap { [$0.context, $0.line] }
            }
            batch.rejected = part.enumerated().filter(\.element.isRejected).map { ($0.offset, "name_empty") }
            batch.isCompressed = Bool.random(using: &generator)
            try environment.append(batch)
        }
    }

    /// Returns everything in a folder's files, and the inflated bodies of the log.
    private static func content(of environment: IndexEnvironment) throws -> Content {
        var content = Content()
        for name in try FileManager.default.subpathsOfDirectory(atPath: environment.folder) {
            content.files[name] = FileManager.default.contents(atPath: environment.folder + "/" + name) ?? Data()
        }
        var log: [UInt8] = []
        var reader = LogReader(folder: environment.folder + "/intake")
        while let entry = try reader.next() {
            let payload = reader.payload(of: entry)
            guard entry.kind == .intake else { continue }
            let record = try payload.withUnsafeBytes { bytes in Result { try IntakeRecord(payload: bytes) } }.get()
            log += record.header.encoding == .gzip ? try Gzip.inflate(record.body) : record.body
        }
        content.log = Data(log)
        return content
    }

    /// The bytes of a collector's files.
    private struct Content {
        var files: [String: Data] = [:]
        /// The inflated bodies of the log.
        var log = Data()

        /// Returns the names of the files that contain a text.
        func files(with text: String) -> [String] {
            files.filter { $0.value.range(of: Data(text.utf8)) != nil }.map(\.key).sorted()
        }

        func logContains(_ text: String) -> Bool { log.range(of: Data(text.utf8)) != nil }
    }

    private static func ids(_ environment: IndexEnvironment) async throws -> Set<EventID> {
        Set(try await environment.all().map(\.id))
    }

    @Test
    func `erasing a user removes the user's data from every file, and keeps everyone else's`() async throws {
        let environment = try IndexEnvironment()
        let events = [
            MarkedEvent(number: 1, installation: 1, time: 1),
            MarkedEvent(number: 2, installation: 1, user: "anna", time: 2),
            MarkedEvent(number: 3, installation: 1, time: 3),
            MarkedEvent(number: 4, installation: 2, time: 1),
            MarkedEvent(number: 5, installation: 2, user: "anna", time: 2),
            MarkedEvent(number: 6, installation: 2, time: 3),
            MarkedEvent(number: 7, installation: 2, user: "bob", time: 4),
            MarkedEvent(number: 8, user: "anna", time: 5),
            MarkedEvent(number: 9, user: "bob", time: 5),
        ]
        try Self.append(events, to: environment, seed: 1)
        try await environment.index()
        let receipt = try #require(try await environment.erase(user: "anna"))
        let left = try await Self.ids(environment)
        #expect(left == Set([6, 7, 9].map { EventID.numbered($0) }))
        let content = try Self.content(of: environment)
        #expect(content.files(with: "anna").isEmpty)
        #expect(!content.logContains("anna"))
        for event in events {
            let isLeft = [6, 7, 9].contains(event.number)
            #expect(content.logContains(event.mark) == isLeft, "\(event.number)")
            if !isLeft { #expect(content.files(with: event.mark).isEmpty, "\(event.number)") }
        }
        #expect(receipt.subject == .user && receipt.log.events == 6 && receipt.indexedEvents == 6)
        #expect(receipt.installations == 1 && receipt.sharedInstallations == 1)
        #expect(receipt.isSigned(with: IndexEnvironment.erasureKey))
        #expect(receipt.isIssued(for: "anna", key: IndexEnvironment.erasureKey))
        #expect(!receipt.isIssued(for: "bob", key: IndexEnvironment.erasureKey))
        #expect(environment.store.isErased(user: "anna") && !environment.store.isErased(user: "bob"))
        #expect(environment.store.isErased(.numbered(1)) && !environment.store.isErased(.numbered(2)))
        #expect(environment.erasures.plans.isEmpty)
    }

    @Test(arguments: 1...60)
    func `what an erasure removes follows the identity rules, whatever the order of arrival`(seed: UInt64) async throws
    {
        var generator = SeededGenerator(seed: seed)
        var events = (1...UInt64(24)).map { number in
            MarkedEvent(
                number: number,
                installation: [nil, 1, 1, 2, 2, 3].randomElement(using: &generator) ?? nil,
                user: [nil, "anna", "bob", "cleo"].randomElement(using: &generator) ?? nil,
                time: Int64.random(in: 0...40, using: &generator) * 60_000,
                isRejected: Int.random(in: 0...9, using: &generator) == 0
            )
        }
        // Within one millisecond, the order of two users' sign-ins depends on a hash, which is tested elsewhere.
        for index in events.indices { events[index].time += Int64(index) }
        let environment = try IndexEnvironment(segmentBytes: 4_096, eventsPerStep: 5)
        try Self.append(events.shuffled(using: &generator), to: environment, seed: seed)
        try await environment.index()
        let duplicates = Bool.random(using: &generator)
        if duplicates {
            try Self.append(Array(events.prefix(6)), to: environment, seed: seed + 1_000)
            try await environment.index()
        }
        try await environment.erase(user: "anna")
        let erased = events.filter { Self.isErased($0, in: events) }
        let left = events.filter { event in !event.isRejected && !erased.contains { $0.number == event.number } }
        #expect(try await Self.ids(environment) == Set(left.map { EventID.numbered($0.number) }))
        let content = try Self.content(of: environment)
        #expect(content.files(with: "anna").isEmpty)
        #expect(!content.logContains("anna"))
        for event in events {
            let isErased = erased.contains { $0.number == event.number }
            #expect(content.logContains(event.mark) == !isErased, "\(event)")
            if isErased { #expect(content.files(with: event.mark).isEmpty, "\(event)") }
        }
        let totals = try await environment.store.totals()
        #expect(totals.events == UInt64(left.count))
        // An index that is built from the rewritten log is the same.
        let before = try environment.dump()
        try await environment.indexer.rebuild()
        try await environment.index()
        #expect(try await Self.ids(environment) == Set(left.map { EventID.numbered($0.number) }))
        let old = Self.comparable(before, counts: !duplicates)
        let new = Self.comparable(try environment.dump(), counts: !duplicates)
        #expect(new.filter { !old.contains($0) }.isEmpty)
        #expect(old.filter { !new.contains($0) }.isEmpty)
        #expect(old == new)
    }

    @Test(arguments: 1...40)
    func `an export contains what an erasure would remove, except what later visitors did`(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        var events = (1...UInt64(24)).map { number in
            MarkedEvent(
                number: number,
                installation: [nil, 1, 1, 2, 2, 3].randomElement(using: &generator) ?? nil,
                user: [nil, "anna", "bob", "cleo"].randomElement(using: &generator) ?? nil,
                time: Int64.random(in: 0...40, using: &generator) * 60_000,
                isRejected: Int.random(in: 0...5, using: &generator) == 0
            )
        }
        for index in events.indices { events[index].time += Int64(index) }
        events.append(MarkedEvent(number: 25, user: "anna", time: 50 * 60_000))
        let environment = try IndexEnvironment(segmentBytes: 4_096, eventsPerStep: 5)
        try Self.append(events.shuffled(using: &generator), to: environment, seed: seed)
        try await environment.index()
        let (archive, counts) = try await environment.export(.user("anna"), pageEvents: 3)
        let files = try ZipReader.files(in: archive)
        let erased = events.filter { Self.isErased($0, in: events) }
        // After the last sign-in on an installation, its visitor is another person, who has an export of their own.
        let visits = events.filter { event in
            event.user == nil && event.installation != nil
                && !events.contains {
                    $0.installation == event.installation && $0.user != nil && !$0.isRejected && $0.time >= event.time
                }
        }
        let own = erased.filter { event in event.isRejected || !visits.contains { $0.number == event.number } }
        let accepted = Set(own.filter { !$0.isRejected }.map { EventID.numbered($0.number).description })
        let rows = try ZipReader.rows(files["events.json"])
        #expect(Set(rows.compactMap { $0["id"]?.string }) == accepted && rows.count == accepted.count)
        #expect(rows.map { $0["time"]?.integer ?? 0 } == rows.map { $0["time"]?.integer ?? 0 }.sorted(by: >))
        let rejected = try ZipReader.rows(files["rejected.json"]).compactMap { $0["content"]?.string }
        let refused = erased.filter(\.isRejected)
        #expect(rejected.count == refused.count)
        for event in refused { #expect(rejected.contains { $0.contains(event.mark) }, "\(event)") }
        for name in ["events.csv", "rejected.csv"] {
            let text = String(decoding: files[name] ?? [], as: UTF8.self)
            for event in events where event.isRejected == (name == "rejected.csv") {
                #expect(text.contains(event.mark) == own.contains { $0.number == event.number }, "\(event)")
            }
        }
        #expect(counts.events == accepted.count && counts.rejected == refused.count)
        // Nothing about the other users, not even their ids.
        for (name, content) in files {
            let text = String(decoding: content, as: UTF8.self)
            #expect(!text.contains("bob") && !text.contains("cleo"), "\(name)")
        }
        let preview = try #require(try await environment.store.erasurePreview(of: "anna"))
        #expect(preview.events >= counts.events && preview.installations.count == counts.installations)
    }

    @Test(arguments: 1...20)
    func `exports of all people contain each event with a person once`(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        var events = (1...UInt64(24)).map { number in
            MarkedEvent(
                number: number,
                installation: [1, 1, 2, 2, 3].randomElement(using: &generator) ?? 1,
                user: [nil, nil, "anna", "bob"].randomElement(using: &generator) ?? nil,
                time: Int64.random(in: 0...40, using: &generator) * 60_000
            )
        }
        for index in events.indices { events[index].time += Int64(index) }
        let environment = try IndexEnvironment(eventsPerStep: 5)
        try Self.append(events.shuffled(using: &generator), to: environment, seed: seed)
        try await environment.index()
        let users = Set(events.compactMap(\.user)).map { PersonKey.user($0) }
        let visitors = Set(events.compactMap(\.installation)).map { PersonKey.visitor(.numbered($0)) }
        var found: [String: [PersonKey]] = [:]
        for person in users + visitors {
            guard let profile = try await environment.store.profile(ProfileQuery(person)) else { continue }
            // The visitor of an installation with one user is that user.
            if case .visitor = person, profile.person.id != nil { continue }
            let files = try ZipReader.files(in: try await environment.export(person, pageEvents: 7).archive)
            for row in try ZipReader.rows(files["events.json"]) {
                found[row["id"]?.string ?? "", default: []].append(person)
            }
        }
        for event in events { #expect(found[EventID.numbered(event.number).description]?.count == 1, "\(event)") }
    }

    @Test
    func `the content of a batch that was rejected as a whole is not exported, because it may be others'`() async throws
    {
        let environment = try await Self.indexedSample()
        for user in ["anna", "bob"] {
            let reason = AdmissionError(.malformed, code: .malformedJSON, field: "", message: "no JSON")
            let body = Array(#"{"user":"\#(user)","friend":"cleo-secret""#.utf8)
            try environment.append(
                QuarantineRecord.bytes(
                    reason,
                    body: body,
                    bodyBytes: body.count,
                    key: "k",
                    received: Timestamp(milliseconds: 1_700_000_000_000)
                ),
                kind: .quarantine
            )
        }
        try await environment.index()
        let (archive, counts) = try await environment.export(.user("anna"), pageEvents: 2)
        let files = try ZipReader.files(in: archive)
        #expect(counts.rejected == 1)
        #expect(try ZipReader.rows(files["rejected.json"]).map { $0["content"]?.string } == [""])
        for content in files.values { #expect(!String(decoding: content, as: UTF8.self).contains("cleo-secret")) }
    }

    @Test
    func `an export fails and stays incomplete if its person is erased meanwhile`() async throws {
        let environment = try await Self.indexedSample()
        let export = try #require(try await environment.preparedExport(.user("anna"), pageEvents: 1))
        try await environment.erase(user: "anna")
        let archive = Locked<[UInt8]>([])
        await #expect(throws: (any Error).self) {
            try await export.write { bytes in archive.withLock { $0 += bytes } }
        }
        #expect(ZipWriter.comment(ofArchiveEndingWith: archive.withLock { $0 }) == nil)
        #expect(try await environment.preparedExport(.user("anna"), pageEvents: 1) == nil)
    }

    @Test
    func `events that arrive during an export are in none of its files`() async throws {
        let environment = try await Self.indexedSample()
        let export = try #require(try await environment.preparedExport(.user("anna"), pageEvents: 1))
        try Self.append([MarkedEvent(number: 77, user: "anna", time: 99)], to: environment, seed: 5)
        try await environment.index()
        let files = try ZipReader.files(in: try await export.archive())
        for content in files.values { #expect(!String(decoding: content, as: UTF8.self).contains("mark-77-end")) }
        #expect(try ZipReader.rows(files["events.json"]).count == 5)
    }

    // MARK: Repeated and unknown erasures

    private static let sample = [
        MarkedEvent(number: 1, installation: 1, time: 1),
        MarkedEvent(number: 2, installation: 1, user: "anna", time: 2),
        MarkedEvent(number: 3, installation: 1, time: 3), MarkedEvent(number: 4, installation: 2, time: 1),
        MarkedEvent(number: 5, installation: 2, user: "anna", time: 2),
        MarkedEvent(number: 6, installation: 2, time: 3),
        MarkedEvent(number: 7, installation: 2, user: "bob", time: 4), MarkedEvent(number: 8, user: "anna", time: 5),
        MarkedEvent(number: 9, user: "bob", time: 5),
    ]
    /// The numbers of the sample's events that an erasure of anna leaves.
    private static let left = Set([6, 7, 9].map { EventID.numbered($0) })

    /// Creates an index of the sample, in segments of one batch each.
    private static func indexedSample() async throws -> IndexEnvironment {
        let environment = try IndexEnvironment(segmentBytes: 4_096)
        try append(sample, to: environment, seed: 1)
        for event in sample.prefix(3) {
            // Fills segments with events of another user.
            var batch = Batch(9, 9, event.number...event.number)
            batch.lines = [
                #"{"context":{"user":{"id":"cleo"}}}"#,
                line(100 + event.number, attributes: #"{"text":"\#(String(repeating: "x", count: 3_000))"}"#),
            ]
            try environment.append(batch)
        }
        try append([sample[1], sample[4]], to: environment, seed: 2)
        try await environment.index()
        return environment
    }

    private static let others = Set((UInt64(101)...103).map { EventID.numbered($0) })

    /// Installs an eraser with a fixed clock, so that no pass waits.
    @discardableResult
    private static func setEraser(
        of environment: IndexEnvironment,
        clock: ManualClock = ManualClock()
    ) -> LogEraser {
        let eraser = LogEraser(
            folder: environment.folder + "/intake",
            queue: environment.erasures,
            limits: AdmissionLimits(),
            clock: clock,
            completeSegment: { [log = environment.log] in try log.completeSegment() },
            commit: { [log = environment.log] kind, record in
                _ = try record.withUnsafeBytes { try log.append(kind: kind, payload: $0) }
            }
        )
        environment.indexer.setEraser(eraser)
        return eraser
    }

    /// Checks that the index is the same when it is built again.
    private static func expectSameIndexAfterRebuild(
        _ environment: IndexEnvironment,
        counts: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await environment.index()
        let old = comparable(try environment.dump(), counts: counts)
        try await environment.indexer.rebuild()
        try await environment.index()
        let new = comparable(try environment.dump(), counts: counts)
        #expect(new.filter { !old.contains($0) }.isEmpty, sourceLocation: sourceLocation)
        #expect(old.filter { !new.contains($0) }.isEmpty, sourceLocation: sourceLocation)
    }

    @Test
    func `erasing a user twice gives two receipts, and the second erases nothing`() async throws {
        let environment = try await Self.indexedSample()
        let first = try #require(try await environment.erase(user: "anna"))
        let second = try #require(try await environment.erase(user: "anna", received: 1_800_000_000_001))
        #expect(first.id != second.id && first.identity == second.identity)
        #expect(first.log.events == 8 && first.indexedEvents == 8)
        #expect(second.log.isEmpty && second.indexedEvents == 0)
        #expect(second.installations == 0 && second.sharedInstallations == 0)
        #expect(second.isSigned(with: IndexEnvironment.erasureKey))
        #expect(try environment.erasures.receipts().map(\.id) == [second.id, first.id])
        #expect(try await Self.ids(environment) == Self.left.union(Self.others))
        try await Self.expectSameIndexAfterRebuild(environment, counts: false)
        #expect(environment.erasures.plans.isEmpty && environment.store.isErased(user: "anna"))
    }

    @Test
    func `erasing an unknown user changes nothing, and refuses the user's later events`() async throws {
        let environment = try await Self.indexedSample()
        func rows() throws -> [String] {
            Self.comparable(try environment.dump(), counts: true).filter { row in
                !["erased_users ", "progress "].contains { row.hasPrefix($0) }
            }
        }
        let (before, log) = (try rows(), try Self.content(of: environment).log)
        let receipt = try #require(try await environment.erase(user: "unknown-user"))
        #expect(receipt.log.isEmpty && receipt.indexedEvents == 0)
        #expect(receipt.installations == 0 && receipt.sharedInstallations == 0)
        #expect(try rows() == before)
        #expect(try Self.content(of: environment).log == log)
        #expect(try Self.content(of: environment).files(with: "unknown-user").isEmpty)
        #expect(environment.store.isErased(user: "unknown-user"))
        let late = MarkedEvent(number: 20, installation: 5, user: "unknown-user", time: 9)
        try Self.append([late], to: environment, seed: 3)
        try await environment.index()
        #expect(try await Self.ids(environment) == Set(Self.sample.map { .numbered($0.number) }).union(Self.others))
        Self.setEraser(of: environment)
        try await environment.indexer.completeErasures()
        #expect(try !Self.content(of: environment).logContains(late.mark))
    }

    @Test
    func `replayed events are erased in both of their records`() async throws {
        let environment = try IndexEnvironment()
        var batch = Batch(1, 1, 1...4)
        let bob = #"{"context":{"user":{"id":"bob"}}}"#
        batch.lines = [
            bob, line(1), #"{"context":{"user":{"id":"anna"}}}"#, #"{"name":"late"}"#, line(3, "also"), bob, line(4),
        ]
        batch.rejected = [(1, "old_rule"), (2, "old_rule")]
        let start = LogPosition(segment: 1, offset: environment.log.end.offset)
        try environment.append(batch)
        try await environment.index()
        let failed = try await environment.store.failed(before: nil, limit: 9)
        #expect(failed.count == 2)
        let replay = Replay(admission: Admission(), at: Timestamp(milliseconds: 1_700_000_900_000), key: "desk") { _ in
            false
        }
        let outcome = replay.outcome(of: failed, kind: .intake, payload: batch.record)
        #expect(outcome.admitted == 2 && start.segment == 1)
        try environment.append(try #require(outcome.record))
        try await environment.index()
        #expect(try await environment.all().count == 4)
        let receipt = try #require(try await environment.erase(user: "anna"))
        #expect(receipt.log.events == 2 && receipt.log.rejected == 2 && receipt.log.records == 2)
        #expect(receipt.indexedEvents == 2)
        #expect(try await Self.ids(environment) == Set([1, 4].map { .numbered($0) }))
        let content = try Self.content(of: environment)
        for trace in ["anna", "late", "also"] { #expect(!content.logContains(trace), "\(trace)") }
        #expect(try await environment.store.failed(before: nil, limit: 9).isEmpty)
        let row = try #require(try await environment.row())
        #expect(row.recorded == 4 && row.received == 2 && row.gaps.isEmpty && row.dropped == ["erased": 2])
        try await Self.expectSameIndexAfterRebuild(environment)
    }

    // MARK: Interrupted erasures

    @Test(arguments: 1...4)
    func `events that arrive while their user is erased are removed by a follow-up`(steps: Int) async throws {
        let environment = try await Self.indexedSample()
        let eraser = Self.setEraser(of: environment)
        try environment.requestErasure(of: "anna")
        try await environment.index()
        for _ in 0..<steps {
            #expect(try await eraser.advance(environment.store, plan: nil) == .advanced)
        }
        let late = [
            MarkedEvent(number: 30, installation: 1, time: 50),
            MarkedEvent(number: 31, installation: 2, user: "anna", time: 51),
            MarkedEvent(number: 32, user: "anna", time: 52, isRejected: true),
            MarkedEvent(number: 33, user: "bob", time: 53),
            MarkedEvent(number: 34, installation: 6, user: "anna", time: 54),
        ]
        for event in late { try Self.append([event], to: environment, seed: event.number) }
        try await environment.index()
        #expect(environment.erasures.plans.contains { $0.isFollowUp })
        try await environment.indexer.completeErasures()
        #expect(environment.erasures.plans.isEmpty)
        #expect(try environment.erasures.receipts().count == 1)
        try await environment.index()
        #expect(try await Self.ids(environment) == Self.left.union(Self.others).union([.numbered(33)]))
        let content = try Self.content(of: environment)
        #expect(content.files(with: "anna").isEmpty && !content.logContains("anna"))
        for event in late { #expect(content.logContains(event.mark) == (event.number == 33), "\(event)") }
        #expect(try await environment.store.failed(before: nil, limit: 9).isEmpty)
        try await Self.expectSameIndexAfterRebuild(environment, counts: false)
    }

    @Test(arguments: 0...5, [false, true])
    func `an erasure interrupted by a restart is completed, even with a new index`(
        steps: Int,
        isIndexDeleted: Bool
    ) async throws {
        let undisturbed = try await Self.indexedSample()
        let expected = try #require(try await undisturbed.erase(user: "anna"))
        try await undisturbed.index()
        let environment = try await Self.indexedSample()
        let eraser = Self.setEraser(of: environment)
        try environment.requestErasure(of: "anna")
        try await environment.index()
        for _ in 0..<steps { _ = try await eraser.advance(environment.store, plan: nil) }
        if isIndexDeleted {
            try environment.store.close()
            for suffix in ["", "-wal", "-shm"] {
                let path = environment.path + suffix
                if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
            }
        }
        try environment.restart()
        try await environment.index()
        try await environment.indexer.completeErasures()
        try await environment.index()
        #expect(environment.erasures.plans.isEmpty)
        let receipt = try #require(try environment.erasures.receipts().first)
        #expect(receipt.id == expected.id && receipt.log == expected.log)
        #expect(receipt.installations == expected.installations)
        #expect(receipt.sharedInstallations == expected.sharedInstallations)
        #expect(receipt.isSigned(with: IndexEnvironment.erasureKey))
        #expect(try await Self.ids(environment) == Self.left.union(Self.others))
        let content = try Self.content(of: environment)
        #expect(content.files(with: "anna").isEmpty && !content.logContains("anna"))
        #expect(content.log == (try Self.content(of: undisturbed).log))
        let rows = Self.comparable(try environment.dump(), counts: false)
        #expect(rows == Self.comparable(try undisturbed.dump(), counts: false))
    }

    // MARK: Installations

    @Test
    func `an installation that erases itself disappears from the log, too`() async throws {
        let environment = try await Self.indexedSample()
        Self.setEraser(of: environment)
        var batch = Batch(4, 4, 1...1)
        batch.lines = [erasedLine(301, of: .numbered(1))]
        try environment.append(batch)
        try await environment.index()
        try await environment.indexer.completeErasures()
        let receipt = try #require(try environment.erasures.receipts().first)
        #expect(receipt.subject == .installation && !receipt.isByOperator && receipt.key == "dev")
        #expect(receipt.log.events == 4 && receipt.log.sharedEvents == 0 && receipt.installations == 1)
        #expect(receipt.isIssued(for: InstallationID.numbered(1).description, key: IndexEnvironment.erasureKey))
        let content = try Self.content(of: environment)
        for event in Self.sample {
            #expect(content.logContains(event.mark) == (event.installation != 1), "\(event)")
            if event.installation == 1 { #expect(content.files(with: event.mark).isEmpty, "\(event)") }
        }
        #expect(content.logContains("_installation_erased"))
        try await Self.expectSameIndexAfterRebuild(environment)
        #expect(environment.store.isErased(.numbered(1)) && environment.erasures.plans.isEmpty)
        #expect(try environment.erasures.receipts() == [receipt])
    }

    @Test
    func `passes for apps' own erasures pause, and an operator's request does not wait`() async throws {
        let environment = try await Self.indexedSample()
        let clock = ManualClock()
        let eraser = Self.setEraser(of: environment, clock: clock)
        func erase(_ installation: UInt64) async throws {
            var batch = Batch(4, 4, installation...installation)
            batch.lines = [erasedLine(300 + installation, of: .numbered(installation))]
            try environment.append(batch)
            try await environment.index()
        }
        try await erase(1)
        #expect(try await eraser.advance(environment.store, plan: nil) == .advanced)
        clock.advance(by: .seconds(1))
        while try await eraser.advance(environment.store, plan: nil) == .advanced {}
        #expect(environment.erasures.plans.isEmpty)
        try await erase(2)
        #expect(try await eraser.advance(environment.store, plan: nil) == .waiting(.seconds(9)))
        clock.advance(by: .seconds(4))
        #expect(try await eraser.advance(environment.store, plan: nil) == .waiting(.seconds(5)))
        try environment.requestErasure(of: "cleo")
        try await environment.index()
        while try await eraser.advance(environment.store, plan: nil) == .advanced {}
        #expect(environment.erasures.plans.isEmpty)
        #expect(try environment.erasures.receipts().count == 3)
        try await erase(9)
        #expect(try await eraser.advance(environment.store, plan: nil) == .idle)
    }

    @Test
    func `on a device with three users, only the erased user's periods are removed`() async throws {
        let environment = try IndexEnvironment(eventsPerStep: 2)
        let users: [String?] = [nil, "anna", nil, "bob", nil, "anna", nil, "cleo", nil]
        let events = users.enumerated().map { index, user in
            MarkedEvent(number: UInt64(index), installation: 1, user: user, time: Int64(index) * 1_000)
        }
        try Self.append(events.reversed(), to: environment, seed: 4)
        try await environment.index()
        let preview = try #require(try await environment.store.erasurePreview(of: "anna"))
        #expect(preview.events == 4 && preview.installations == [.init(.numbered(1), isShared: true, events: 4)])
        try environment.requestErasure(of: "anna")
        try await environment.index()
        let shared = try #require(environment.erasures.plans.first?.shared.first)
        #expect(shared.installation == .numbered(1) && shared.times.count == 2)
        try await environment.indexer.completeErasures()
        let receipt = try #require(try environment.erasures.receipts().first)
        #expect(receipt.log.events == 4 && receipt.log.sharedEvents == 4 && receipt.indexedEvents == 4)
        #expect(receipt.installations == 0 && receipt.sharedInstallations == 1)
        #expect(try await Self.ids(environment) == Set([2, 3, 6, 7, 8].map { .numbered($0) }))
        let content = try Self.content(of: environment)
        for event in events {
            #expect(content.logContains(event.mark) == ![0, 1, 4, 5].contains(event.number), "\(event)")
        }
        // What remains belongs to the same people as before.
        let cleo = try #require(try await environment.store.erasurePreview(of: "cleo"))
        #expect(cleo.events == 2)
        #expect(try await environment.store.erasurePreview(of: "anna") == nil)
        try await Self.expectSameIndexAfterRebuild(environment)
    }

    /// Whether the rules of `Documentation/Identity.md` assign an event to anna.
    private static func isErased(_ event: MarkedEvent, in events: [MarkedEvent]) -> Bool {
        guard let installation = event.installation else { return event.user == "anna" }
        let own = events.filter { $0.installation == installation && !$0.isRejected }
        let users = Set(own.compactMap(\.user))
        // The signed-in users according to the context, which rejected events also have.
        if users == ["anna"] { return true }
        if let user = event.user { return user == "anna" }
        guard users.contains("anna") else { return false }
        let next = own.filter { $0.user != nil && $0.time >= event.time }.min { $0.time < $1.time }
        return !event.isRejected && next?.user == "anna"
    }

    /// Leaves out numbers that depend on the order of indexing.
    ///
    /// - Parameter counts: Whether to compare the counts of erased events. Duplicates without a writer belong to no
    ///   installation, so only an index that reads the rewritten log counts them as erased.
    private static func comparable(_ dump: [String], counts: Bool) -> [String] {
        // Where an event was erased, two runs can become one, and a context is empty. The position of an erased
        // duplicate stays in the index.
        dump.filter { !$0.hasPrefix("sqlite_sequence ") && !$0.hasPrefix("runs ") && !$0.hasPrefix("repeats ") }
            .filter { !$0.hasPrefix("contexts ") || !$0.contains("Data(2 bytes)") }
            .map { row in
                let isProgress = row.hasPrefix("progress ")
                return row.replacing(
                    /\b(person|context|installation|user|number|session|writer|joined|periods):(\d+|-\d+|Data\([^)]*\))/
                ) { "\($0.1)" }.replacing(/segment:\d+ offset:\d+/) { isProgress ? "" : $0.0 }
                    .replacing(/(duplicates|erased):\d+/) { counts ? $0.0 : "" }
                    .replacing(/events:\d+/) { counts || !row.hasPrefix("eras") ? $0.0 : "" }
            }.sorted()
    }
}
