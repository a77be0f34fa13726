// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore

@Suite("Writing JSON")
struct JSONWriterTests {
    @Test
    func `commas are written between members and elements`() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("a")
        writer.beginArray()
        writer.element()
        writer.integer(1)
        writer.element()
        writer.string("x")
        writer.element()
        writer.beginObject()
        writer.endObject()
        writer.endArray()
        writer.key("b")
        writer.boolean(true)
        writer.key("c")
        writer.null()
        writer.key("d")
        writer.raw(Array("{\"kept\":1}".utf8))
        writer.key("e")
        writer.date(Timestamp(milliseconds: 0))
        writer.key("f")
        writer.id(EventID(high: 0, low: 0))
        writer.endObject()
        #expect(
            String(decoding: writer.array(), as: UTF8.self)
                == #"{"a":[1,"x",{}],"b":true,"c":null,"d":{"kept":1},"e":"1970-01-01T00:00:00.000Z","f":"00000000-0000-0000-0000-000000000000"}"#
        )
    }

    @Test
    func `truncation removes the written bytes, and their memory is reused`() {
        var writer = JSONWriter()
        writer.string("abc")
        writer.truncate(to: 99)
        #expect(writer.count == 5)
        writer.truncate(to: -1)
        #expect(writer.array().isEmpty)
        writer.string("d")
        writer.removeAll()
        writer.integer(7)
        #expect(writer.array() == [0x37])
    }

    @Test
    func `the buffer grows as needed`() throws {
        var writer = JSONWriter()
        writer.beginArray()
        for index in 0..<20_000 {
            writer.element()
            writer.string("text \u{1} \(index)")
        }
        writer.endArray()
        let value = try JSONValue.parse(writer.array())
        #expect(value.array?.count == 20_000)
        #expect(value.array?.last?.string == "text \u{1} 19999")
    }
}
