// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What the collector answers when it takes nothing: the body of a 4xx or 5xx.
public struct CollectorFailure: Sendable, Hashable {
    /// What is wrong, such as `key_unknown`; stable.
    public var code: String
    /// The header or member at fault.
    public var field: String?
    /// A sentence for humans.
    public var message: String

    /// Makes a failure.
    public init(code: String, field: String? = nil, message: String) {
        self.code = code
        self.field = field
        self.message = message
    }

    /// The sentence, with the code in front.
    public var sentence: String { message.isEmpty ? code : "\(code): \(message)" }
}
