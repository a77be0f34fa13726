// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayWire

/// Getting at the events of a body that may be packed in several ways. What it is, is decided by looking at it.
enum VendorBody {
    /// The bytes of a packed text: base64, and gzip in it.
    ///
    /// - Throws: ``AdmissionError`` `malformed_base64`, or a `gzip_` code.
    static func unpack(
        base64 text: UnsafeRawBufferPointer,
        limits: InflateLimits
    ) throws(AdmissionError) -> [UInt8] {
        guard let bytes = Base64Text.decode(text) else {
            throw AdmissionError(
                .malformed,
                code: "malformed_base64",
                message: "The body is neither JSON nor base64 text."
            )
        }
        return isGzip(bytes) ? try inflate(bytes, limits: limits) : bytes
    }

    /// Inflates within limits.
    static func inflate(_ bytes: [UInt8], limits: InflateLimits) throws(AdmissionError) -> [UInt8] {
        do {
            return try Gzip.inflate(bytes, limits: limits)
        } catch {
            throw AdmissionError(gzip: error, field: "")
        }
    }

    /// Whether bytes begin as gzip does.
    static func isGzip(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
        bytes.count >= 2 && bytes.first == 0x1F && bytes.dropFirst().first == 0x8B
    }

    /// An element of a body.
    enum Element {
        /// What it says.
        case value(JSONValue)
        /// Its beginning as text, and why it is not taken.
        case refused(String, VendorFault)
    }

    /// Hands over every element of an array, or the one object, one after the other.
    ///
    /// An element that is longer than an event may be becomes no value: as one it could take a hundred times its length.
    ///
    /// - Throws: ``AdmissionError`` `malformed_json` when the text is broken: then nobody can tell where events end.
    static func elements(
        of json: UnsafeRawBufferPointer,
        limits: AdmissionLimits,
        _ visit: (Element) throws(AdmissionError) -> Void
    ) throws(AdmissionError) {
        var scanner = try scanner(json, limits)
        let longest = limits.vendorEvent.eventBytes
        if try peek(&scanner) == .array {
            try entered(&scanner)
            while try hasNext(&scanner) { try visit(try boundedElement(&scanner, of: json, longest: longest)) }
        } else {
            try visit(try boundedElement(&scanner, of: json, longest: longest))
        }
        do {
            try scanner.finish()
        } catch {
            throw malformed(error)
        }
    }

    /// The next element, as a value if it is not longer than an event may be.
    private static func boundedElement(
        _ scanner: inout JSONScanner,
        of json: UnsafeRawBufferPointer,
        longest: Int
    ) throws(AdmissionError) -> Element {
        guard json.count > longest else { return .value(try value(&scanner)) }
        let start = scanner
        let range: Range<Int>
        do {
            range = try scanner.skipValue()
        } catch {
            throw malformed(error)
        }
        if range.count > longest { return .refused(excerpt(json, range), .tooLong(range.count, longest)) }
        scanner = start
        return .value(try value(&scanner))
    }

    /// How an element that is not kept begins.
    static func excerpt(_ json: UnsafeRawBufferPointer, _ range: Range<Int>) -> String {
        String(decoding: json[range].prefix(excerptBytes), as: UTF8.self)
    }

    private static let excerptBytes = 4 << 10

    // MARK: The scanner, its errors as those of admission

    static func scanner(
        _ json: UnsafeRawBufferPointer,
        _ limits: AdmissionLimits
    ) throws(AdmissionError) -> JSONScanner {
        do {
            // Two levels more than an event's own: the array around them, and the wrapping of a refused one.
            return try JSONScanner(
                json,
                limits: JSONLimits(bytes: limits.body.inflatedBytes, depth: limits.vendorEvent.depth + 2)
            )
        } catch {
            throw malformed(error)
        }
    }

    static func peek(_ scanner: inout JSONScanner) throws(AdmissionError) -> JSONKind {
        do {
            return try scanner.peek()
        } catch {
            throw malformed(error)
        }
    }

    static func entered(_ scanner: inout JSONScanner) throws(AdmissionError) {
        do {
            try scanner.enterArray()
        } catch {
            throw malformed(error)
        }
    }

    static func hasNext(_ scanner: inout JSONScanner) throws(AdmissionError) -> Bool {
        do {
            return try scanner.nextElement()
        } catch {
            throw malformed(error)
        }
    }

    static func value(_ scanner: inout JSONScanner) throws(AdmissionError) -> JSONValue {
        do {
            return try scanner.readValue()
        } catch {
            throw malformed(error)
        }
    }

    static func malformed(_ error: JSONError) -> AdmissionError {
        AdmissionError(
            error.code == .tooLarge ? .tooLarge : .malformed,
            code: "malformed_json",
            message: "The body is not valid JSON: \(error)."
        )
    }
}
