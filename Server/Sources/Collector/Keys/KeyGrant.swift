// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A known key's name and what it allows; the key itself is not kept.
package struct KeyGrant: Sendable, Hashable {
    /// The name a person gave the key.
    package var name: String
    /// What it allows.
    package var scopes: Set<KeyScope>
    /// The accounts of other formats it was made for; nil for a key that is good for all of them.
    package var accounts: [VendorAccount]?
    /// How much it may ask for, where that is set for it alone.
    package var limits: KeyLimits

    /// A grant under a name.
    package init(
        name: String,
        scopes: Set<KeyScope>,
        accounts: [VendorAccount]? = [],
        limits: KeyLimits = KeyLimits()
    ) {
        self.name = name
        self.scopes = scopes
        self.accounts = accounts
        self.limits = limits
    }

    /// Whether it was made for an account.
    package func lets(in account: VendorAccount) -> Bool { accounts?.contains(account) ?? true }
}
