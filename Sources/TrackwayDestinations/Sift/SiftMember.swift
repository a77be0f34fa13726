// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// One key of the format's structures.
struct SiftMember: Sendable, Hashable {
    /// When a member that is known is sent.
    enum Condition: Sendable, Hashable {
        /// Always.
        case always
        /// Unless the member of this name says, by a number below zero, that this one is not known.
        case unlessUnknown(String)
        /// Only where the member of this name is sent.
        case with(String)
    }

    /// The key, the same in our snapshots and on the wire.
    let name: String
    /// What stands under it.
    let shape: SiftShape
    /// When it is sent.
    let condition: Condition
    /// Whether the current edition sends it as well as the legacy one.
    let isCurrent: Bool

    init(_ name: String, _ shape: SiftShape, _ condition: Condition = .always, isCurrent: Bool = false) {
        self.name = name
        self.shape = shape
        self.condition = condition
        self.isCurrent = isCurrent
    }

    /// Members of these names that are alike.
    static func several(_ names: [String], _ shape: SiftShape, isCurrent: Bool = false) -> [SiftMember] {
        names.map { SiftMember($0, shape, isCurrent: isCurrent) }
    }

    /// The three parts of a vector.
    static func vector(_ name: String, _ condition: Condition = .always) -> [SiftMember] {
        ["x", "y", "z"].map { SiftMember("\(name)_\($0)", .number, condition) }
    }
}
