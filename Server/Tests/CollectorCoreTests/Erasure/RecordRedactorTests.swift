// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal

@testable import CollectorCore

@Suite("Redaction of records")
struct RecordRedactorTests {
    private static let key = ErasureKey(randomUInt64: { 7 })
    private static let start = LogPosition(segment: 3, offset: 4_096)
    private static let received = Timestamp(milliseconds: 1_700_000_000_000)

    private static let anna = #"{"context":{"user":{"id":"anna","attributes":{"name":"Anna K."}}}}"#
    private static let bob = #"{"context":{"user":{"id":"bob"}}}"#
    private static let signedOut = #"{"context":{}}"#

    /// An event as the index reads it.
    private struct Event: Hashable, CustomStringConvertible {
        var ordinal: Int
        var sequence: UInt64?
        var json: String
        var context: String
        var fault: String?
        var erased: ErasedPlaceholder?

        var description: String { "\(ordinal) \(json) \(context) \(fault ?? "") \(erased?.rawValue ?? "")" }
    }

    private static func plan(
        _ user: String = "anna",
        installations: [UInt64] = [],
        shared: [(installation: UInt64, times: [ClosedRange<Int64>])] = []
    ) -> ErasurePlan {
        let record = UserErasureRecord(received: received, key: "officer", identity: key.hash(user: user), user: user)
        var plan = ErasurePlan(record, user: user)
        plan.installations = installations.map { SentBatch.installation($0) }
        plan.shared = shared.map { .init(SentBatch.installation($0.installation), times: $0.times) }
        return plan
    }

    private static func record(
        _ lines: [String],
        encoding: ContentEncoding = .identity,
        rejected: [Int] = [],
        format: IntakeFormat = .trackway
    ) -> [UInt8] {
        let body = Array(lines.joined(separator: "\n").utf8)
        let header = IntakeHeader(
            received: received,
            key: "shop",
            encoding: encoding,
            rejected: rejected.map {
                RejectedEvent(index: $0, code: "old_rule", field: "name", message: "Not a name.")
            },
            format: format
        )
        let stored = encoding == .gzip ? GzipCompressor().compress(body) : body
        return stored.withUnsafeBytes { IntakeRecord.bytes(header, body: $0) }
    }

    private static func redact(
        _ payload: [UInt8],
        _ plans: [ErasurePlan],
        kind: FrameKind = .intake
    ) throws(ErasureError) -> (outcome: RecordRedactor.Outcome, redactor: RecordRedactor) {
        var redactor = RecordRedactor(plans, key: key, limits: AdmissionLimits())
        let result = payload.withUnsafeBytes { bytes in
            Result { () throws(ErasureError) in try redactor.redact(kind, bytes, at: start) }
        }
        return (try result.get(), redactor)
    }

