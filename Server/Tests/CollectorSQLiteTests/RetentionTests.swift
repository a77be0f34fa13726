// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal
internal import TrackwayTesting

@testable internal import CollectorSQLite

@Suite("Retention of log and index")
struct RetentionTests {
    private static let start: Int64 = 1_700_000_000_000
    private static let hour: Int64 = 3_600_000
    private static let day = RetentionPolicy(age: .seconds(86_400))

    /// Sends random batches of several devices and people, one an hour.
    private struct Traffic {
        var generator: SeededGenerator
        /// Whether batches are sometimes sent twice.
        var repeats = true
        private var sequences: [UInt64: UInt64] = [:]
        private var nextID: UInt64 = 1
        private var sent: [Batch] = []
        private(set) var hours: Int64 = 0
        private(set) var accepted: Set<EventID> = []

        init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

        private func received() -> Int64 { RetentionTests.start + hours * RetentionTests.hour }

        /// Appends one batch.
        mutating func send(to environment: IndexEnvironment) throws {
            defer { hours += 1 }
            if repeats, !sent.isEmpty, generator.oneIn(4) {
                var batch = sent[generator.number(0...sent.count - 1)]
                batch.received = received()
                try environment.append(batch)
                return
            }
            if generator.oneIn(10) { try merge(in: environment) }
            var batch = generator.oneIn(5) ? Batch() : numbered()
            if batch.installation == nil { batch.format = "clickstream" }
            let user = [nil, nil, "anna", "bob"].randomElement(using: &generator) ?? nil
            // Without an installation, a session of several people would be erased with one of them.
            let prefix = batch.installation == nil ? user ?? "visitor" : "s"
            let session = [nil, prefix + "1", prefix + "2"].randomElement(using: &generator) ?? nil
            for index in 0..<generator.number(1...4) {
                if index == 0 || generator.oneIn(3) { batch.lines.append(context(user, session)) }
                let id = nextID
                nextID += 1
                let isRejected = generator.oneIn(8)
                let name = [
                    "view", "buy", "_screen_view", "_user_engagement", "_device_properties", "_profile_set", "_alias",
                ]
                .randomElement(using: &generator)
                let ids = ["anna", "bob", "carl", "dora"]
                let (from, to) = (ids[generator.number(0...3)], ids[generator.number(0...3)])
                // Without an installation, an alias has no effect and is an event like others.
                let isAlias = name == "_alias" && !isRejected && batch.installation != nil
                let alias = isAlias ? #","_alias_from":"\#(from)","_alias_to":"\#(to)""# : ""
                batch.lines.append(
                    line(
                        id,
                        isRejected ? "" : name ?? "view",
                        time: received() - Int64(generator.number(0...20)) * RetentionTests.hour / 3,
                        attributes: """
                            {"mark":"mark-\(id)-end","_screen_name":"S\(id % 3)","_engagement_time_msec":\(id),"model":"m\(id % 2)"\(alias)}
                            """
                    )
                )
                if isRejected { batch.rejected.append((index, "name_empty")) } else { accepted.insert(.numbered(id)) }
            }
            let events = UInt64(batch.lines.count { !$0.hasPrefix("{\"context\"") })
            if let installation = batch.installation,
                let number = (1...3).first(where: { .numbered($0) == installation })
            {
                let first = sequences[number, default: 1]
                sequences[number] = first + events
                (batch.first, batch.last, batch.recorded) = (first, first + events - 1, first + events - 1)
            }
            batch.isCompressed = generator.oneIn(2)
            batch.received = received()
            sent.append(batch)
            try environment.append(batch)
        }

        /// Appends an operator's statement about two users.
        private mutating func merge(in environment: IndexEnvironment) throws {
            let record = UserMergeRecord(
                received: Timestamp(milliseconds: received()),
                key: "support",
                user: ["bob", "carl", "erik"].randomElement(using: &generator),
                target: generator.oneIn(3) ? nil : "dora"
            )
            try environment.append(record.bytes, kind: .userMerge)
        }

