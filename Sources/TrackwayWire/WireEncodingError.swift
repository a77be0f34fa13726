// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A batch that a destination cannot turn into a request.
public struct WireEncodingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What stood in the way.
    public enum Code: Sendable, Hashable {
        /// The format can express none of the batch's events; `leftOut` says why for each.
        case nothingToSend
        /// The request would be larger than the back-end takes; one of fewer events may not be. A single event that is
        /// too large becomes a dead letter.
        case tooLarge
        /// The destination's own settings do not allow a request (its address is no address, say).
        case misconfigured
    }

    /// What stood in the way.
    public var code: Code
    /// A sentence for humans.
    public var message: String
    /// The records that cannot be expressed, and why; all of them for `nothingToSend`.
    public var leftOut: [Rejection]

    /// Makes an error.
    public init(_ code: Code, _ message: String, leftOut: [Rejection] = []) {
        self.code = code
        self.message = message
        self.leftOut = leftOut
    }

    /// The sentence.
    public var description: String { message }
}
