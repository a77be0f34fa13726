// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// One event of an accepted batch that was refused.
package struct RejectedEvent: Sendable, Hashable {
    /// Its index among the batch's events, from 0.
    package var index: Int
    /// Its id, as far as it could be read.
    package var id: EventID?
    /// The machine-readable reason, such as `name_too_long`.
    package var code: String
    /// The field at fault; empty when the whole event is.
    package var field: String
    /// One sentence for a person.
    package var message: String

    /// A refusal with its reason.
    package init(index: Int, id: EventID? = nil, code: String, field: String, message: String) {
        self.index = index
        self.id = id
        self.code = code
        self.field = field
        self.message = message
    }

    /// The refusal of an event that wants an installation erased and does not prove to be it.
    package static func unproved(_ installation: InstallationID?, index: Int, id: EventID? = nil) -> RejectedEvent {
        RejectedEvent(
            index: index,
            id: id,
            code: Tombstone.unprovedCode,
            field: CapturedKey.erasureProof,
            message: Tombstone.unprovedMessage(installation)
        )
    }

    /// The refusal of an event whose installation was erased: nothing of it is kept.
    package static func erased(_ installation: InstallationID, index: Int, id: EventID? = nil) -> RejectedEvent {
        RejectedEvent(
            index: index,
            id: id,
            code: "installation_erased",
            field: "installation",
            message: "The installation \(installation) was erased; nothing that comes of it is kept."
        )
    }
}
