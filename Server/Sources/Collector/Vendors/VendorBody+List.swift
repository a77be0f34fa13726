// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension VendorBody {
    /// Hands over every element of the list that stands under a key of the body's object, one after the other. What else the
    /// object has is checked and passed over.
    ///
    /// An element that cannot be read costs only itself, when it is not longer than an event may be and its brackets tell
    /// where it ends.
    ///
    /// - Throws: ``AdmissionError`` `malformed_json` when nobody can tell where elements begin and end, `field_missing` or
    ///   `field_invalid` when there is no such list.
    static func elements(
        under key: StaticString,
        of json: UnsafeRawBufferPointer,
        limits: AdmissionLimits,
        _ visit: (Element) -> Void
    ) throws(AdmissionError) {
        var scanner = try scanner(json, limits)
        guard try peek(&scanner) == .object else {
            throw AdmissionError(
                .malformed,
                code: "field_invalid",
                message: "The body is not an object; send {\"\(key)\":[…]}."
            )
        }
        var hasList = false
        try passing { () throws(JSONError) in try scanner.enterObject() }
        while let found = try passing({ () throws(JSONError) in try scanner.nextKey() }) {
            guard scanner.text(found, equals: key) else {
                try passing { () throws(JSONError) in _ = try scanner.skipValue() }
                continue
            }
            guard try peek(&scanner) == .array else {
                throw AdmissionError(
                    .malformed,
                    code: "field_invalid",
                    field: "\(key)",
                    message: "“\(key)” is not a list of events."
                )
            }
            hasList = true
            try entered(&scanner)
            while try hasNext(&scanner) {
                visit(try element(&scanner, of: json, longest: limits.vendorEvent.eventBytes))
            }
        }
        try passing { () throws(JSONError) in try scanner.finish() }
        guard hasList else {
            throw AdmissionError(
                .malformed,
                code: "field_missing",
                field: "\(key)",
                message: "The body has no “\(key)”; send {\"\(key)\":[…]}."
            )
        }
    }

    private static func element(
        _ scanner: inout JSONScanner,
        of json: UnsafeRawBufferPointer,
        longest: Int
    ) throws(AdmissionError) -> Element {
        let start = scanner
        do throws(JSONError) {
            if json.count > longest {
                let range = try scanner.skipValue()
                if range.count > longest { return .refused(excerpt(json, range), .tooLong(range.count, longest)) }
                scanner = start
            }
            return .value(try scanner.readValue())
        } catch {
            scanner = start
            guard let range = scanner.skipUnreadableValue(), range.count <= longest else { throw malformed(error) }
            return .refused(String(decoding: json[range], as: UTF8.self), .unreadable(error))
        }
    }

    /// What a step of the scanner gives, its error as one of admission.
    private static func passing<Value>(_ step: () throws(JSONError) -> Value) throws(AdmissionError) -> Value {
        do {
            return try step()
        } catch {
            throw malformed(error)
        }
    }
}
