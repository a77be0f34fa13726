// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

@Suite("Owners of records, and replacements for deleted ones")
struct RecordOwnerTests {
    private static let start = LogPosition(stream: 0, sequence: 17)

    private static func owner(_ payload: [UInt8], _ kind: FrameKind = .intake) -> RecordOwner? {
        let limits = AdmissionLimits()
        let kept = payload.withUnsafeBytes { ParsedRecord(kind, $0, at: start, limits: limits) }
        return RecordOwner(kept, at: start, limits: limits)
    }

    private static func record(_ about: String, _ lines: [String]) -> [UInt8] {
        let head = #"{"received":1700000000000,"key":"dev","encoding":"identity"\#(about)}"#
        return Array(([head] + lines).joined(separator: "\n").utf8)
    }

    private static func head(_ installation: UInt64?) -> String {
        let member = installation.map { #""installation":"\#(SentBatch.installation($0))""# } ?? ""
        return #"{"batch":{\#(member)}}"#
    }

    private static func event(_ number: UInt64) -> String {
        #"{"id":"\#(SentBatch.id(number))","name":"tick","time":1700000000000}"#
    }

    @Test
    func `a batch belongs to its installation, with its accepted events`() throws {
        var batch = SentBatch(4, 1...9)
        batch.rejected = [2, 5]
        batch.dropped = 10...12
        let owner = try #require(Self.owner(batch.record))
        #expect(owner.installation == SentBatch.installation(4) && owner.events == 7 && owner.origin == nil)
        let empty = Self.owner(Self.record("", [Self.head(4)]))
        #expect(empty?.installation == SentBatch.installation(4) && empty?.events == 0)
    }

    @Test
    func `a record that requests an erasure has no owner and is therefore kept, regardless of its sender`() {
        var batch = SentBatch(4, 1...2)
        batch.more = [SentBatch.tombstone(3)]
        #expect(Self.owner(batch.record) == nil)
        let order = ErasureRecord(
            received: Timestamp(milliseconds: 1),
            key: "ops",
            installation: SentBatch.installation(4)
        )
        #expect(Self.owner(order.bytes, .erasure) == nil && Self.owner(order.bytes, .erasedEvents) == nil)
    }

    @Test(
        arguments: [
            ([4], true), ([4, 4], true), ([4, 5], false), ([4, nil], false), ([nil, 4], false), ([nil], false),
        ] as [([UInt64?], Bool)]
    )
    func `a translated body has an owner only if all its events are from one installation`(
        installations: [UInt64?],
        isOwned: Bool
    ) {
        let lines = installations.enumerated().flatMap { [Self.head($0.element), Self.event(UInt64($0.offset) + 1)] }
        let owner = Self.owner(Self.record(#","format":"clickstream""#, lines))
        #expect((owner != nil) == isOwned)
        if isOwned { #expect(owner?.installation == SentBatch.installation(4) && owner?.events == installations.count) }
    }

    @Test
    func `an unreadable record or one without an installation has no owner; in our own format, a header is enough`() {
        #expect(Self.owner(Self.record("", [Self.event(1)])) == nil)
        #expect(Self.owner(Array("?".utf8)) == nil && Self.owner([]) == nil)
        #expect(Self.owner(SentBatch(4, 1...2).record, .quarantine) == nil)
        let torn = [Self.head(4), Self.event(1), "{"]
        #expect(Self.owner(Self.record("", torn))?.installation == SentBatch.installation(4))
        #expect(Self.owner(Self.record(#","format":"sift""#, torn)) == nil)
    }

    @Test
    func `a replay record contains the position of the rejected events`() {
        let position = EventPosition(stream: 0, sequence: 9, ordinal: 1)
        let about = #","replayed":{"at":5,"key":"ops","position":"\#(position)","ordinals":[1],"refused":[]}"#
        let owner = Self.owner(Self.record(about, [Self.head(4), Self.event(1)]))
        #expect(owner?.origin?.streamSequence == 9 && owner?.events == 1)
    }

    @Test
    func `an entry is read back as written, and one of another stream or kind is ignored`() {
        let record = DeletedRecordEntry(sequence: 17, installation: SentBatch.installation(4), events: 3)
        #expect(DeletedRecordEntry(json: record.json(of: "then"), of: "then") == record)
        #expect(DeletedRecordEntry(json: record.json(of: "then"), of: "later") == nil)
        let text = String(decoding: record.json(of: "then"), as: UTF8.self)
        for (part, other) in [
            (":17", ":0"), (":17", ":-4"), (":17", ":\"17\""), (":3", ":-3"), ("installation", "whose"),
        ] {
            let changed = text.replacing(part, with: other)
            #expect(changed != text && DeletedRecordEntry(json: Array(changed.utf8), of: "then") == nil, "\(changed)")
        }
        let progress = ErasureProgress(done: 3, goal: 9, next: 5)
        #expect(ErasureProgress(json: progress.json(of: "then"), of: "then") == progress)
        #expect(ErasureProgress(json: progress.json(of: "then"), of: "later") == nil)
        #expect(ErasureProgress(json: Array(#"{"stream":"then","done":3,"goal":2,"next":0}"#.utf8), of: "then") == nil)
    }

    @Test
    func `a deleted record is replaced by the number of its events that were not kept`() throws {
        let record = DeletedRecordEntry(sequence: 17, installation: SentBatch.installation(4), events: 3)
        let end = LogPosition(stream: 0, sequence: 18)
        let streamed = record.replacementRecord(from: Self.start, to: end)
        #expect(streamed.kind == .erasedEvents && streamed.start == Self.start && streamed.end == end)
        let erasure = try streamed.payload.withUnsafeBytes { try ErasureRecord(payload: $0) }
        #expect(erasure.installation == record.installation && erasure.events == 3)
    }
}
