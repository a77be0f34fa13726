// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

extension IdentityMachine {
    /// An order to the driver; they are carried out in their order.
    package enum Action: Sendable, Hashable {
        /// From now on events belong to this user. Ids that are nil are the installation's own
        /// (``IdentityOrigin/completing(_:)``).
        case context(RecordedContext.User)
        /// Record this event, at the moment of the input, under the latest context.
        case record(name: String, attributes: Attributes)
        /// Say that there are too many kinds of ids, and that this one was not taken.
        case reportTooManyIdentities(kind: String)
        /// Say that this user gets another unique id when they come back, because too many others signed in since.
        case reportUserForgotten(String)
        /// Write the state down.
        case save
    }
}
