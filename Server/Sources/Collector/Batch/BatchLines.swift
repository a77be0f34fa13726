// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Takes a body apart into its pieces: NDJSON with or without a header, an array of events, `{"events":[…]}`, or one
/// event alone. What admission checks and what the index reads later is the same walk over the same bytes.
///
/// Borrows the bytes and must not outlive them. Lines are not checked beyond their first key; the elements of an array
/// are checked on the way, because nothing else tells where they end.
package struct BatchLines {
    private enum Form {
        case lines
        case array(JSONScanner)
        case single(Range<Int>)
        case ended
    }

    private let bytes: UnsafeRawBufferPointer
    private var form: Form
    private var offset = 0
    private var isFirst = true
    private let hasManyHeaders: Bool

    /// The pieces of a body.
    ///
    /// - Parameters:
    ///   - bytes: The body, inflated.
    ///   - hasManyHeaders: Whether a header may stand on any line, as in what was translated from another format.
    /// - Throws: ``AdmissionError`` `malformed_json` when the body is one JSON document and that is broken before the
    ///   first event.
    package init(_ bytes: UnsafeRawBufferPointer, hasManyHeaders: Bool = false) throws(AdmissionError) {
        self.bytes = bytes
        self.hasManyHeaders = hasManyHeaders
        form = .lines
        let first = LineSplitter.skipSpace(bytes, from: 0)
        guard first < bytes.count else { return }
        if bytes[first] == UInt8(ascii: "[") {
            form = .array(try Self.scanner(bytes, enteringArrayAt: nil))
        } else if LineSplitter.firstKey(bytes, first..<bytes.count, is: "events") {
            form = .array(try Self.scanner(bytes, enteringArrayAt: "events"))
        } else if let whole = Self.singleObject(bytes, from: first) {
            form = .single(whole)
        }
    }

    /// The next piece; nil at the end.
    ///
    /// - Throws: ``AdmissionError`` `malformed_json` when an array is broken; what came before it does not count then.
    package mutating func next() throws(AdmissionError) -> BatchLine? {
        switch form {
        case .lines:
            return nextLine()
        case .array(var scanner):
            do throws(JSONError) {
                guard try scanner.nextElement() else {
                    try Self.finish(&scanner)
                    form = .ended
                    return nil
                }
                let element = try scanner.skipValue()
                form = .array(scanner)
                return .event(element)
            } catch {
                throw Self.malformed(error)
            }
        case .single(let range):
            form = .ended
            return .event(range)
        case .ended:
            return nil
        }
    }

    private mutating func nextLine() -> BatchLine? {
        while offset < bytes.count {
            let end = LineSplitter.endOfLine(bytes, from: offset)
            let line = LineSplitter.trimmed(bytes, offset..<end)
            offset = end + 1
            if line.isEmpty { continue }
            defer { isFirst = false }
            if isFirst || hasManyHeaders, LineSplitter.firstKey(bytes, line, is: "batch") { return .header(line) }
            return LineSplitter.firstKey(bytes, line, is: "context") ? .context(line) : .event(line)
        }
        return nil
    }

    /// One object that spans lines, as a person writes it; nil when the body is lines of objects.
    private static func singleObject(_ bytes: UnsafeRawBufferPointer, from first: Int) -> Range<Int>? {
        let line = LineSplitter.trimmed(bytes, first..<LineSplitter.endOfLine(bytes, from: first))
        // Only an object that its first line leaves open can be one. Lines of a batch end with a brace.
        guard line.isEmpty || bytes[line.upperBound - 1] != UInt8(ascii: "}") else { return nil }
        do {
            var scanner = try JSONScanner(bytes)
            let whole = try scanner.skipValue()
            try scanner.finish()
            return whole
        } catch {
            // Not one object either: then it is lines, and the faulty ones are named one by one.
            return nil
        }
    }

    private static func scanner(
        _ bytes: UnsafeRawBufferPointer,
        enteringArrayAt key: StaticString?
    ) throws(AdmissionError) -> JSONScanner {
        do throws(JSONError) {
            var scanner = try JSONScanner(bytes)
            if key != nil {
                try scanner.enterObject()
                _ = try scanner.nextKey()
            }
            try scanner.enterArray()
            return scanner
        } catch {
            throw malformed(error)
        }
    }

    /// Leaves the array, and the object around it if there is one.
    private static func finish(_ scanner: inout JSONScanner) throws(JSONError) {
        while scanner.depth > 0 {
            guard try scanner.nextKey() != nil else { continue }
            try scanner.skipValue()
        }
        try scanner.finish()
    }

    private static func malformed(_ error: JSONError) -> AdmissionError {
        AdmissionError(.malformed, code: "malformed_json", message: "The body is not valid JSON: \(error).")
    }
}