    /// Redacts a record that must change, and checks what every redaction must preserve.
    private static func redacted(
        _ payload: [UInt8],
        _ plans: [ErasurePlan],
        kind: FrameKind = .intake,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (bytes: [UInt8], counts: [Int: ErasedCounts], redactor: RecordRedactor) {
        let (outcome, redactor) = try redact(payload, plans, kind: kind)
        guard case .replaced(let bytes, let counts) = outcome else {
            Issue.record("the record was not replaced: \(outcome)", sourceLocation: sourceLocation)
            return (payload, [:], redactor)
        }
        #expect(bytes.count == payload.count && bytes != payload, sourceLocation: sourceLocation)
        let (again, second) = try redact(bytes, plans, kind: kind)
        #expect(again == .unchanged, "a second redaction", sourceLocation: sourceLocation)
        #expect(second.erasedFailures == redactor.erasedFailures, sourceLocation: sourceLocation)
        return (bytes, counts, redactor)
    }

    private static func intake(_ payload: [UInt8]) throws -> IntakeRecord {
        try payload.withUnsafeBytes { bytes in Result { try IntakeRecord(payload: bytes) } }.get()
    }

    private static func events(_ payload: [UInt8]) throws -> [Event] {
        var events: [Event] = []
        try intake(payload).visit { event in
            events.append(
                Event(
                    ordinal: event.ordinal,
                    sequence: event.sequence,
                    json: String(decoding: event.json, as: UTF8.self),
                    context: String(decoding: event.context, as: UTF8.self),
                    fault: event.fault?.code,
                    erased: event.erased
                )
            )
        }
        return events
    }

    private static func text(_ payload: [UInt8]) throws -> String {
        let record = try intake(payload)
        let body = record.header.encoding == .gzip ? try Gzip.inflate(record.body) : record.body
        return String(decoding: payload.prefix { $0 != 10 }, as: UTF8.self) + "\n"
            + String(decoding: body, as: UTF8.self)
    }

    private static func header(_ installation: UInt64, _ sequences: ClosedRange<UInt64>) -> String {
        let sender = #""installation":"\#(SentBatch.installation(installation))","writer":"\#(SentBatch.id(1))""#
        return #"{"batch":{"id":"b",\#(sender),"first":\#(sequences.lowerBound),"last":\#(sequences.upperBound)}}"#
    }

    private static func event(_ number: UInt64, time: Int64 = 0) -> String {
        let time = 1_700_000_000_000 + time
        return
            #"{"id":"\#(SentBatch.id(number))","name":"tick","time":\#(time),"attributes":{"mark":"mark-\#(number)-"}}"#
    }

    private static func counts(events: Int, shared: Int, rejected: Int = 0) -> ErasedCounts {
        var counts = ErasedCounts()
        (counts.records, counts.events, counts.sharedEvents, counts.rejected) = (1, events, shared, rejected)
        return counts
    }

    // MARK: Our own format

    private static let mixed = [
        header(4, 11...16), signedOut, event(1), anna, event(2), #"{"name":""}"#, bob, event(4),
        #"{"name":"","of":"bob"}"#,
        anna, event(6),
    ]

    @Test(arguments: [ContentEncoding.identity, .gzip])
    func `a user's events are replaced, and all others keep their index, number and context`(
        encoding: ContentEncoding
    ) throws {
        let payload = Self.record(Self.mixed, encoding: encoding, rejected: [2, 4])
        let (bytes, counts, redactor) = try Self.redacted(payload, [Self.plan()])
        let before = try Self.events(payload)
        let after = try Self.events(bytes)
        #expect(after.map(\.ordinal) == Array(0...5) && after.map(\.sequence) == Array(11...16))
        #expect(after.map(\.erased) == [nil, .accepted, .rejected, nil, nil, .accepted])
        #expect(after.map(\.fault) == [nil, nil, nil, nil, "old_rule", nil])
        for index in [0, 3, 4] { #expect(after[index] == before[index]) }
        for index in [1, 2, 5] { #expect(after[index].context == "{}") }
        #expect(try Self.intake(bytes).header.rejected.map(\.index) == [4])
        #expect(counts == [0: Self.counts(events: 2, shared: 2, rejected: 1)])
        #expect(redactor.erasedFailures == [2])
        #expect(redactor.usedInstallations == [SentBatch.installation(4): 0])
        let text = try Self.text(bytes)
        for trace in ["anna", "Anna", "mark-2-", "mark-6-"] { #expect(!text.contains(trace), "\(trace)") }
        for trace in ["mark-1-", "mark-4-", "bob"] { #expect(text.contains(trace), "\(trace)") }
    }

    @Test(arguments: [ContentEncoding.identity, .gzip])
    func `an erased installation loses the events of all users`(encoding: ContentEncoding) throws {
        let payload = Self.record(Self.mixed, encoding: encoding, rejected: [2, 4])
        let (bytes, counts, redactor) = try Self.redacted(payload, [Self.plan(installations: [4])])
        let after = try Self.events(bytes)
        #expect(after.map(\.erased) == [.accepted, .accepted, .rejected, .accepted, .rejected, .accepted])
        #expect(after.map(\.sequence) == Array(11...16) && after.allSatisfy { $0.context == "{}" })
        #expect(try Self.intake(bytes).header.rejected.isEmpty)
        #expect(counts == [0: Self.counts(events: 4, shared: 0, rejected: 2)])
        #expect(redactor.erasedFailures == [2, 4] && redactor.usedInstallations.isEmpty)
        let text = try Self.text(bytes)
        for trace in ["anna", "bob", "mark-"] { #expect(!text.contains(trace), "\(trace)") }
    }

    @Test
    func `erasing an installation without a user removes only that installation`() throws {
        let record = ErasureRecord(received: Self.received, key: "ops", installation: SentBatch.installation(4))
        let plan = ErasurePlan(DeletionRequest(record), key: Self.key)
        let (bytes, counts, _) = try Self.redacted(Self.record(Self.mixed, rejected: [2, 4]), [plan])
        #expect(try Self.events(bytes).allSatisfy { $0.erased != nil })
        #expect(counts[0]?.events == 4)
        let other = Self.record([Self.header(5, 1...1), Self.anna, Self.event(1)])
        #expect(try Self.redact(other, [plan]).outcome == .unchanged)
    }

    @Test
    func `anonymous events of a shared installation are removed only within the user's times`() throws {
        let times: [Int64] = [0, 999, 1_000, 2_000, 2_001, 5_000, 9_000]
        let lines = times.enumerated().map { Self.event(UInt64($0.offset), time: $0.element) }
        let payload = Self.record([Self.header(4, 1...8)] + lines + [#"{"name":"undated"}"#], rejected: [6])
        let base: Int64 = 1_700_000_000_000
        let plan = Self.plan(shared: [(4, [base + 1_000...base + 2_000, base + 5_000...base + 9_000])])
        let (bytes, counts, redactor) = try Self.redacted(payload, [plan])
        // A rejected event has no time.
        #expect(
            try Self.events(bytes).map { $0.erased != nil } == [false, false, true, true, false, true, false, false]
        )
        #expect(counts == [0: Self.counts(events: 3, shared: 3)])
        #expect(redactor.sharedInstallations == [SentBatch.installation(4)])
    }

    @Test
    func `several plans are carried out at once and counted separately`() throws {
        let payload = Self.record(Self.mixed, rejected: [2, 4])
        let (bytes, counts, _) = try Self.redacted(payload, [Self.plan("carl"), Self.plan("bob"), Self.plan("anna")])
        #expect(try Self.events(bytes).map { $0.erased != nil } == [false, true, true, true, true, true])
        #expect(
            counts == [
                1: Self.counts(events: 1, shared: 1, rejected: 1), 2: Self.counts(events: 2, shared: 2, rejected: 1),
            ]
        )
    }

    @Test
    func `a record without the person is unchanged, even if it has erased events of other people`() throws {
        let payload = Self.record(Self.mixed, rejected: [2, 4])
        #expect(try Self.redact(payload, [Self.plan("carl", installations: [9])]).outcome == .unchanged)
        let (bytes, _, _) = try Self.redacted(payload, [Self.plan("bob")])
        let (outcome, redactor) = try Self.redact(bytes, [Self.plan("carl", installations: [9])])
        #expect(outcome == .unchanged && redactor.erasedFailures == [4])
    }

    // MARK: Bodies of simple senders

    private static let refused = #"{"nome":"x","who":"anna"}"#

    struct Form: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var lines: [String]
        var rejected: [Int] = []
        var erased: [ErasedPlaceholder?]
        /// The body after the redaction.
        var expected: String
    }

    static let forms: [Form] = [
        Form(
            testDescription: "an array",
            lines: [#" [ {"name":"a"} ,"# + refused + #", {"name":"b"} ] "#],
            rejected: [1],
            erased: [nil, .rejected, nil],
            expected: #" [ {"name":"a"} ,{ }, {"name":"b"} ] "#
        ),
        Form(
            testDescription: "an array in an object",
            lines: [#"{"events":[{"name":"a"},"# + refused + #"],"more":[1]}"#],
            rejected: [1],
            erased: [nil, .rejected],
            expected: #"{"events":[{"name":"a"},{ }],"more":[1]}"#
        ),
        Form(
            testDescription: "one object",
            lines: [refused],
            rejected: [0],
            erased: [.rejected],
            expected: "{ }"
        ),
        Form(
            testDescription: "one object over several lines",
            lines: ["{", #"  "nome": "x","#, #"  "who": "anna""#, "}", ""],
            rejected: [0],
            erased: [.rejected],
            expected: "{ }\n"
        ),
        Form(
            testDescription: "lines with a context, without a header",
            lines: [#"{"name":"a"}"#, anna, #"{"name":"b"}"#, signedOut, #"{"name":"c"}"#],
            erased: [nil, .accepted, nil],
            expected: [#"{"name":"a"}"#, signedOut, "{}", signedOut, #"{"name":"c"}"#].joined(separator: "\n")
        ),
    ]

    @Test(arguments: forms, [ContentEncoding.identity, .gzip])
    func `bodies of simple senders stay valid in every form`(_ form: Form, _ encoding: ContentEncoding) throws {
        let payload = Self.record(form.lines, encoding: encoding, rejected: form.rejected)
        let (bytes, counts, redactor) = try Self.redacted(payload, [Self.plan()])
        #expect(try Self.events(bytes).map(\.erased) == form.erased)
        #expect(try Self.text(bytes).split(separator: "\n", maxSplits: 1).last ?? "" == form.expected)
        #expect(redactor.erasedFailures == form.rejected && redactor.usedInstallations.isEmpty)
        let events = form.erased.count { $0 == .accepted }
        #expect(counts == [0: Self.counts(events: events, shared: events, rejected: form.rejected.count)])
    }

    // MARK: Translated bodies

    private static func part(_ installation: UInt64?) -> String {
        let id = installation.map { #""installation":"\#(SentBatch.installation($0))""# } ?? ""
        return #"{"batch":{\#(id)}}"#
    }

    @Test(arguments: [ContentEncoding.identity, .gzip])
    func `each header of a translated body applies to its own events`(encoding: ContentEncoding) throws {
        let wrapped = #"{"clickstream":{"user":{"_user_id":{"value":"anna"}}}}"#
        let payload = Self.record(
            [
                Self.part(1), Self.bob, Self.event(0), Self.part(nil), Self.anna, Self.event(1), Self.part(2), Self.bob,
                Self.event(2), Self.anna, Self.event(3), Self.part(3), wrapped, Self.part(2), Self.event(5),
                Self.part(nil), Self.event(6), wrapped.replacing("anna", with: "joanna"), "",
            ],
            encoding: encoding,
            rejected: [4, 7],
            format: .clickstream
        )
        let (bytes, counts, redactor) = try Self.redacted(payload, [Self.plan(installations: [1])])
        let after = try Self.events(bytes)
        #expect(after.map(\.erased) == [.accepted, .accepted, nil, .accepted, .rejected, nil, nil, nil])
        #expect(after.map(\.ordinal) == Array(0...7) && after[7].fault == "old_rule")
        #expect(after[2].context == #"{"user":{"id":"bob"}}"# && after[3].context == "{}" && after[5].context == "")
        let expected = Self.counts(events: 3, shared: 2, rejected: 1)
        #expect(counts == [0: expected])
        #expect(redactor.erasedFailures == [4])
        #expect(redactor.usedInstallations == [SentBatch.installation(2): 0, SentBatch.installation(3): 0])
        #expect(try Self.intake(bytes).header.format == .clickstream)
        #expect(try !Self.text(bytes).contains(#""anna""#))
    }

    @Test(arguments: [
        (#"{"sift":{"user_id":"anna"}}"#, true), (#"{"sift":{"user_id":"ann"}}"#, false),
        (#"{"sift":{"user_id":"anna2"}}"#, false), (#"{"sift":{"\u0061nna":1}}"#, false),
        (#"{"sift":"the user \"anna\" "}"#, false), (#"{"sift":{"installation_id":"INSTALLATION"}}"#, true),
        (#"{"sift":{"installation_id":"installation"}}"#, true),
    ])
    func `a rejected event of another format is erased if it mentions the person`(_ line: String, isErased: Bool) throws
    {
        let id = SentBatch.installation(7).description
        let line = line.replacing("INSTALLATION", with: id.uppercased()).replacing(
            #""installation""#,
            with: "\"\(id)\""
        )
        let payload = Self.record([Self.part(nil), line, Self.event(1), ""], rejected: [0], format: .sift)
        let plans = [Self.plan(installations: [7])]
        guard isErased else {
            #expect(try Self.redact(payload, plans).outcome == .unchanged)
            return
        }
        let (bytes, counts, _) = try Self.redacted(payload, plans)
        #expect(try Self.events(bytes).map(\.erased) == [.rejected, nil])
        #expect(counts == [0: Self.counts(events: 0, shared: 0, rejected: 1)])
    }

    // MARK: Contexts

    @Test
    func `a context that another event still uses stays as it is`() throws {
        let base: Int64 = 1_700_000_000_000
        let payload = Self.record([
            Self.header(4, 1...2), #"{"context":{"app":{"version":"2"}}}"#, Self.event(1, time: 5),
            Self.event(2, time: 50),
        ])
        let (bytes, _, _) = try Self.redacted(payload, [Self.plan(shared: [(4, [base...base + 10])])])
        let after = try Self.events(bytes)
        #expect(after.map(\.erased) == [.accepted, nil])
        #expect(after.allSatisfy { $0.context == #"{"app":{"version":"2"}}"# })
    }

    @Test(arguments: [4, nil] as [UInt64?])
    func `a context of the person that no event uses is emptied`(installation: UInt64?) throws {
        let lines = [Self.anna, Self.bob, Self.event(1), Self.anna]
        let payload = Self.record((installation.map { [Self.header($0, 1...1)] } ?? []) + lines)
        let (bytes, counts, redactor) = try Self.redacted(payload, [Self.plan()])
        #expect(try !Self.text(bytes).contains("anna"))
        #expect(try Self.events(bytes) == Self.events(payload))
        #expect(counts.isEmpty)
        let used = installation.map { [SentBatch.installation($0): 0] } ?? [:]
        #expect(redactor.usedInstallations == used)
    }

    @Test
    func `an unused context of an erased installation is emptied, even if its user remains`() throws {
        let payload = Self.record([Self.header(4, 1...1), Self.bob, Self.anna, Self.event(1)])
        let (bytes, _, _) = try Self.redacted(payload, [Self.plan(installations: [4])])
        #expect(try !Self.text(bytes).contains("bob"))
        #expect(try Self.events(bytes).map(\.erased) == [.accepted])
    }

    // MARK: Tombstones

    @Test(arguments: [ContentEncoding.identity, .gzip])
    func `a tombstone remains, without the context of the person`(encoding: ContentEncoding) throws {
        let tombstone = SentBatch.tombstone(3)
        let payload = Self.record(
            [Self.header(4, 1...3), Self.anna, Self.event(1), tombstone, Self.event(3)],
            encoding: encoding
        )
        for plans in [[Self.plan()], [Self.plan(installations: [4])]] {
            let (bytes, counts, _) = try Self.redacted(payload, plans)
            let after = try Self.events(bytes)
            #expect(after.map(\.erased) == [.accepted, nil, .accepted])
            #expect(after[1].json == tombstone && after[1].sequence == 2)
            #expect(counts[0]?.events == 2)
            #expect(try !Self.text(bytes).contains("anna"))
        }
    }

    @Test
    func `an erasure without proof is an ordinary event`() throws {
        let forged = SentBatch.tombstone(3).replacing("proof", with: "prove")
        let payload = Self.record([Self.header(4, 1...1), Self.anna, forged])
        let (bytes, _, _) = try Self.redacted(payload, [Self.plan()])
        #expect(try Self.events(bytes).map(\.erased) == [.accepted])
    }

    // MARK: Unreadable records

    @Test
    func `a torn batch is redacted up to the tear, and reported`() throws {
        let payload = Self.record([Self.header(4, 1...3), Self.anna, Self.event(1), "{"])
        let (outcome, _) = try Self.redact(payload, [Self.plan()])
        guard case .replaced(let bytes, let counts) = outcome else {
            Issue.record("the record was not replaced: \(outcome)")
            return
        }
        var expected = Self.counts(events: 1, shared: 1)
        expected.uninspected = 1
        #expect(counts == [0: expected] && bytes.count == payload.count)
        #expect(!String(decoding: bytes, as: UTF8.self).contains("mark-1-"))
        // The person is no longer mentioned, and the readable part names another installation.
        #expect(try Self.redact(bytes, [Self.plan("carl")]).outcome == .unchanged)
    }

    @Test(
        arguments: [
            ("not a record", Array("?".utf8), true), ("an empty record", [], true),
            ("a torn batch of another person", record([header(5, 1...1), bob, "{"]), false),
            ("a torn batch of an erased installation", record([header(4, 1...1), signedOut, "{"]), true),
            ("a torn batch that mentions the person", record([header(5, 1...1), #"{"name":"anna""#]), true),
            ("a torn batch of another format", record([part(5), "{"], format: .sift), true),
            ("a damaged gzip body", record(["x"]).dropLast(1) + [0x1f, 0x8b, 8, 0], false),
        ] as [(String, [UInt8], Bool)]
    )
    func `a record that cannot be inspected is reported only if it may concern the person`(
        _ label: String,
        _ payload: [UInt8],
        isReported: Bool
    ) throws {
        let (outcome, _) = try Self.redact(payload, [Self.plan(installations: [4])])
        #expect(outcome == (isReported ? .uninspected : .unchanged), "\(label)")
    }

    @Test
    func `a gzip body that was compressed too well throws an error that names the record`() throws {
        var random = SeededNumberGenerator(seed: 5)
        func noise(_ letters: String) -> String {
            let letters = Array(letters)
            return String((0..<6_000).map { _ in letters[random.number(0...letters.count - 1)] })
        }
        func line(_ text: String) -> String { #"{"name":"tick","attributes":{"text":"\#(text)"}}"# + "\n" }
        // Two members with different letters are smaller than one member with the letters of both.
        let parts = [
            line(noise("0123456789")) + Self.anna + "\n" + line("a") + Self.signedOut + "\n",
            line(noise("abcdefghijklmnopqrstuvwxyz")),
        ]
        let body = parts.flatMap { GzipCompressor(level: 9).compress(Array($0.utf8)) }
        let header = IntakeHeader(received: Self.received, key: "shop", encoding: .gzip)
        let payload = body.withUnsafeBytes { IntakeRecord.bytes(header, body: $0) }
        #expect(try Self.events(payload).count == 3)
        let error = #expect(throws: ErasureError.self) { try Self.redact(payload, [Self.plan()]) }
        #expect(error?.description.contains("The record at \(Self.start) cannot be rewritten") == true)
        #expect(error?.description.contains("anna") == false)
    }

    @Test
    func `a gzip body that compresses better after the redaction can still be inflated`() throws {
        var random = SeededNumberGenerator(seed: 6)
        let noise = String((0..<2_000).map { _ in Character(UnicodeScalar(UInt8(random.number(97...122)))) })
        let same = #"{"name":"tick","attributes":{"text":"\#(String(repeating: "x", count: 300))"}}"#
        let lines = [Self.anna, #"{"name":"tick","attributes":{"text":"\#(noise)"}}"#, Self.signedOut]
        let payload = Self.record(lines + Array(repeating: same, count: 400), encoding: .gzip)
        #expect(try Self.events(payload).count == 401)
        let (bytes, _, _) = try Self.redacted(payload, [Self.plan()])
        #expect(try Self.events(bytes).count == 401)
    }

    // MARK: Batches rejected as a whole

    private static func quarantined(
        _ body: [UInt8],
        message: String = "The body is not valid JSON at offset 17."
    ) -> [UInt8] {
        QuarantineRecord.bytes(
            AdmissionError(.malformed, code: "malformed_json", field: "f", message: message),
            body: body,
            bodyBytes: 70_000,
            key: "shop",
            received: received
        )
    }

    private static let rejectedBody = Array((#"[{"name":"a","attributes":{"who":"anna"}},{"nam"# + "\n").utf8)

    @Test(arguments: [
        ("plain", quarantined(rejectedBody)), ("gzip", quarantined(GzipCompressor().compress(rejectedBody))),
        ("in the message only", quarantined([1], message: #"The user "anna" has no email address."#)),
    ])
    func `a batch rejected as a whole loses its content, but keeps its reason`(_ label: String, _ payload: [UInt8])
        throws
    {
        let (bytes, counts, redactor) = try Self.redacted(payload, [Self.plan("carl"), Self.plan()], kind: .quarantine)
        let record = try bytes.withUnsafeBytes { bytes in Result { try QuarantineRecord(payload: bytes) } }.get()
        #expect(record.body.isEmpty && record.bodyBytes == 70_000 && record.message == "The content was erased.")
        #expect(record.code == "malformed_json" && record.field == "f" && record.key == "shop")
        #expect(record.received == Self.received)
        #expect(counts == [1: Self.counts(events: 0, shared: 0, rejected: 1)], "\(label)")
        #expect(redactor.erasedFailures == [0])
    }

    @Test(
        arguments: [
            ("another person", quarantined(Array(#"["bob"]"#.utf8)), .unchanged),
            ("an empty body", quarantined([]), .unchanged),
            ("gzip of another person", quarantined(GzipCompressor().compress(Array(#"["bob"]"#.utf8))), .unchanged),
            ("Base64", quarantined(Array("data_list=WyJib2IiXQ".utf8)), .uninspected),
            ("truncated gzip", quarantined(Array(GzipCompressor().compress(rejectedBody).dropLast(9))), .uninspected),
            ("not a record", Array("?".utf8), .uninspected),
        ] as [(String, [UInt8], RecordRedactor.Outcome)]
    )
    func `a batch rejected as a whole remains if it does not mention the person or cannot be read`(
        _ label: String,
        _ payload: [UInt8],
        _ expected: RecordRedactor.Outcome
    ) throws {
        let (outcome, redactor) = try Self.redact(payload, [Self.plan()], kind: .quarantine)
        #expect(outcome == expected, "\(label)")
        #expect(redactor.erasedFailures.isEmpty)
    }

    @Test
    func `a rejected batch that is too short throws an error that names the record`() {
        let payload = Self.quarantined(Array(#""anna""#.utf8), message: "No.")
        let error = #expect(throws: ErasureError.self) {
            try Self.redact(payload, [Self.plan()], kind: .quarantine)
        }
        #expect(
            error?.description
                == "The rejected batch at \(Self.start) cannot be rewritten within its \(payload.count) bytes."
        )
    }

    // MARK: Other records

    @Test
    func `records of other kinds stay as they are`() throws {
        let record = UserErasureRecord(
            received: Self.received,
            key: "officer",
            identity: Self.key.hash(user: "anna"),
            user: "anna"
        )
        for kind in [FrameKind.userErasure, .erasure, .erasedEvents, .origin, .seal] {
            #expect(try Self.redact(record.bytes, [Self.plan()], kind: kind).outcome == .unchanged)
        }
    }

    @Test(arguments: [("anna", "bob"), ("bob", "anna"), ("anna", nil), ("bob", "cleo")] as [(String, String?)])
    func `a merge with an erased user loses its ids`(_ user: String, _ target: String?) throws {
        let record = UserMergeRecord(received: Self.received, key: "officer", user: user, target: target)
        guard user == "anna" || target == "anna" else {
            #expect(try Self.redact(record.bytes, [Self.plan()], kind: .userMerge).outcome == .unchanged)
            return
        }
        let (bytes, counts, _) = try Self.redacted(record.bytes, [Self.plan()], kind: .userMerge)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(!text.contains("anna") && !text.contains("bob") && counts[0]?.records == 1 && counts[0]?.events == 0)
    }

    @Test
    func `a request loses the user's id, gets the number of events, and keeps its length`() throws {
        func record(_ user: String?) -> [UInt8] {
            let identity = Self.key.hash(user: user ?? "anna")
            return UserErasureRecord(received: Self.received, key: "officer", identity: identity, user: user).bytes
        }
        func redacted(_ payload: [UInt8], _ plan: ErasurePlan) -> [UInt8]? {
            payload.withUnsafeBytes { RecordRedactor.redactedRequest($0, of: plan) }
        }
        var plan = Self.plan()
        plan.segments = [1: Self.counts(events: 9, shared: 4), 2: Self.counts(events: 1, shared: 1)]
        let bytes = try #require(redacted(record("anna"), plan))
        #expect(bytes.count == record("anna").count)
        let after = try bytes.withUnsafeBytes { bytes in Result { try UserErasureRecord(payload: bytes) } }.get()
        #expect(after.user == nil && after.events == 5 && after.identity == plan.identity && after.key == "officer")
        #expect(redacted(bytes, plan) == nil)
        #expect(redacted(record("bob"), plan) == nil && redacted(Array("?".utf8), plan) == nil)
        let order = ErasureRecord(received: Self.received, key: "ops", installation: SentBatch.installation(1))
        #expect(redacted(record("anna"), ErasurePlan(DeletionRequest(order), key: Self.key)) == nil)
    }
}
