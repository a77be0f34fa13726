// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import LibFuzzer
import TrackwayCore

/// Feeds arbitrary bytes to all code that reads JSON.
///
/// No input may cause a trap or a read out of bounds, and all readers that accept a text must agree on its contents.
@main
struct FuzzJSONScanner {
    static func main() {
        LibFuzzer.run(test)
    }

    static func test(_ bytes: UnsafeRawBufferPointer) {
        let value = parse(bytes)
        let passed = skip(bytes)
        expect((value != nil) == passed, "parsing and skipping must agree")
        if let value {
            let text = value.json()
            let reread = text.withUnsafeBytes { parse($0) }
            expect(reread == value && reread?.json() == text, "written values must read back")
            // The standard library replaces invalid UTF-8, so only valid UTF-8 is returned unchanged.
            expect(String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes), "JSON is UTF-8")
        }
        if let event = event(bytes) {
            expect(value != nil, "an event is JSON")
            let encoded = encode(event, limits: EventLimits())
            if encoded.diagnostics == 0 {
                expect(encoded.json.withUnsafeBytes { self.event($0) } == event, "events must read back")
            }
            var tightLimits = EventLimits()
            tightLimits.eventBytes = EventLimits.minimumEventBytes
            tightLimits.stringBytes = 16
            tightLimits.attributes = 3
            tightLimits.items = 2
            tightLimits.depth = 3
            let limited = encode(event, limits: tightLimits)
            expect(limited.json.count <= tightLimits.eventBytes, "the size limit is respected")
            expect(limited.json.withUnsafeBytes { scan($0, EventLimits()) }, "events repaired by the encoder are valid")
        }
        if scan(bytes, EventLimits()) { expect(value != nil, "a scanned event is JSON") }
    }

    static func parse(_ bytes: UnsafeRawBufferPointer) -> JSONValue? {
        do throws(JSONError) {
            return try JSONValue.parse(bytes)
        } catch {
            expect((0...bytes.count).contains(error.offset), "an error's offset is inside the text")
            return nil
        }
    }

    static func skip(_ bytes: UnsafeRawBufferPointer) -> Bool {
        do throws(JSONError) {
            var scanner = try JSONScanner(bytes)
            try scanner.skipValue()
            try scanner.finish()
            return true
        } catch {
            return false
        }
    }

    static func event(_ bytes: UnsafeRawBufferPointer) -> Event? {
        do throws(JSONError) {
            return try Event(json: bytes)
        } catch {
            return nil
        }
    }

    static func scan(_ bytes: UnsafeRawBufferPointer, _ limits: EventLimits) -> Bool {
        do throws(EventFault) {
            _ = try EventScan(bytes, limits: limits)
            return true
        } catch {
            expect((0...bytes.count).contains(error.offset), "a fault's offset is inside the text")
            return false
        }
    }

    static func encode(_ event: Event, limits: EventLimits) -> (json: [UInt8], diagnostics: Int) {
        var diagnostics = 0
        return (event.json(limits: limits) { _ in diagnostics += 1 }, diagnostics)
    }
}
