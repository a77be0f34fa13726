// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// An event, or a whole batch, that admission refused, kept with the reason so that a person can see and repair it.
package struct FailedEvent: Sendable, Hashable {
    /// Its place in the intake log; ordinal 0 for a whole batch.
    package var position: EventPosition
    /// When it arrived.
    package var received: Timestamp
    /// The name of the key it came with.
    package var key: String
    /// The machine-readable reason, such as `name_too_long`.
    package var code: String
    /// The field at fault; empty when the whole is.
    package var field: String
    /// One sentence for a person.
    package var message: String
    /// The refused bytes, cut when they are many.
    package var content: [UInt8]
    /// How many bytes are known; more than ``content`` has where that was cut for an answer.
    package var bytes: Int

    /// The most bytes of each in a list.
    package static let excerptBytes = 4 << 10

    /// A failed event with its reason.
    package init(
        position: EventPosition,
        received: Timestamp,
        key: String,
        code: String,
        field: String,
        message: String,
        content: [UInt8],
        bytes: Int? = nil
    ) {
        self.position = position
        self.received = received
        self.key = key
        self.code = code
        self.field = field
        self.message = message
        self.content = content
        self.bytes = bytes ?? content.count
    }
}

extension FailedEvent: BudgetedRow {
    // What is not text is written with replacement characters.
    package var answerBytes: Int { 256 + message.utf8.count + 3 * content.count }

    /// Writes the failed event; bytes that are no UTF-8 appear as replacement characters.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("position", position.description)
        writer.member("received", received)
        for (name, text) in [
            ("key", key), ("code", code), ("field", field), ("message", message),
            ("content", String(decoding: content, as: UTF8.self)),
        ] {
            writer.member(name, text)
        }
        writer.member("bytes", Int64(bytes))
        writer.endObject()
    }
}
