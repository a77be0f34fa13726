// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension VendorBody {
    /// Hands over every element of the list that stands under a key of the body's object, as values, one after the other.
    /// What else the object has is checked and passed over.
    ///
    /// - Throws: ``AdmissionError`` `malformed_json` when the text is broken, `field_missing` or `field_invalid` when there
    ///   is no such list.
    static func elements(
        under key: StaticString,
        of json: UnsafeRawBufferPointer,
        limits: AdmissionLimits,
        _ visit: (JSONValue) throws(AdmissionError) -> Void
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
            while try hasNext(&scanner) { try visit(try value(&scanner)) }
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

    /// What a step of the scanner gives, its error as one of admission.
    private static func passing<Value>(_ step: () throws(JSONError) -> Value) throws(AdmissionError) -> Value {
        do {
            return try step()
        } catch {
            throw malformed(error)
        }
    }
}
