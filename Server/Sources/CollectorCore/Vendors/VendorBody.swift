// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDestinationKit

/// Extracts the events of a body packed in one of several ways.
///
/// The form is detected from the bytes.
enum VendorBody {
    /// Returns the bytes of a base64 text, inflated if they are gzip.
    ///
    /// - Throws: ``AdmissionError`` `malformed_base64`, or a `gzip_` code.
    static func unpack(
        base64 text: [UInt8],
        limits: InflateLimits
    ) throws(AdmissionError) -> [UInt8] {
        guard let bytes = text.withUnsafeBytes({ Base64.decodeLeniently($0) }) else {
            throw AdmissionError(
                .malformed,
                code: .malformedBase64,
                message: "The body is neither JSON nor base64 text."
            )
        }
        return isGzip(bytes) ? try inflate(bytes, limits: limits) : bytes
    }

    /// Inflates bytes within limits.
    static func inflate(_ bytes: [UInt8], limits: InflateLimits) throws(AdmissionError) -> [UInt8] {
        do {
            return try Gzip.inflate(bytes, limits: limits)
        } catch {
            throw AdmissionError(gzip: error, field: "")
        }
    }

    /// Returns the first byte that is not white space; nil if none.
    ///
    /// This byte distinguishes JSON from packed text.
    static func firstByte(_ text: [UInt8]) -> UInt8? { text.first { ![0x20, 0x0A, 0x0D, 0x09].contains($0) } }

    /// Whether bytes begin like gzip data.
    static func isGzip(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
        bytes.count >= 2 && bytes.first == 0x1F && bytes.dropFirst().first == 0x8B
    }

    /// An element of a body.
    enum Element {
        /// The value of the element.
        case value(JSONValue)
        /// The beginning of a rejected element as text, and the reason for the rejection.
        case refused(String, VendorFault)
    }

    /// Passes every element of a body to a closure, in order.
    ///
    /// Without a key, these are the elements of an array, or the only object. With a key, these are the elements of the
    /// list under that key in the body's object, whose other members are checked and skipped.
    ///
    /// An element longer than the maximum for an event is not parsed into a value, which could take a hundred times its
    /// length. In a list under a key, an unreadable element affects only itself if it is not longer than that maximum
    /// and its brackets show where it ends.
    ///
    /// - Throws: ``AdmissionError`` `malformed_json` if the boundaries of elements cannot be determined,
    ///   `field_missing` or `field_invalid` if the key has no list.
    static func elements(
        of json: [UInt8],
        under key: StaticString? = nil,
        limits: AdmissionLimits,
        _ visit: (Element) -> Void
    ) throws(AdmissionError) {
        // A Result, because withUnsafeBytes rethrows untyped errors only.
        let outcome = json.withUnsafeBytes { bytes in
            Result { () throws(JSONError) -> AdmissionError? in
                // Two levels more than an event's own: the array around the events, and the wrapping of a rejected one.
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
                code: .malformedJSON,
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

    /// Reads a list under a key.
    ///
    /// Errors in the body other than invalid JSON are returned, not thrown.
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
                code: .fieldInvalid,
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
                    code: .fieldInvalid,
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
            code: .fieldMissing,
            field: "\(key)",
            message: "The body has no “\(key)”; send {\"\(key)\":[…]}."
        )
    }

    /// Reads the next element.
    ///
    /// An element longer than the maximum for an event does not become a value.
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

    /// Reads the next element.
    ///
    /// Rejects it if it is unreadable but its end can be found.
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

    /// The maximum number of bytes kept of an element that is too long.
    private static let excerptBytes = 4 << 10
}
