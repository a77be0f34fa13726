// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// One event that a back-end refuses (or a format cannot express), while its neighbours are fine.
public struct Rejection: Sendable, Hashable {
    /// The event's place in the batch's `records`.
    public var index: Int
    /// The back-end's own code, such as `name_too_long`.
    public var code: String
    /// A sentence for humans.
    public var message: String

    /// Makes a rejection.
    public init(index: Int, code: String, message: String) {
        self.index = index
        self.code = code
        self.message = message
    }
}
