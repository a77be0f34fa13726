// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// User IDs that stand for a missing ID.
///
/// Apps send them by mistake when no user is signed in. As users they would join the visitors of all devices to one
/// person. Events with such an ID belong to the anonymous visitor of their installation.
enum PlaceholderUserID {
    /// In lowercase.
    private static let ids: Set<String> = [
        "0", "-1", "null", "nil", "none", "undefined", "nan", "(null)", "<null>", "<nil>", "true", "false", "anonymous",
        "guest", "not_authenticated", "[object object]", "user_id", "userid", "distinct_id",
        "00000000-0000-0000-0000-000000000000",
    ]
    private static let longest = 36

    /// Whether an ID is a placeholder.
    ///
    /// A placeholder is one of the known ones in any letter case, or only spaces.
    static func contains(_ id: String) -> Bool {
        let bytes = id.utf8
        guard bytes.contains(where: { $0 != UInt8(ascii: " ") }) else { return true }
        return bytes.count <= longest && ids.contains(id.lowercased())
    }

    /// The code of the warning about a placeholder.
    static let code = "placeholder_user_id"

    /// The warning about a placeholder.
    static func message(_ id: String) -> String {
        "“\(id.cut(toBytes: 64))” in “context.user.id” stands for a missing user, so the events belong to the anonymous visitor of the installation; leave the ID out while no user is signed in."
    }
}
