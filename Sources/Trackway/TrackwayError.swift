// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore
internal import TrackwayPlatform

#if !canImport(FoundationEssentials)
public import Foundation
#endif

/// An error thrown by an SDK call.
///
/// Only calls that make a guarantee throw, such as creating an ``Analytics``,
/// ``Analytics/recordDurably(_:_:items:to:)`` and ``Analytics/erase()``. Recording never throws.
/// `Documentation/Diagnostics.md` lists all codes with their causes and remedies.
public struct TrackwayError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    ///
    /// More codes may be added; a `switch` over them needs a `default`.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The code's stable text.
        public let rawValue: String

        /// Creates a code from its stable text.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The code's stable text.
        public var description: String { rawValue }
    }

    /// The kind of failure.
    public let code: Code
    /// A description of the failure, in one or more sentences.
    public let message: String
    /// The suggested remedy, in one or more sentences, or nil.
    public let recoverySuggestion: String?
    /// The underlying error, or nil.
    public let cause: (any Error)?

    package init(_ code: Code, _ message: String, recoverySuggestion: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.recoverySuggestion = recoverySuggestion
        self.cause = cause
    }

    /// The message and the suggestion, without the code and the cause.
    var sentences: String {
        recoverySuggestion.map { "\(message) \($0)" } ?? message
    }

    /// The code, message, suggestion and underlying error, in one line.
    public var description: String {
        guard let cause else { return "\(code): \(sentences)" }
        return "\(code): \(sentences) (\(cause))"
    }
}

extension TrackwayError {
    /// Creates the error for a storage folder that cannot be used.
    init(_ error: StorageLocationError) {
        self.init(
            .storageUnavailable,
            error.problem.sentence,
            recoverySuggestion: error.recoverySuggestion.sentence,
            cause: error
        )
    }
}

extension Diagnostic.Code {
    /// Creates the diagnostic code for an error that a compatibility module reports.
    ///
    /// The module reports the error instead of throwing it.
    package init(_ code: TrackwayError.Code) {
        self.init(rawValue: code.rawValue, severity: .error)
    }
}

// FoundationEssentials has no LocalizedError. On Linux, the module does not load the rest of Foundation just for that
// protocol.
#if !canImport(FoundationEssentials)
extension TrackwayError: LocalizedError {
    /// The error's message, for `LocalizedError`.
    public var errorDescription: String? { message }
}
#endif
