// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The result of checking a receipt.
public enum ErasureVerdict: String, Sendable, Hashable {
    /// The receipt is unchanged, and was issued for the given id.
    case valid
    /// The receipt was signed with the key of another collector.
    case otherKey = "other_key"
    /// The receipt was changed after it was issued.
    case changed
    /// The receipt is unchanged, but was issued for another id.
    case otherIdentity = "other_identity"

    /// Checks a receipt.
    ///
    /// - Parameters:
    ///   - id: The user's or installation's id to compare; nil to check only the signature.
    ///   - key: The collector's key.
    public init(_ receipt: ErasureReceipt, id: String?, key: ErasureKey) {
        if receipt.signer != key.fingerprint {
            self = .otherKey
        } else if !receipt.isSigned(with: key) {
            self = .changed
        } else if let id, !receipt.isIssued(for: id, key: key) {
            self = .otherIdentity
        } else {
            self = .valid
        }
    }

    /// The result as a sentence.
    public var message: String {
        switch self {
        case .valid: "The receipt is valid."
        case .otherKey: "The receipt was signed with another collector's key; check it with that collector."
        case .changed: "The receipt was changed after it was issued."
        case .otherIdentity: "The receipt is unchanged, but was issued for another id."
        }
    }
}
