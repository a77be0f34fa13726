// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayLifecycle

@Suite("Buffer of a sensor's latest readings")
struct ReadingBufferTests {
    @Test(arguments: [0, 1, 2, 3, 10, -1])
    func `a buffer keeps the latest readings in order, and returns the reading that a new one replaces`(capacity: Int) {
        var buffer = ReadingBuffer<Int>(capacity: capacity)
        let size = max(capacity, 0)
        #expect(buffer.capacity == size)
        #expect(buffer.first == nil && buffer.last == nil && buffer.isEmpty)
        for reading in 0..<35 {
            let replaced = buffer.append(reading)
            let expected = Array(max(0, reading + 1 - size)..<(reading + 1))
            #expect(replaced == (size == 0 ? reading : reading < size ? nil : reading - size))
            #expect(buffer.readings == expected)
            #expect(buffer.count == expected.count)
            #expect(buffer.first == expected.first)
            #expect(buffer.last == expected.last)
        }
    }

    @Test
    func `draining removes all readings, after which the buffer is like new`() {
        var buffer = ReadingBuffer<Int>()
        for reading in 1...13 { buffer.append(reading) }
        #expect(buffer.drain() == Array(4...13))
        #expect(buffer == ReadingBuffer())
        #expect(buffer.drain() == [])
        #expect(buffer.append(1) == nil)
        #expect(buffer.readings == [1])
    }
}
