// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// User IDs that stand for a missing ID.
///
/// Apps send them by mistake when no user is signed in. Treated as users, these IDs would merge the visitors of all
/// devices into one person. Events with such an ID belong to the anonymous visitor of their installation.
public enum PlaceholderUserID {
    /// The placeholders, in lowercase.
    private static let ids: Set<String> = [
        "0", "-1", "null", "nil", "none", "undefined", "nan", "(null)", "<null>", "<nil>", "true", "false", "anonymous",
        "guest", "not_authenticated", "[object object]", "user_id", "userid", "distinct_id",
        "00000000-0000-0000-0000-000000000000",
    ]
    private static let longest = 36

    /// Whether an ID is a placeholder.
    ///
    /// A placeholder is one of the known placeholders in any letter case, or consists only of spaces.
    public static func contains(_ id: String) -> Bool {
        let bytes = id.utf8
        guard bytes.contains(where: { $0 != UInt8(ascii: " ") }) else { return true }
        return bytes.count <= longest && ids.contains(id.lowercased())
    }

    /// Returns the message of the warning about a placeholder.
    static func message(_ id: String) -> String {
        "“\(id.truncated(toUTF8Count: 64))” in “context.user.id” is a placeholder for a missing user, so the events belong to the anonymous visitor of the installation; leave the ID out while no user is signed in."
    }
}
