// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Why a key file could not be used or changed.
package struct KeyFileError: Error, Hashable, CustomStringConvertible {
    /// What kind of failure it is.
    package enum Code: String, Sendable, Hashable {
        /// The file cannot be read or written.
        case storage
        /// A line is not a key's.
        case malformed
        /// The name is taken.
        case nameTaken = "name_taken"
        /// The name has characters a key's name may not have.
        case nameInvalid = "name_invalid"
        /// Another key lets in the account already.
        case accountTaken = "account_taken"
        /// There is no key of that name.
        case unknown
    }

    /// What kind of failure it is.
    package var code: Code
    /// One sentence with the file at fault and the remedy.
    package var message: String

    package var description: String { message }
}
