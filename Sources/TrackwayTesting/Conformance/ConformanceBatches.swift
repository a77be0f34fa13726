// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Batches that a destination must handle: ordinary, minimal, and unusual ones.
enum ConformanceBatches {
    /// All batches, with names for the findings.
    static var all: [(name: String, batch: EventBatch)] {
        let many = (1...40).map { event(UInt32($0), "view", ["n": .integer(Int64($0))]) }
        let whole = batch(many)
        return [
            ("one plain event", batch([event(1, "plain")])),
            ("one event with every kind of value", batch([full])),
            ("unusual text", batch(unusual)),
            ("extreme numbers", batch([numbers])),
            ("forty events", whole),
            ("the first half of forty", whole.slice(0..<20)),
            ("the second half of forty", whole.slice(20..<40)),
            ("one out of forty", whole.slice(17..<18)),
            ("two contexts", batch([event(1, "before"), event(2, "after")], secondContextFrom: 1)),
            ("no context", batch([event(1, "alone")], hasContext: false)),
            ("gaps", batch([event(1, "left"), event(5, "right")], first: 1, places: [1, 5])),
        ]
    }

    static func event(_ number: UInt32, _ name: String, _ attributes: Attributes = [:], items: [Item] = []) -> Event {
        let time = Timestamp(milliseconds: 1_700_000_000_000 + Int64(number))
        return Event(
            id: EventIDGenerator(randomBits: 42, firstCounter: number).next(at: time),
            name: name,
            time: time,
            monotonic: MonotonicTime(milliseconds: 1_000 + Int64(number)),
            attributes: attributes,
            items: items
        )
    }

    private static var full: Event {
        event(
            1,
            "purchase",
            [
                "text": "shoes", "whole": 3, "fraction": 279.9, "truth": true,
                "date": .date(Timestamp(milliseconds: 1_700_000_000_000)),
                "list": .array([1, "two", 3.5, false]), "object": ["inner": ["deep": 1]], "empty": "",
            ],
            items: [Item(id: "123", name: "Nature", ["publisher": "Nature Research"]), Item(id: "4")]
        )
    }

    private static var unusual: [Event] {
        let texts = [
            "\"quoted\\ and\nbroken\"", "\u{0}\u{1F}\u{7F}", "👩‍👩‍👧‍👦 家族", "\u{2028}\u{2029}", "</script>", "a&b=c%20",
            String(repeating: "long ", count: 1_000),
        ]
        return texts.enumerated().map { event(UInt32($0.offset + 1), "strange", ["text": .string($0.element)]) }
    }

    private static var numbers: Event {
        event(
            1,
            "numbers",
            [
                "largest": .integer(.max), "smallest": .integer(.min), "tiny": .double(.leastNonzeroMagnitude),
                "huge": .double(.greatestFiniteMagnitude), "zero": -0.0, "third": .double(1.0 / 3.0),
            ]
        )
    }

    private static func batch(
        _ events: [Event],
        first: UInt64 = 1,
        places: [UInt64]? = nil,
        hasContext: Bool = true,
        secondContextFrom second: Int? = nil
    ) -> EventBatch {
        var bytes: [UInt8] = []
        func put(_ content: [UInt8]) -> Range<Int> {
            let start = bytes.count
            bytes += content
            return start..<bytes.count
        }
        var contexts: [EventBatch.Context] = []
        if hasContext {
            let text = #"{"app":{"id":"test"},"boot":"b","global":{"channel":"store"}}"#
            contexts.append(EventBatch.Context(generation: 1, content: put(Array(text.utf8))))
        }
        if second != nil {
            let text = #"{"app":{"id":"test"},"boot":"b","user":{"id":"user-42"}}"#
            contexts.append(EventBatch.Context(generation: 2, content: put(Array(text.utf8))))
        }
        let places = places ?? events.indices.map { first + UInt64($0) }
        let records = events.enumerated().map { index, event in
            EventBatch.Record(
                sequence: places[index],
                context: second.map { index >= $0 ? 2 : 1 } ?? (hasContext ? 1 : 0),
                payload: put(event.json())
            )
        }
        let last = places.last ?? first
        let missing = (first...last).filter { !places.contains($0) }
        return EventBatch(
            installation: InstallationID(high: 0x018B_D0E5_0000_7001, low: 0x8000_0000_0000_0001),
            writer: WriterID(high: 0x018B_D0E5_0000_7002, low: 0x8000_0000_0000_0002),
            first: first,
            last: last,
            recorded: last + 10,
            records: records,
            contexts: contexts,
            dropped: missing.first.map { [DroppedRange(sequences: $0...$0, reason: .damaged)] } ?? [],
            skipped: missing.dropFirst().first.map { [$0...(missing.last ?? $0)] } ?? [],
            bytes: bytes
        )
    }
}
