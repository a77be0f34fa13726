// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The HTTP address of a ClickHouse server and database.
///
/// The form is `http://host:8123/database`, or `https://host:8443/database`.
package struct ClickHouseAddress: Sendable, Hashable, LosslessStringConvertible {
    /// The host name or IP address.
    package var host: String
    /// The HTTP or HTTPS port.
    package var port: Int
    /// Whether to use `https://`.
    ///
    /// If so, nothing is sent before the connection is encrypted and the server is verified.
    package var isEncrypted: Bool
    /// The database.
    package var database: String

    /// Creates an address.
    package init(host: String, port: Int = 8_123, database: String = "trackway", isEncrypted: Bool = false) {
        self.host = host
        self.isEncrypted = isEncrypted
        self.port = port
        self.database = database
    }

    /// Parses an address.
    ///
    /// The default port is 8123, or 8443 with `https`. The default database is `trackway`.
    ///
    /// - Returns: Nil if the text is not an address, if it contains credentials, or if the database name begins with a
    ///   digit or contains anything other than letters, digits, and underscores.
    package init?(_ description: String) {
        let isEncrypted = description.hasPrefix("https://")
        guard isEncrypted || description.hasPrefix("http://") else { return nil }
        let parts = description.dropFirst(isEncrypted ? "https://".count : "http://".count).split(
            separator: "/",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        guard let authority = parts.first, !authority.isEmpty, !authority.contains("@") else { return nil }
        let database = parts.count > 1 ? parts[1].drop { $0 == "/" } : ""
        guard database.utf8.allSatisfy(Self.isLetter), database.utf8.first.map({ !(48...57).contains($0) }) ?? true
        else { return nil }
        var host = authority
        var port = isEncrypted ? 8_443 : 8_123
        if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
            guard let number = Int(authority[authority.index(after: colon)...]), (1...65_535).contains(number) else {
                return nil
            }
            port = number
            host = authority[..<colon]
        }
        let isNumber = host.hasPrefix("[") && host.hasSuffix("]")
        if isNumber { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, isNumber || !host.contains(":"), host.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            return nil
        }
        self.init(host: String(host), port: port, isEncrypted: isEncrypted)
        if !database.isEmpty { self.database = String(database) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// The server's address, without the database.
    package var server: String {
        "\(isEncrypted ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    package var description: String { "\(server)/\(database)" }
}

/// The credentials for a database.
package struct ClickHouseCredentials: Sendable, Hashable {
    /// The user's name.
    package var user: String
    /// The password; it may be empty.
    package var password: String

    /// Creates credentials.
    package init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// Parses `{"user":"trackway","password":"…"}`; nil for anything else.
    package init?(json bytes: [UInt8]) {
        // A parse error is not reported, because it could quote secrets from the file.
        guard let json = try? JSONValue.parse(bytes), let user = json["user"]?.string, !user.isEmpty,
            let password = json["password"]?.string, (user + password).utf8.allSatisfy({ $0 >= 32 && $0 != 127 })
        else { return nil }
        self.init(user: user, password: password)
    }
}

extension ClickHouseCredentials: CustomStringConvertible, CustomDebugStringConvertible {
    /// The user without the password, because descriptions end up in logs.
    package var description: String { "the user \(user)" }

    package var debugDescription: String { description }
}

/// A ClickHouse version and the settings that it supports.
package struct ClickHouseVersion: Sendable, Hashable, CustomStringConvertible {
    /// The year, without the century.
    package var year: Int
    /// The release within the year.
    package var release: Int
    package let description: String

    /// Parses the result of `SELECT version()`, such as `18.16.1`.
    ///
    /// Returns nil for anything else.
    package init?(_ description: some StringProtocol) {
        let numbers = description.split(separator: ".").map { Int($0) }
        guard numbers.count >= 2, let year = numbers[0], let release = numbers[1] else { return nil }
        self.year = year
        self.release = release
        self.description = String(description)
    }

    /// The settings for each insert.
    ///
    /// Asynchronous inserts would be acknowledged before their rows exist.
    var insertSettings: [(String, String)] {
        // The server must not discard the rewrite of a lost part as a duplicate.
        let always = [("insert_deduplicate", "0")]
        return (year, release) >= (21, 11) ? always + [("async_insert", "0")] : always
    }

    /// Whether a dropped table's files are deleted minutes later, unless the statement demands otherwise.
    var dropsTablesLater: Bool { (year, release) >= (21, 1) }

    /// The settings for each query.
    ///
    /// A query is canceled when its connection closes, because the result is no longer needed.
    var querySettings: [(String, String)] {
        (year, release) >= (20, 1) ? [("cancel_http_readonly_queries_on_client_close", "1")] : []
    }

    /// The settings for each table.
    ///
    /// They ensure that acknowledged inserts are on disk.
    var tableSettings: [String] {
        (year, release) >= (20, 11) ? ["fsync_after_insert = 1", "fsync_part_directory = 1"] : []
    }
}
