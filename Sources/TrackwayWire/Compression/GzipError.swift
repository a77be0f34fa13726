// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A body that is not acceptable gzip.
public struct GzipError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong with it.
    public enum Code: String, Sendable, Hashable {
        /// The compressed body is longer than allowed.
        case wireTooLarge = "wire_too_large"
        /// The inflated body is longer than allowed.
        case inflatedTooLarge = "inflated_too_large"
        /// The body inflates by a larger factor than any honest one.
        case ratioTooHigh = "ratio_too_high"
        /// The body ends before the compressed data does.
        case truncated = "truncated"
        /// The bytes are not gzip, or their checksum is wrong.
        case damaged = "damaged"
        /// Bytes follow the compressed data that do not start another gzip member.
        case trailingGarbage = "trailing_garbage"
        /// The system had no memory for the decoder.
        case outOfMemory = "out_of_memory"
    }

    /// What is wrong with the body.
    public var code: Code
    /// The limit that was passed, in its own unit (bytes, or a factor), when one was.
    public var limit: Int?

    /// Makes an error.
    public init(_ code: Code, limit: Int? = nil) {
        self.code = code
        self.limit = limit
    }

    /// A sentence for humans.
    public var description: String {
        switch code {
        case .wireTooLarge: "The compressed body is longer than \(limit ?? 0) bytes."
        case .inflatedTooLarge: "The body inflates to more than \(limit ?? 0) bytes."
        case .ratioTooHigh: "The body inflates to more than \(limit ?? 0) times its size."
        case .truncated: "The compressed body is cut short."
        case .damaged: "The body is not valid gzip."
        case .trailingGarbage: "Bytes that are not gzip follow the compressed body."
        case .outOfMemory: "There is no memory to inflate the body."
        }
    }
}