        private mutating func numbered() -> Batch {
            let number = UInt64(generator.number(1...3))
            return Batch(number, number, 1...1)
        }

        private func context(_ user: String?, _ session: String?) -> String {
            var parts: [String] = []
            if let user { parts.append(#""user":{"id":"\#(user)","attributes":{"name":"\#(user)-name"}}"#) }
            if let session { parts.append(#""session":{"id":"\#(session)","number":1,"start":1000}"#) }
            return #"{"context":{\#(parts.joined(separator: ","))}}"#
        }
    }

    /// Moves the clock to the last arrival, which must not look like a jump.
    private static func move(_ clock: ManualClock, to traffic: Traffic) {
        let wall = start + traffic.hours * hour
        let difference = wall - clock.now().wall.milliseconds
        clock.advance(by: .milliseconds(max(61_000, difference)))
    }

    private static func checkLedger(_ environment: IndexEnvironment) async throws {
        for row in try await environment.store.ledger(installation: nil) {
            #expect(row.isComplete, "\(row)")
            let known = row.received + row.expired + row.rejected + row.dropped.values.reduce(0, +)
            #expect(row.recorded == known, "\(row)")
        }
    }

    // MARK: The same answers

    @Test(arguments: 1...40)
    func `an index that is built from the kept records equals the one from which the others expired`(
        seed: UInt64
    ) async throws {
        let environment = try IndexEnvironment(segmentBytes: 4_096, eventsPerStep: 7)
        let clock = ManualClock(wall: Timestamp(milliseconds: Self.start))
        environment.setRetention(Self.day, clock: clock)
        var traffic = Traffic(seed: seed)
        traffic.repeats = !seed.isMultiple(of: 4)
        for step in 0..<90 {
            try traffic.send(to: environment)
            if traffic.generator.oneIn(3) { try await environment.index() }
            guard traffic.generator.oneIn(12) || step == 80 else { continue }
            try await environment.index()
            Self.move(clock, to: traffic)
            try await environment.indexer.completeRetention()
            Self.expectConsistent(try environment.contradictions())
        }
        try await environment.index()
        let totals = try await environment.store.totals()
        #expect(totals.expiredEvents > 0 && totals.events > 0 && totals.retainedSince != nil)
        #expect(try #require(try environment.segments.first) > 1)
        try await Self.checkLedger(environment)
        let events = try await environment.all()
        if !traffic.repeats {
            #expect(totals.events + totals.expiredEvents == UInt64(traffic.accepted.count))
            #expect(try await environment.eventsOfNewIndex().map(\.id) == events.map(\.id))
        }
        let before = try environment.dump()
        try await environment.indexer.rebuild()
        try await environment.index()
        Self.expectEqual(before, try environment.dump())
        // The same with a missing file, in a new process.
        try environment.store.close()
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: environment.path + suffix) }
        try environment.restart()
        try await environment.index()
        Self.expectEqual(before, try environment.dump())
        #expect(try await environment.all() == events)
        try await Self.checkLedger(environment)
        // It continues like the old one.
        for _ in 0..<5 { try traffic.send(to: environment) }
        try await environment.index()
        Self.expectConsistent(try environment.contradictions())
        try await Self.checkLedger(environment)
    }

    private static func expectConsistent(_ contradictions: [String]) {
        #expect(contradictions == [])
    }

    private static func expectEqual(_ old: [String], _ new: [String]) {
        #expect(old.filter { !new.contains($0) } == [])
        #expect(new.filter { !old.contains($0) } == [])
        #expect(old == new)
    }

    // MARK: Interruptions

    @Test(arguments: 0...24)
    func `after every step, the index is consistent and a new process continues`(steps: Int) async throws {
        let environment = try IndexEnvironment(segmentBytes: 4_096, eventsPerStep: 7)
        let clock = ManualClock(wall: Timestamp(milliseconds: Self.start))
        var traffic = Traffic(seed: 77)
        for _ in 0..<60 { try traffic.send(to: environment) }
        try await environment.index()
        Self.move(clock, to: traffic)
        var retention = environment.setRetention(Self.day, clock: clock)
        let all = try await environment.store.totals().events
        for _ in 0..<steps where try await retention.advance(environment.store) != .advanced { break }
        Self.expectConsistent(try environment.contradictions())
        let totals = try await environment.store.totals()
        #expect(totals.events + totals.expiredEvents == all)
        #expect((totals.expiredEvents > 0) == (totals.retainedSince != nil))
        try await Self.checkLedger(environment)
        // The process ends here.
        try environment.restart()
        retention = environment.setRetention(Self.day, clock: clock)
        try await environment.index()
        try await environment.indexer.completeRetention()
        Self.expectConsistent(try environment.contradictions())
        try await Self.checkLedger(environment)
        let left = try await environment.store.totals()
        #expect(left.events + left.expiredEvents == all && left.expiredEvents > 0)
        let before = try environment.dump()
        try await environment.indexer.rebuild()
        try await environment.index()
        Self.expectEqual(before, try environment.dump())
    }

    @Test
    func `an index that is older than the retained state begins with it`() async throws {
        let environment = try IndexEnvironment(segmentBytes: 4_096)
        let clock = ManualClock(wall: Timestamp(milliseconds: Self.start))
        var traffic = Traffic(seed: 5)
        for _ in 0..<3 { try traffic.send(to: environment) }
        try await environment.index()
        try environment.store.close()
        let copy = environment.folder + "/old.sqlite"
        try FileManager.default.copyItem(atPath: environment.path, toPath: copy)
        try environment.restart()
        for _ in 0..<60 { try traffic.send(to: environment) }
        try await environment.index()
        Self.move(clock, to: traffic)
        environment.setRetention(Self.day, clock: clock)
        try await environment.indexer.completeRetention()
        let before = try environment.dump()
        try environment.store.close()
        try FileManager.default.removeItem(atPath: environment.path)
        try FileManager.default.moveItem(atPath: copy, toPath: environment.path)
        try environment.restart()
        await #expect(throws: StoreError.self) { try await environment.all() }
        try await environment.index()
        Self.expectEqual(before, try environment.dump())
    }

    @Test
    func `an unreadable retained state is reported, and nothing is changed`() async throws {
        let environment = try IndexEnvironment(segmentBytes: 4_096)
        let clock = ManualClock(wall: Timestamp(milliseconds: Self.start))
        var traffic = Traffic(seed: 6)
        for _ in 0..<60 { try traffic.send(to: environment) }
        try await environment.index()
        Self.move(clock, to: traffic)
        environment.setRetention(Self.day, clock: clock)
        try await environment.indexer.completeRetention()
        let path = RetainedState.path(of: environment.path)
        try Data("no database".utf8).write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: StoreError.self) { try environment.restart() }
        #expect(error?.message.contains(path) == true && error?.message.contains("backup") == true)
    }

