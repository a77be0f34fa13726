// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The journal could not do what delivery asked of it.
package struct DeliverySourceError: Error, Sendable, Hashable {
    /// A sentence for humans.
    package var message: String

    /// Makes an error.
    package init(_ message: String) {
        self.message = message
    }
}
