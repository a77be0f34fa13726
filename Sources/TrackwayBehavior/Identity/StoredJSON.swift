// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// A state that lies on disk as a part of a JSON document. It is `Codable` through the same form, so what survives a
/// restart is what is tested.
package protocol StoredJSON: Codable {
    /// Reads what ``json`` wrote. Members of a newer version are ignored.
    ///
    /// - Throws: `JSONError` when it is not what was written.
    init(json: JSONValue) throws(JSONError)

    /// The state as it is stored.
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
    /// An object of those of the members that are there.
    init(present members: KeyValuePairs<String, JSONValue?>) {
        self.init(members.compactMap { key, value in value.map { Member(key: key, value: $0) } })
    }
}

extension JSONError {
    /// A part of a stored state is not what was written.
    static let stateInvalid = JSONError(.memberInvalid, at: 0)
}
