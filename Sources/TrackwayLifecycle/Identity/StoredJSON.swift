// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// A state that is stored as part of a JSON document.
///
/// `Codable` uses the same format, so tests cover the format that is read after a restart.
package protocol StoredJSON: Codable {
    /// Reads JSON that ``json`` wrote; members of newer versions are ignored.
    ///
    /// - Throws: `JSONError` when the JSON is invalid.
    init(json: JSONValue) throws(JSONError)

    /// The state in its stored form.
    var json: JSONValue { get }
}

extension StoredJSON {
    /// Reads the JSON text.
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        try self.init(json: JSONValue.parse(Array(text.utf8)))
    }

    /// Writes the JSON text.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(String(decoding: json.json(), as: UTF8.self))
    }
}

extension JSONValue.Object {
    /// Creates an object from the members that are not nil.
    init(present members: KeyValuePairs<String, JSONValue?>) {
        self.init(members.compactMap { key, value in value.map { Member(key: key, value: $0) } })
    }
}

extension JSONError {
    /// The error for a stored state with an invalid part.
    static let stateInvalid = JSONError(.memberInvalid, at: 0)
}
