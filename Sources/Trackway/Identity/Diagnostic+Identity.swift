// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

extension Diagnostic.Code {
    /// A further id of a user, or its kind, is empty or too long; it was not taken.
    public static let identityInvalid = Diagnostic.Code(rawValue: "identity_invalid")
    /// More people signed in than the SDK recognises; the one that was away longest gets another unique id.
    public static let userForgotten = Diagnostic.Code(rawValue: "user_forgotten")
    /// There are more kinds of further ids than the SDK keeps; the new one was not taken.
    public static let tooManyIdentities = Diagnostic.Code(rawValue: "too_many_identities")
}
