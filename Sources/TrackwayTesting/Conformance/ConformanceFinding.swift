// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// One rule that an implementation does not keep.
public struct ConformanceFinding: Sendable, Hashable, CustomStringConvertible {
    /// The rule's stable name, for example `replace-is-whole`.
    public let rule: String
    /// What was expected and what was seen, as a sentence.
    public let detail: String

    init(_ rule: String, _ detail: String) {
        self.rule = rule
        self.detail = detail
    }

    /// The rule and the sentence.
    public var description: String { "\(rule): \(detail)" }
}
