// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing

@testable import CollectorCore

struct EventPositionTests {
    @Test
    func `a position converts to and from its text, its number and its parts`() {
        var random = SplitMix(state: 3)
        for _ in 0..<1_000 {
            let position = EventPosition(rawValue: Int64(random.next() >> 1))
            #expect(EventPosition(position.description) == position)
            let parts = EventPosition(
                segment: position.segment,
                offset: position.offset,
                ordinal: position.ordinal
            )
            #expect(parts == position)
        }
    }

    @Test
    func `positions are ordered by arrival`() {
        let ordered = ["0.0.0", "1.16.0", "1.16.9", "1.24.0", "2.0.0", "2.0.1023"].compactMap(EventPosition.init)
        #expect(ordered.count == 6 && ordered == ordered.sorted())
    }

    @Test
    func `the short form in responses is also parsed as a position`() {
        #expect(EventPosition("3.88213") == EventPosition(segment: 3, offset: 88_213))
    }

    @Test(arguments: ["", "3", "3.", "a.b", "3.4.5.6", "3.4.1024", "-1.2", "3.999999999"])
    func `other strings are not valid positions`(_ text: String) {
        #expect(EventPosition(text) == nil)
    }
}
