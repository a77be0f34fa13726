// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// A server's own report about how it stores records.
package struct MemberReport: Sendable, Hashable {
    /// How a server stores records.
    package enum Storage: Sendable, Hashable {
        /// The server waits for the disk before it acknowledges.
        case syncsAlways
        /// The server acknowledges before records are on disk.
        case syncsLater
        /// The server stores and acknowledges nothing, because JetStream is off.
        ///
        /// JetStream is off by configuration or after a disk error.
        case off
    }

    /// The server's name.
    package var name: String
    /// The server's version.
    package var version: String
    /// How the server stores records.
    package var storage: Storage
    /// The server's clock time when it answered.
    ///
    /// Nil if the answer has no time.
    package var time: Timestamp?
    /// The minimum lead of this machine's clock over the server's.
    ///
    /// The value is negative if this machine's clock is behind, and nil if the clocks were not compared.
    package var clockOffset: Duration?

    /// Whether the server waits for the disk before every acknowledgement.
    package var syncsAlways: Bool { storage == .syncsAlways }

    /// Creates a report.
    package init(name: String, version: String = "2.15.1", storage: Storage, time: Timestamp? = nil) {
        self.name = name
        self.version = version
        self.storage = storage
        self.time = time
    }

    /// Creates a report from a server that stores records.
    package init(name: String, version: String = "2.15.1", syncsAlways: Bool = true) {
        self.init(name: name, version: version, storage: syncsAlways ? .syncsAlways : .syncsLater)
    }

    /// Parses an answer to `$SYS.REQ.SERVER.PING.JSZ`.
    ///
    /// Returns nil if the message is not such an answer, or if it has an error instead of a report.
    package init?(_ answer: NATSMessage) {
        // Other messages in the inbox are not about a server. An error proves nothing, because the server may still
        // acknowledge records.
        guard let json = try? JSONValue.parse(answer.body), let server = json["server"],
            let name = server["name"]?.string,
            let data = json["data"], data.object != nil
        else { return nil }
        self.init(
            name: name,
            version: server["ver"]?.string ?? "",
            storage: Self.storage(data),
            time: (data["now"]?.string ?? server["time"]?.string).flatMap { Timestamp(engine: $0) }
        )
    }

    private static func storage(_ data: JSONValue) -> Storage {
        guard data["disabled"]?.boolean != true, let config = data["config"], config.object != nil else { return .off }
        // The value of sync_interval is not used, because it is 120 s even with “always”.
        if config["sync_always"]?.boolean == true { return .syncsAlways }
        // A server omits sync_always if it is not set. A server that stores anything reports its folder, interval, or
        // storage limit.
        let stores =
            config["sync_always"] != nil || config["store_dir"] != nil || config["sync_interval"] != nil
            || config["max_storage"]?.integer ?? 0 > 0
        return stores ? .syncsLater : .off
    }
}
