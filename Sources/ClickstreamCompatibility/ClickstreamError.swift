// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

/// Why the SDK could not be configured or was not there.
public struct ClickstreamError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it was.
    public enum Code: String, Sendable, Hashable {
        /// Neither the code nor the configuration file names an app id and an endpoint.
        case incomplete
        /// The configuration file is no JSON, or a setting in it has a value of the wrong kind.
        case invalidFile = "invalid_file"
        /// The storage cannot be used, or a setting cannot work.
        case notStarted = "not_started"
        /// `initSDK` has not been called yet, or failed.
        case notInitialised = "not_initialised"
    }

    /// What kind of failure it was.
    public let code: Code
    /// A sentence for people: what is at fault, and what helps.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the sentence.
    public var description: String { "\(code.rawValue): \(message)" }
}

extension ClickstreamError: LocalizedError {
    /// The sentence.
    public var errorDescription: String? { message }
}
