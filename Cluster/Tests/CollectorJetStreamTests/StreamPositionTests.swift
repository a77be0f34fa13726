// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayTesting

@testable import CollectorJetStream

@Suite("Positions in streams")
struct StreamPositionTests {
    private static let layouts: [(stream: Int, sequence: UInt64, ordinal: Int, text: String)] = [
        (0, 1, 0, "0.1.0"), (0, 134_217_727, 1_023, "0.134217727.1023"), (0, 134_217_728, 5, "1.0.5"),
        (1, 0, 0, "65536.0.0"), (1_023, (1 << 43) - 1, 1_023, "67108863.134217727.1023"),
    ]

    @Test(arguments: layouts)
    func `stream, sequence and ordinal survive encoding, and the first stream's first positions match a log's`(
        stream: Int,
        sequence: UInt64,
        ordinal: Int,
        text: String
    ) {
        let position = EventPosition(stream: stream, sequence: sequence, ordinal: ordinal)
        #expect(position.stream == stream && position.streamSequence == sequence && position.ordinal == ordinal)
        #expect(position.description == text && EventPosition(text) == position)
        let logPosition = LogPosition(stream: stream, sequence: sequence)
        #expect(logPosition.streamSequence == sequence)
        #expect(logPosition.segment == position.segment && logPosition.offset == position.offset)
    }

    @Test(arguments: 1...100)
    func `positions are ordered by stream, sequence and ordinal`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func randomValues() -> (Int, UInt64, Int) {
            let limit: UInt64 = 1 << UInt64.random(in: 0...43, using: &random)
            return (
                Int.random(in: 0...1_023, using: &random), UInt64.random(in: 0..<limit, using: &random),
                Int.random(in: 0...1_023, using: &random)
            )
        }
        let (left, right) = (randomValues(), randomValues())
        let positions = [left, right].map { EventPosition(stream: $0.0, sequence: $0.1, ordinal: $0.2) }
        #expect((positions[0] < positions[1]) == (left < right))
        let logPositions = [left, right].map { LogPosition(stream: $0.0, sequence: $0.1) }
        #expect((logPositions[0] < logPositions[1]) == ((left.0, left.1) < (right.0, right.1)))
    }

    @Test
    func `values out of range are clamped`() {
        #expect(EventPosition(stream: 2_000, sequence: .max, ordinal: 5_000).rawValue == .max)
        #expect(EventPosition(stream: -1, sequence: 0).rawValue == 0)
    }

    @Test
    func `an installation's partition never changes`() {
        let ids = (UInt64(1)...8).map { InstallationID(high: $0 << 40, low: $0) }
        #expect(ids.map { StreamNames.partition(of: $0) } == [119, 17, 31, 211, 80, 89, 179, 48])
        #expect(StreamNames.partition(of: nil) == 0)
        #expect(StreamNames().subject(of: nil) == "intake.0")
        var counts = [Int](repeating: 0, count: StreamNames.partitions)
        for number in UInt64(0)..<25_600 {
            counts[StreamNames.partition(of: InstallationID(high: number, low: ~number))] += 1
        }
        #expect((counts.min() ?? 0) > 50 && (counts.max() ?? 0) < 150)
    }

    @Test
    func `known record kinds have names, and others are written as numbers`() {
        for kind in [FrameKind.intake, .quarantine, .erasure, .erasedEvents, .reset, FrameKind(rawValue: 200)] {
            #expect(FrameKind(streamName: kind.streamName) == kind)
        }
        #expect(FrameKind.intake.streamName == "intake" && FrameKind(rawValue: 200).streamName == "200")
        #expect(FrameKind(streamName: "else") == nil)
    }
}