    // MARK: What expires

    @Test
    func `no file contains bytes of expired events`() async throws {
        let environment = try IndexEnvironment(segmentBytes: 4_096)
        let clock = ManualClock(wall: Timestamp(milliseconds: Self.start))
        var traffic = Traffic(seed: 9)
        traffic.repeats = false
        for _ in 0..<60 { try traffic.send(to: environment) }
        try await environment.index()
        let all = try await environment.all().map(\.id)
        Self.move(clock, to: traffic)
        environment.setRetention(Self.day, clock: clock)
        try await environment.indexer.completeRetention()
        try await environment.store.discardRemovedPages()
        let left = try await environment.all().map(\.id)
        #expect(!left.isEmpty && left.count < all.count)
        var content = Data()
        for name in try FileManager.default.subpathsOfDirectory(atPath: environment.folder) {
            content += FileManager.default.contents(atPath: environment.folder + "/" + name) ?? Data()
        }
        for id in all where !left.contains(id) {
            let number = try #require((1...400).first { EventID.numbered($0) == id })
            #expect(content.range(of: Data("mark-\(number)-end".utf8)) == nil, "\(number)")
        }
    }

    @Test
    func `a duplicate of an expired event is not stored again`() async throws {
        let environment = try IndexEnvironment(segmentBytes: 4_096)
        let clock = ManualClock(wall: Timestamp(milliseconds: Self.start))
        environment.setRetention(Self.day, clock: clock)
        var batch = Batch(1, 1, 1...2)
        batch.lines = [line(1), line(2)]
        batch.received = Self.start
        try environment.append(batch)
        _ = try environment.log.completeSegment()
        var other = Batch(2, 2, 1...1)
        other.lines = [line(3)]
        other.received = Self.start + 30 * Self.hour
        try environment.append(other)
        try await environment.index()
        clock.advance(by: .milliseconds(30 * Self.hour))
        try await environment.indexer.completeRetention()
        #expect(try await environment.all().map(\.id) == [.numbered(3)])
        batch.received = other.received
        try environment.append(batch)
        try await environment.index()
        #expect(try await environment.all().map(\.id) == [.numbered(3)])
        let row = try #require(try await environment.row(1))
        #expect(row.expired == 2 && row.received == 0 && row.duplicates == 2 && row.isComplete)
        let before = try environment.dump()
        try await environment.indexer.rebuild()
        try await environment.index()
        Self.expectEqual(before, try environment.dump())
    }

