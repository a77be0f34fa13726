// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
package import TrackwayEvents

extension Collector {
    /// Waits until the index holds everything that was answered before this call.
    package func settle() throws {
        // An event of nobody's, behind all others in the log.
        var answer = try post(Array(#"{"name":"marker"}"#.utf8))
        // A look at the disk counts for a second: just after space came back the answer may still be "later".
        for _ in 0..<100 where answer.status == 503 {
            pause()
            answer = try post(Array(#"{"name":"marker"}"#.utf8))
        }
        let document = try JSONValue.parse(answer.body)
        guard answer.status == 200, let position = document["position"]?.string else {
            throw StageError("the marker was not taken: \(answer.status) \(answer.text)")
        }
        try wait(for: position)
    }

    /// Waits until the index holds everything up to a position.
    package func wait(for position: String) throws {
        for _ in 0..<9 {
            if try get("/v1/wait?position=\(position)&timeout=10")["done"]?.boolean == true { return }
        }
        throw Overdue("the index did not reach \(position):\n\(program?.tail ?? "")")
    }

    /// Waits until so many rows are there, for what happens without being asked for; gives them.
    package func waitForRows(_ count: Int) throws -> [CollectedRow] {
        let deadline = Date(timeIntervalSinceNow: Overdue.timeout)
        while true {
            let rows = try rows("")
            if rows.count >= count { return rows }
            guard Date() < deadline else {
                throw Overdue("\(rows.count) of \(count) rows came:\n\(program?.tail ?? "")")
            }
            pause()
        }
    }

    /// Every row of an installation, in the collector's order.
    package func rows(of installation: String) throws -> [CollectedRow] {
        try rows("installation=\(installation)")
    }

    /// Every row that a filter lets through, in the collector's order.
    package func rows(_ filter: String) throws -> [CollectedRow] {
        var rows: [CollectedRow] = []
        var after = ""
        while true {
            let page = try get("/v1/events?\(filter)&order=asc&limit=1000\(after)")
            guard let events = page["events"]?.array else { throw StageError("no events in the answer") }
            rows += try events.map(CollectedRow.init)
            guard let next = page["next"]?.string, !events.isEmpty else { return rows }
            after = "&after=\(next)"
        }
    }

    /// How many events came again that were there already.
    package func duplicates() throws -> Int {
        let figures = try ask(HTTPMessage(startLine: "GET /metrics HTTP/1.1")).text
        let line = figures.split(separator: "\n").first { $0.hasPrefix("trackway_index_duplicates ") }
        guard let count = line?.split(separator: " ").last.flatMap({ Int($0) }) else {
            throw StageError("no duplicates among the figures: \(figures.prefix(500))")
        }
        return count
    }

    /// Every stored event as the collector tells it, context included, in its order.
    package func documents() throws -> [JSONValue] {
        var documents: [JSONValue] = []
        var after = ""
        while true {
            let page = try get("/v1/events?order=asc&limit=1000\(after)")
            guard let events = page["events"]?.array else { throw StageError("no events in the answer") }
            documents += events
            guard let next = page["next"]?.string, !events.isEmpty else { return documents }
            after = "&after=\(next)"
        }
    }

    /// The collector's accounts of an installation's writers.
    package func accounts(of installation: String) throws -> [CollectedAccount] {
        let ledger = try get("/v1/ledger?installation=\(installation)")
        guard let writers = ledger["writers"]?.array else { throw StageError("no writers in the ledger") }
        return try writers.map(CollectedAccount.init)
    }
}
