// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// A server's own report about how it stores records.
package struct MemberReport: Sendable, Hashable {
    /// What a server does with the records it is given.
    package enum Storage: Sendable, Hashable {
        /// Waits for the disk before it acknowledges.
        case syncsAlways
        /// Acknowledges before records are on disk.
        case syncsLater
        /// Stores and acknowledges nothing: JetStream is off, by its configuration or after an error of its disk.
        case off
    }

    /// The server's name.
    package var name: String
    /// The server's version.
    package var version: String
    /// What it does with records.
    package var storage: Storage
    /// The server's clock when it answered; nil if it did not say.
    package var time: Timestamp?
    /// How far this machine's clock is ahead of the server's, at least; negative when it is behind, nil when it was not compared.
    package var clockOffset: Duration?

    /// Whether it waits for the disk with everything it keeps.
    package var syncsAlways: Bool { storage == .syncsAlways }

    /// A report.
    package init(name: String, version: String = "2.15.1", storage: Storage, time: Timestamp? = nil) {
        self.name = name
        self.version = version
        self.storage = storage
        self.time = time
    }

    /// The report of a server that stores records.
    package init(name: String, version: String = "2.15.1", syncsAlways: Bool = true) {
        self.init(name: name, version: version, storage: syncsAlways ? .syncsAlways : .syncsLater)
    }

    /// Reads an answer to `$SYS.REQ.SERVER.PING.JSZ`; nil when it is none, or an error instead of a report.
    package init?(_ answer: NATSMessage) {
        // Whatever else may come at the inbox says nothing about a server. Neither does an error: the server may acknowledge records.
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
        // Not sync_interval: with “always” that still reads 120 s.
        if config["sync_always"]?.boolean == true { return .syncsAlways }
        // A server leaves sync_always out when it is not set. One that stores anything names its folder, its interval or its room.
        let stores =
            config["sync_always"] != nil || config["store_dir"] != nil || config["sync_interval"] != nil
            || config["max_storage"]?.integer ?? 0 > 0
        return stores ? .syncsLater : .off
    }
}
