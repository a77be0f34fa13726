// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Who may send and read.
package protocol KeyStore: Sendable {
    /// What a presented key allows; nil for an unknown or revoked one. Takes the same time for every unknown key.
    /// Callable from any thread; never blocks on a file.
    func grant(for key: String) -> KeyGrant?
    /// The key that was made for an account of another format; nil when there is none. Callable from any thread; never
    /// blocks on a file.
    func grant(for account: VendorAccount) -> KeyGrant?
    /// Takes over changes made elsewhere. Blocks for a short file read at most.
    ///
    /// - Throws: ``KeyFileError``; what was known before stays in force.
    func reload() throws(KeyFileError)
}
