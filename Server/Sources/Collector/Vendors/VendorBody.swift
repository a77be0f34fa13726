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
        base64 text: [UInt8],
        limits: InflateLimits
    ) throws(AdmissionError) -> [UInt8] {
        guard let bytes = text.withUnsafeBytes({ Base64Text.decode($0) }) else {
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

    /// The first byte that is not white space, which distinguishes JSON from packed text; nil when there is none.
    static func firstByte(_ text: [UInt8]) -> UInt8? { text.first { ![0x20, 0x0A, 0x0D, 0x09].contains($0) } }

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

    /// Hands over every element of a body, one after the other: those of an array, or the one object; or, where a key is
    /// given, those of the list under that key of the body's object, whose other members are checked and passed over.
    ///
    /// An element that is longer than an event may be becomes no value: as one it could take a hundred times its length. In
    /// a list under a key, an element that cannot be read costs only itself, when it is not longer than an event may be and
    /// its brackets show where it ends.
    ///
    /// - Throws: ``AdmissionError`` `malformed_json` when it cannot be determined where elements begin and end, `field_missing` or
    ///   `field_invalid` when there is no list under the key.
    static func elements(
        of json: [UInt8],
        under key: StaticString? = nil,
        limits: AdmissionLimits,
        _ visit: (Element) -> Void
    ) throws(AdmissionError) {
        // Through a Result: withUnsafeBytes hands on untyped errors only.
        let outcome = json.withUnsafeBytes { bytes in
            Result { () throws(JSONError) -> AdmissionError? in
                // Two levels more than an event's own: the array around them, and the wrapping of a refused one.
                var scanner = try JSONScanner(
                    bytes,
                    limits: JSONLimits(bytes: limits.body.inflatedBytes, depth: limits.vendorEvent.depth + 2)
                )
                let longest = limits.vendorEvent.eventBytes
                guard let key else {
                    try array(&scanner, of: bytes, longest: longest, visit)
                    return nil
                }
                return try list(under: key, &scanner, of: bytes, longest: longest, visit)
            }
        }
        switch outcome {
        case .success(nil): break
        case .success(let fault?): throw fault
        case .failure(let error):
            throw AdmissionError(
                error.code == .tooLarge ? .tooLarge : .malformed,
                code: "malformed_json",
                message: "The body is not valid JSON: \(error)."
            )
        }
    }

    private static func array(
        _ scanner: inout JSONScanner,
        of json: UnsafeRawBufferPointer,
        longest: Int,
        _ visit: (Element) -> Void
    ) throws(JSONError) {
        if try scanner.peek() == .array {
            try scanner.enterArray()
            while try scanner.nextElement() { visit(try element(&scanner, of: json, longest: longest)) }
        } else {
            visit(try element(&scanner, of: json, longest: longest))
        }
        try scanner.finish()
    }

    /// Returns what is wrong with the body beside its JSON.
    private static func list(
        under key: StaticString,
        _ scanner: inout JSONScanner,
        of json: UnsafeRawBufferPointer,
        longest: Int,
        _ visit: (Element) -> Void
    ) throws(JSONError) -> AdmissionError? {
        guard try scanner.peek() == .object else {
            return AdmissionError(
                .malformed,
                code: "field_invalid",
                message: "The body is not an object; send {\"\(key)\":[…]}."
            )
        }
        var hasList = false
        try scanner.enterObject()
        while let found = try scanner.nextKey() {
            guard scanner.text(found, equals: key) else {
                try scanner.skipValue()
                continue
            }
            guard try scanner.peek() == .array else {
                return AdmissionError(
                    .malformed,
                    code: "field_invalid",
                    field: "\(key)",
                    message: "“\(key)” is not a list of events."
                )
            }
            hasList = true
            try scanner.enterArray()
            while try scanner.nextElement() { visit(try readableElement(&scanner, of: json, longest: longest)) }
        }
        try scanner.finish()
        if hasList { return nil }
        return AdmissionError(
            .malformed,
            code: "field_missing",
            field: "\(key)",
            message: "The body has no “\(key)”; send {\"\(key)\":[…]}."
        )
    }

    /// The next element, as a value if it is not longer than an event may be.
    private static func element(
        _ scanner: inout JSONScanner,
        of json: UnsafeRawBufferPointer,
        longest: Int
    ) throws(JSONError) -> Element {
        if json.count > longest {
            let start = scanner
            let range = try scanner.skipValue()
            if range.count > longest {
                let excerpt = String(decoding: json[range].prefix(excerptBytes), as: UTF8.self)
                return .refused(excerpt, .tooLong(range.count, longest))
            }
            scanner = start
        }
        return .value(try scanner.readValue())
    }

    /// The next element; refused when it cannot be read but its end can be found.
    private static func readableElement(
        _ scanner: inout JSONScanner,
        of json: UnsafeRawBufferPointer,
        longest: Int
    ) throws(JSONError) -> Element {
        let start = scanner
        do throws(JSONError) {
            return try element(&scanner, of: json, longest: longest)
        } catch {
            scanner = start
            guard let range = scanner.skipUnreadableValue(), range.count <= longest else { throw error }
            return .refused(String(decoding: json[range], as: UTF8.self), .unreadable(error))
        }
    }

    /// How much is kept of an element that is too long.
    private static let excerptBytes = 4 << 10
}