    @Test
    func `a user with kept events stays known, and is then removed with all attributes`() async throws {
        let environment = try IndexEnvironment(segmentBytes: 4_096)
        let clock = ManualClock(wall: Timestamp(milliseconds: Self.start))
        environment.setRetention(Self.day, clock: clock)
        /// Appends a batch of one event in a segment of its own.
        func append(_ number: UInt64, user: String?, at hours: Int64, installation: UInt64 = 1) throws {
            var batch = Batch(installation, installation, number...number)
            let context = user.map { #""user":{"id":"\#($0)","attributes":{"tier":"gold"}}"# } ?? ""
            batch.lines = ["{\"context\":{\(context)}}", line(number, time: Self.start + Int64(number))]
            batch.received = Self.start + hours * Self.hour
            try environment.append(batch)
            _ = try environment.log.completeSegment()
        }
        // The anonymous event happened before the sign-in, and arrives after it.
        try append(2, user: "anna", at: 0)
        try append(1, user: nil, at: 20)
        try append(9, user: nil, at: 60, installation: 2)
        try await environment.index()
        clock.advance(by: .milliseconds(30 * Self.hour))
        try await environment.indexer.completeRetention()
        let anna = try await environment.store.profile(ProfileQuery(.user("anna")))
        #expect(anna != nil)
        let found = try await environment.all()
        #expect(found.map(\.id) == [.numbered(1), .numbered(9)])
        clock.advance(by: .milliseconds(30 * Self.hour))
        try await environment.indexer.completeRetention()
        #expect(try await environment.all().map(\.id) == [.numbered(9)])
        #expect(try await environment.store.profile(ProfileQuery(.user("anna"))) == nil)
        let rows = try environment.dump().filter { $0.contains("anna") || $0.contains("gold") }
        #expect(rows == [])
    }

    @Test
    func `an erasure of a user with expired and kept events keeps the ledger balanced`() async throws {
        for seed in 1...4 as ClosedRange<UInt64> {
            let environment = try IndexEnvironment(segmentBytes: 4_096, eventsPerStep: 7)
            let clock = ManualClock(wall: Timestamp(milliseconds: Self.start))
            let retention = environment.setRetention(Self.day, clock: clock)
            var traffic = Traffic(seed: seed)
            for _ in 0..<60 { try traffic.send(to: environment) }
            try await environment.index()
            Self.move(clock, to: traffic)
            // The erasure comes between two steps of the retention.
            for _ in 0..<Int(seed) { _ = try await retention.advance(environment.store) }
            let receipt = try await environment.erase(user: "anna")
            #expect(receipt != nil)
            try await environment.indexer.completeRetention()
            Self.expectConsistent(try environment.contradictions())
            try await Self.checkLedger(environment)
            for name in try FileManager.default.subpathsOfDirectory(atPath: environment.folder) {
                let content = FileManager.default.contents(atPath: environment.folder + "/" + name) ?? Data()
                #expect(content.range(of: Data("anna".utf8)) == nil, "\(name)")
            }
            let before = try await environment.all()
            try await environment.indexer.rebuild()
            try await environment.index()
            #expect(try await environment.all() == before)
            Self.expectConsistent(try environment.contradictions())
            try await Self.checkLedger(environment)
        }
    }

    /// Appends a batch in a segment of its own.
    private static func append(
        _ number: UInt64,
        _ lines: [String],
        installation: UInt64,
        at hours: Int64,
        to environment: IndexEnvironment
    ) throws {
        var batch = Batch(installation, installation, number...number)
        batch.lines = lines
        batch.received = start + hours * hour
        try environment.append(batch)
        _ = try environment.log.completeSegment()
    }

    private static func signedIn(_ user: String, _ attributes: String = "") -> String {
        #"{"context":{"user":{"id":"\#(user)","attributes":{\#(attributes)}}}}"#
    }

    @Test
    func `erasing a user of a shared device keeps what is known of the others from expired events`() async throws {
        let environment = try IndexEnvironment(segmentBytes: 4_096)
        let clock = ManualClock(wall: Timestamp(milliseconds: Self.start))
        environment.setRetention(Self.day, clock: clock)
        func event(_ number: UInt64, _ name: String = "view", at hours: Int64, _ attributes: String = "{}") -> String {
            line(number, name, time: Self.start + hours * Self.hour, attributes: attributes)
        }
        let alias = #"{"_alias_from":"bob","_alias_to":"bob-2"}"#
        let setName = #""name":{"value":"Bob","set":1}"#
        // On one device, bob signs in, is merged, and then erin uses the device.
        try Self.append(1, [Self.signedIn("bob", setName), event(1, at: 2)], installation: 1, at: 2, to: environment)
        try Self.append(
            2,
            [Self.signedIn("bob"), event(2, "_alias", at: 3, alias)],
            installation: 1,
            at: 3,
            to: environment
        )
        try Self.append(3, [Self.signedIn("erin"), event(3, at: 4)], installation: 1, at: 4, to: environment)
        // Recorded before bob signed in, and received later.
        try Self.append(4, [event(4, at: 1)], installation: 1, at: 30, to: environment)
        try Self.append(5, [Self.signedIn("erin"), event(5, at: 31)], installation: 1, at: 31, to: environment)
        try Self.append(6, [Self.signedIn("bob-2"), event(6, at: 32)], installation: 2, at: 32, to: environment)
        try Self.append(7, [event(7, at: 60)], installation: 3, at: 60, to: environment)
        try await environment.index()
        clock.advance(by: .milliseconds(40 * Self.hour))
        try await environment.indexer.completeRetention()
        #expect(try await environment.all().map(\.id) == [4, 5, 6, 7].map { .numbered($0) })
        func summary() async throws -> [String] {
            let bob = try #require(try await environment.store.profile(ProfileQuery(.user("bob"))))
            let values = bob.person.attributes.map { "\($0.name)=\(String(decoding: $0.value, as: UTF8.self))" }
            let merges = bob.merges.map { "\($0.statement.user)>\($0.statement.target ?? "") \($0.outcome)" }
            return ["\(bob.person.id ?? "") \(bob.person.events) \(values) \(merges)"]
        }
        let before = try await summary()
        #expect(before == [#"bob-2 2 ["name=\"Bob\""] ["bob>bob-2 merged"]"#])
        let receipt = try await environment.erase(user: "erin")
        #expect(receipt != nil)
        #expect(try await environment.all().map(\.id) == [4, 6, 7].map { .numbered($0) })
        #expect(try await summary() == before)
        Self.expectConsistent(try environment.contradictions())
        // A new index is equal, and nothing of the erased user is left.
        func dump() throws -> [String] {
            try environment.dump().filter { !$0.hasPrefix("progress ") && !$0.hasPrefix("erasure_counts ") }
        }
        let old = try dump()
        #expect(old.allSatisfy { !$0.contains("erin") })
        try await environment.indexer.rebuild()
        try await environment.index()
        Self.expectEqual(old, try dump())
        #expect(try await summary() == before)
    }

    @Test
    func `merges expire with the last event of their users`() async throws {
        let environment = try IndexEnvironment(segmentBytes: 4_096)
        let clock = ManualClock(wall: Timestamp(milliseconds: Self.start))
        environment.setRetention(Self.day, clock: clock)
        func alias(_ number: UInt64, _ from: String, _ to: String, installation: UInt64) throws {
            let attributes = #"{"_alias_from":"\#(from)","_alias_to":"\#(to)"}"#
            let event = line(number, "_alias", time: Self.start + Int64(number), attributes: attributes)
            try Self.append(number, [event], installation: installation, at: Int64(number), to: environment)
        }
        func view(_ number: UInt64, _ user: String, at hours: Int64) throws {
            let event = line(number, time: Self.start + hours * Self.hour)
            try Self.append(number, [Self.signedIn(user), event], installation: number, at: hours, to: environment)
        }
        func merge(_ user: String, _ target: String, at hours: Int64) throws {
            let time = Timestamp(milliseconds: Self.start + hours * Self.hour)
            let record = UserMergeRecord(received: time, key: "support", user: user, target: target)
            try environment.append(record.bytes, kind: .userMerge)
            _ = try environment.log.completeSegment()
        }
        // Users without events; users of whom the first has events; users of whom the last has events.
        try alias(1, "gone-a", "gone-b", installation: 1)
        try alias(2, "gone-b", "gone-c", installation: 1)
        try alias(3, "old-1", "old-2", installation: 1)
        try alias(4, "kept-1", "kept-2", installation: 1)
        try alias(5, "kept-2", "kept-3", installation: 1)
        try alias(6, "gone-x", "null", installation: 1)
        try merge("gone-op", "gone-c", at: 7)
        try view(8, "old-1", at: 8)
        try view(40, "kept-3", at: 40)
        try alias(41, "new-1", "new-2", installation: 1)
        try view(60, "other", at: 60)
        try await environment.index()
        func statements() async throws -> [String] {
            try await environment.store.merges(
                connectedWith: ["gone-a", "gone-x", "gone-op", "old-1", "kept-1", "new-1"]
            ).map(\.statement.user)
        }
        #expect(try await statements().count == 8)
        clock.advance(by: .milliseconds(60 * Self.hour))
        try await environment.indexer.completeRetention()
        #expect(try await statements() == ["kept-1", "kept-2", "new-1"])
        let dump = try environment.dump()
        #expect(dump.allSatisfy { !$0.contains("gone-") && !$0.contains("old-") })
        #expect(try await environment.store.profile(ProfileQuery(.user("kept-1")))?.person.id == "kept-3")
        Self.expectConsistent(try environment.contradictions())
        try await environment.indexer.rebuild()
        try await environment.index()
        Self.expectEqual(dump, try environment.dump())
        clock.advance(by: .milliseconds(60 * Self.hour))
        try Self.append(200, [line(200, time: Self.start)], installation: 9, at: 120, to: environment)
        try await environment.index()
        try await environment.indexer.completeRetention()
        #expect(try await statements() == [])
        #expect(try environment.dump().allSatisfy { !$0.contains("kept-") && !$0.contains("new-") })
    }

    // MARK: Clocks and sizes

    @Test
    func `a clock that jumps forward expires nothing for an hour, and reports it once`() async throws {
        let environment = try IndexEnvironment(segmentBytes: 4_096)
        let clock = ManualClock(wall: Timestamp(milliseconds: Self.start))
        let messages = Locked<[String]>([])
        environment.setRetention(Self.day, clock: clock, onStatus: { text in messages.withLock { $0.append(text) } })
        var traffic = Traffic(seed: 3)
        for _ in 0..<8 { try traffic.send(to: environment) }
        try await environment.index()
        Self.move(clock, to: traffic)
        try await environment.indexer.completeRetention()
        clock.jumpWall(by: .seconds(40 * 86_400))
        for _ in 0..<50 {
            clock.advance(by: .seconds(62))
            try await environment.indexer.completeRetention()
        }
        #expect(try await environment.store.totals().expiredEvents == 0)
        #expect(messages.withLock { $0.count } == 1)
        // The clock was corrected, and then nothing is old.
        clock.jumpWall(by: .seconds(-40 * 86_400))
        clock.advance(by: .seconds(3_600))
        try await environment.indexer.completeRetention()
        #expect(try await environment.store.totals().expiredEvents == 0)
    }

    @Test
    func `records that arrived while the clock was set back are kept as long as those before them`() async throws {
        let environment = try IndexEnvironment(segmentBytes: 4_096)
        let clock = ManualClock(wall: Timestamp(milliseconds: Self.start))
        environment.setRetention(Self.day, clock: clock)
        for (number, hours) in [(1, 0), (2, -2_000), (3, 1), (4, 30)] as [(UInt64, Int64)] {
            var batch = Batch(1, 1, number...number)
            batch.lines = [line(number)]
            batch.received = Self.start + hours * Self.hour
            try environment.append(batch)
            _ = try environment.log.completeSegment()
        }
        try await environment.index()
        clock.advance(by: .milliseconds(20 * Self.hour))
        try await environment.indexer.completeRetention()
        #expect(try await environment.all().count == 4)
        clock.advance(by: .milliseconds(10 * Self.hour))
        try await environment.indexer.completeRetention()
        #expect(try await environment.all().map(\.id) == [.numbered(4)])
    }

    @Test
    func `the last segment is completed when it is a day old, so that an idle collector's events expire`() async throws
    {
        let environment = try IndexEnvironment(segmentBytes: 4_096)
        let clock = ManualClock(wall: Timestamp(milliseconds: Self.start))
        environment.setRetention(Self.day, clock: clock)
        var batch = Batch(1, 1, 1...1)
        batch.lines = [line(1)]
        batch.received = Self.start
        try environment.append(batch)
        try await environment.index()
        for _ in 0..<3 {
            clock.advance(by: .milliseconds(25 * Self.hour))
            try await environment.indexer.completeRetention()
            try await environment.index()
        }
        #expect(try await environment.all() == [])
        #expect(try environment.segments == [2])
        let row = try #require(try await environment.row(1))
        #expect(row.expired == 1 && row.isComplete)
        // The next process continues with the next number, and its events count.
        try environment.restart()
        batch.lines = [line(2)]
        (batch.first, batch.last, batch.recorded) = (2, 2, 2)
        try environment.append(batch)
        try await environment.index()
        #expect(try await environment.all().map(\.id) == [.numbered(2)])
        try await Self.checkLedger(environment)
    }

    @Test
    func `a size limit removes the oldest segments, and no more than necessary`() async throws {
        let environment = try IndexEnvironment(segmentBytes: 4_096)
        let clock = ManualClock(wall: Timestamp(milliseconds: Self.start))
        var traffic = Traffic(seed: 21)
        for _ in 0..<120 { try traffic.send(to: environment) }
        try await environment.index()
        let used = try await environment.store.usedBytes()
        let log = try environment.segments.count * 4_096
        let all = try environment.segments.count
        environment.setRetention(RetentionPolicy(bytes: used + log - log / 4), clock: clock)
        try await environment.indexer.completeRetention()
        let left = try environment.segments.count
        #expect(left < all && left > all / 2, "\(left) of \(all)")
        Self.expectConsistent(try environment.contradictions())
        try await Self.checkLedger(environment)
    }
}
