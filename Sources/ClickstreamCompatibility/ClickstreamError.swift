// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import Foundation

/// The error thrown when the SDK cannot be configured or is unavailable.
public struct ClickstreamError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: String, Sendable, Hashable {
        /// The app ID or the endpoint is missing.
        ///
        /// Neither the code nor the configuration file sets it.
        case incomplete
        /// The configuration file is invalid.
        ///
        /// The file is not JSON, or a setting in it has the wrong type.
        case invalidFile = "invalid_file"
        /// The storage cannot be used, or a setting is invalid.
        case notStarted = "not_started"
        /// `initSDK` has not been called yet, or failed.
        case notInitialized = "not_initialised"
    }

    /// The kind of failure.
    public let code: Code
    /// A human-readable message: what is wrong, and how to fix it.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }
}

extension ClickstreamError: LocalizedError {
    /// The message.
    public var errorDescription: String? { message }
}
