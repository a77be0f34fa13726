// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What a query counts.
public enum QueryUnit: Sendable, Hashable {
    /// People: users, and visitors who did not sign in.
    case person
    /// The groups of one type, such as `company`, to which users belong.
    ///
    /// Events whose context names no such group do not count.
    case group(String)

    /// The group's type; nil for people.
    public var groupType: String? {
        switch self {
        case .person: nil
        case .group(let type): type
        }
    }

    /// Returns the context's member with the id of an event's group.
    public static func field(ofGroup type: String) -> QueryField { .context(["user", "groups", type]) }
}

extension QueryParameterReader {
    /// Parses the unit to count; people by default.
    func unit() throws(InvalidQueryError) -> QueryUnit {
        guard let text = try text("unit"), text != "person" else { return .person }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == "group" else {
            throw InvalidQueryError(
                "unit",
                "“\(text.prefix(64))” is not one of person, group:company (the type of a group)."
            )
        }
        return .group(try groupType(parts[1], "unit"))
    }

    /// Parses the type of a group.
    func groupType(_ text: Substring, _ parameter: String) throws(InvalidQueryError) -> String {
        guard !text.isEmpty else {
            throw InvalidQueryError(parameter, "“\(parameter)” names no type of group: write a type, such as company.")
        }
        return try limitedText(String(text), parameter, QueryLimits.nameBytes)
    }
}
