// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayTesting

@Suite("The collector's wire format")
struct CollectorFormatTests {
    private let sentAt = Timestamp(milliseconds: 1_700_000_005_000)

    private func lines(of batch: EventBatch) throws -> [String] {
        let request = try CollectorDestination(url: "https://c.example", writeKey: "k").request(
            for: batch,
            sentAt: sentAt
        )
        return String(decoding: try Gzip.inflate(request.body), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private func header(_ text: String) throws -> BatchHeader {
        try Array(text.utf8).withUnsafeBytes { try BatchHeader(json: $0) }
    }

    @Test
    func `a batch is encoded exactly as the golden text`() throws {
        #expect(try lines(of: BatchFixture.full).joined(separator: "\n") == BatchFixture.golden)
    }

    @Test
    func `the request contains the key, content type, encoding and batch id`() throws {
        let destination = CollectorDestination(url: "https://c.example/base/", writeKey: "secret-1")
        let request = try destination.request(for: BatchFixture.full, sentAt: sentAt)
        #expect(request.method == "POST")
        #expect(request.url == "https://c.example/base/v1/events")
        #expect(request.headers["Authorization"] == "Bearer secret-1")
        #expect(request.headers["Content-Type"] == "application/x-ndjson")
        #expect(request.headers["Content-Encoding"] == "gzip")
        #expect(request.headers["Trackway-Batch"] == "018bcfe5-6800-7000-8000-000000000002-3-11")
        #expect(request.omitted == [])
        #expect(try destination.request(for: BatchFixture.full, sentAt: sentAt) == request)
    }

    @Test(arguments: [
        ("https://c.example", "https://c.example/v1/events"),
        ("https://c.example/ingest?x=1", "https://c.example/ingest/v1/events?x=1"),
        ("https://c.example/?tenant=7&zone=eu#top", "https://c.example/v1/events?tenant=7&zone=eu"),
    ])
    func `events are sent to v1/events under the address, with its query`(url: String, endpoint: String) throws {
        let destination = CollectorDestination(url: url, writeKey: "k")
        #expect(try destination.request(for: BatchFixture.full, sentAt: sentAt).url == endpoint)
    }

    @Test
    func `without compression, the body is plain and has no encoding header`() throws {
        let plain = CollectorDestination(url: "https://c.example", writeKey: "k", isCompressed: false)
        let request = try plain.request(for: BatchFixture.full, sentAt: sentAt)
        #expect(request.headers["Content-Encoding"] == nil)
        #expect(String(decoding: request.body, as: UTF8.self) == BatchFixture.golden)
    }

    @Test(arguments: [
        ("", "k"), ("c.example", "k"), ("ftp://c.example", "k"), ("https://", "k"), ("https:///x", "k"),
        ("https://a b", "k"), ("https://user:password@c.example", "k"), ("https://c.example", ""),
        ("https://c.example", "a b"), ("https://c.example", "k\r\nx-evil: 1"), ("https://ä.example", "k"),
    ])
    func `invalid settings are reported instead of sent`(url: String, key: String) {
        let destination = CollectorDestination(url: url, writeKey: key)
        let error = #expect(throws: WireEncodingError.self) {
            try destination.request(for: BatchFixture.full, sentAt: sentAt)
        }
        #expect(error?.code == .misconfigured)
    }

    @Test
    func `a batch with only gaps consists of only a header`() throws {
        let batch = BatchFixture.batch(
            [],
            first: 3,
            last: 4,
            dropped: [
                DroppedRange(sequences: 3...4, reason: .damaged)
            ]
        )
        let lines = try lines(of: batch)
        #expect(lines.count == 2)
        #expect(try header(lines[0]).dropped == [DroppedRange(sequences: 3...4, reason: .damaged)])
    }

    @Test
    func `a header reads back as it was written`() throws {
        let header = CollectorFormat.header(for: BatchFixture.full, sentAt: sentAt)
        var writer = JSONWriter()
        header.write(into: &writer)
        #expect(try BatchHeader(json: writer.bytes) == header)
        let sequences = try #require(header.sequences)
        #expect(sequences.count == 4)
        #expect(Array(sequences) == [3, 4, 8, 10])
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `every number of a batch is accounted for once, and the receiver's counts match the sender's`(seed: UInt64)
        throws
    {
        var random = SeededGenerator(seed: seed)
        let first = 1 + random.next() % 50
        var events: [(sequence: UInt64, context: UInt32, json: String)] = []
        var dropped: [DroppedRange] = []
        var skipped: [ClosedRange<UInt64>] = []
        var next = first
        for _ in 0..<random.next(below: 30) {
            let length = 1 + random.next() % 5
            switch random.next() % 5 {
            case 0: dropped.append(DroppedRange(sequences: next...(next + length - 1), reason: .damaged))
            case 1: skipped.append(next...(next + length - 1))
            case 2: break  // Unaccounted for.
            default: events += (next..<next + length).map { ($0, 1, BatchFixture.event) }
            }
            next += length
        }
        // Incorrect ranges, which overlap events and reach outside the batch.
        if random.nextBool() { dropped.append(DroppedRange(sequences: 0...(first + 2), reason: .expired)) }
        if random.nextBool() { skipped.append(first...(first + random.next() % 20)) }
        let batch = BatchFixture.batch(events, first: first, last: next - 1, dropped: dropped, skipped: skipped)
        for cut in [0, events.count / 2, events.count] {
            for part in [batch.slice(0..<cut), batch.slice(cut..<events.count)] {
                let header = CollectorFormat.header(for: part, sentAt: sentAt)
                #expect(Array(try #require(header.sequences)) == part.records.map(\.sequence))
                #expect(header.sequences?.count == UInt64(part.records.count))
            }
        }
    }

    @Test(
        arguments: [
            (1, 3, [], [1, 2, 3]),
            (1, 0, [], []),
            (1, 5, [1...1, 5...5], [2, 3, 4]),
            (1, 5, [4...9, 0...2, 2...3], []),
            (5, 9, [6...6, 6...7, 20...30], [5, 8, 9]),
            (UInt64.max - 1, .max, [], [.max - 1, .max]),
            (UInt64.max - 1, .max, [UInt64.max...UInt64.max], [.max - 1]),
        ] as [(UInt64, UInt64, [ClosedRange<UInt64>], [UInt64])]
    )
    func `batch sequences are the numbers without the gaps, even at the ends`(
        first: UInt64,
        last: UInt64,
        gaps: [ClosedRange<UInt64>],
        numbers: [UInt64]
    ) {
        let sequences = BatchSequences(first: first, last: last, without: gaps)
        #expect(Array(sequences) == numbers)
        #expect(sequences.count == UInt64(numbers.count))
    }

    @Test
    func `simple clients may omit members that they do not know, and newer clients may add members`() throws {
        #expect(try header(#"{"batch":{}}"#) == BatchHeader())
        #expect(try header(#"{"batch":{}}"#).sequences == nil)
        let newer =
            #" { "batch" : {"id":"x","colour":{"deep":[1,2]},"dropped":[[1,2,"why",{"more":1}]]} , "later":true } "#
        let read = try header(newer)
        #expect(read.id == "x")
        #expect(read.dropped == [DroppedRange(sequences: 1...2, reason: DropReason(rawValue: "why"))])
    }

    @Test(arguments: [
        #"{"batch":[]}"#, #"{"batch":{"first":1}}"#, #"{"batch":{"first":5,"last":3}}"#,
        #"{"batch":{"first":-1,"last":3}}"#, #"{"batch":{"first":1.5,"last":3}}"#,
        #"{"batch":{"writer":"nobody"}}"#, #"{"batch":{"dropped":[[3,1,"x"]]}}"#,
        #"{"batch":{"dropped":[[1,3]]}}"#, #"{"batch":{"skipped":[[1]]}}"#, #"{"batch":{"skipped":[1,3]}}"#,
        #"{"batch":{"id":7}}"#, #"{"batch":{}"#, #"{"batch":{}} x"#, "", "[]",
        #"{"batch":{"id":"\#(String(repeating: "x", count: 129))"}}"#,
    ])
    func `an invalid header is rejected`(text: String) {
        #expect(throws: JSONError.self) { try header(text) }
    }

    @Test(
        arguments: [
            (#"{"batch":{}}"#, .batch), (#" {"context":{}}"#, .context), (BatchFixture.event, .event),
            (#"{"name":"x","context":{}}"#, .event), ("{}", .event), ("", .event), ("[1]", .event),
            ("nonsense", .event),
        ] as [(String, CollectorFormat.Line)]
    )
    func `lines are distinguished by their first member`(line: String, kind: CollectorFormat.Line) {
        #expect(Array(line.utf8).withUnsafeBytes { CollectorFormat.kind(of: $0) } == kind)
    }
}
