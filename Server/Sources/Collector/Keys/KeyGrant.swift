// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A known key's name and what it allows; the key itself is not kept.
package struct KeyGrant: Sendable, Hashable {
    /// The name a person gave the key.
    package var name: String
    /// What it allows.
    package var scopes: Set<KeyScope>

    /// A grant under a name.
    package init(name: String, scopes: Set<KeyScope>) {
        self.name = name
        self.scopes = scopes
    }
}
