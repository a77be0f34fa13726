// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

extension SiftDestination {
    /// Events as the format's list, before it is packed. Nothing of a context or an installation is added to them.
    ///
    /// - Complexity: O(size of the events).
    package static func list(_ events: [Event], edition: Edition) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("data")
        writer.beginArray()
        for event in events {
            let record = SiftRecord(event, in: RecordedContext(), installation: "", edition: edition)
            writer.element()
            JSONValue.object(record.members).write(into: &writer)
        }
        writer.endArray()
        writer.endObject()
        return writer.array()
    }

    /// Whether it is an http or https address with a place for the account's id.
    package static func isUsable(serverURLFormat: String) -> Bool {
        SiftAddress(format: serverURLFormat, accountID: "account") != nil
    }
}
