// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
package import TrackwayCore

extension Collector {
    /// Waits until the index contains everything that was acknowledged before this call.
    package func waitForIndex() throws {
        // An event without an installation, after all others in the log.
        var response = try post(Array(#"{"name":"marker"}"#.utf8))
        // The collector checks the disk once a second, so it may still return 503 just after space was freed.
        for _ in 0..<100 where response.status == 503 {
            pause()
            response = try post(Array(#"{"name":"marker"}"#.utf8))
        }
        let document = try JSONValue.parse(response.body)
        guard response.status == 200, let position = document["position"]?.string else {
            throw TestSupportError("the marker was not accepted: \(response.status) \(response.text)")
        }
        try wait(for: position)
    }

    /// Waits until the index has reached a position.
    package func wait(for position: String) throws {
        for _ in 0..<9 {
            if try get("/v1/wait?position=\(position)&timeout=10")["done"]?.boolean == true { return }
        }
        throw TimeoutError("the index did not reach \(position):\n\(program?.tail ?? "")")
    }

    /// Waits until the index has `count` rows, and returns them.
    ///
    /// The rows appear without a request from the test.
    package func waitForRows(_ count: Int) throws -> [CollectedRow] {
        let deadline = Date(timeIntervalSinceNow: TimeoutError.timeout)
        while true {
            let rows = try rows("")
            if rows.count >= count { return rows }
            guard Date() < deadline else {
                throw TimeoutError("\(rows.count) of \(count) rows arrived:\n\(program?.tail ?? "")")
            }
            pause()
        }
    }

    /// Returns every row of an installation, in the collector's order.
    package func rows(of installation: String) throws -> [CollectedRow] {
        try rows("installation=\(installation)")
    }

    /// Returns every row that matches a filter, in the collector's order.
    package func rows(_ filter: String) throws -> [CollectedRow] {
        var rows: [CollectedRow] = []
        var after = ""
        while true {
            let page = try get("/v1/events?\(filter)&order=asc&limit=1000\(after)")
            guard let events = page["events"]?.array else { throw TestSupportError("the response contains no events") }
            rows += try events.map(CollectedRow.init)
            guard let next = page["next"]?.string, !events.isEmpty else { return rows }
            after = "&after=\(next)"
        }
    }

    /// Returns the number of events that were received again.
    package func duplicates() throws -> Int {
        let figures = try send(HTTPMessage(startLine: "GET /metrics HTTP/1.1")).text
        let line = figures.split(separator: "\n").first { $0.hasPrefix("trackway_index_duplicates ") }
        guard let count = line?.split(separator: " ").last.flatMap({ Int($0) }) else {
            throw TestSupportError("the metrics contain no duplicate count: \(figures.prefix(500))")
        }
        return count
    }

    /// Returns every stored event as the collector returns it, including its context, in the collector's order.
    package func documents() throws -> [JSONValue] {
        var documents: [JSONValue] = []
        var after = ""
        while true {
            let page = try get("/v1/events?order=asc&limit=1000\(after)")
            guard let events = page["events"]?.array else { throw TestSupportError("the response contains no events") }
            documents += events
            guard let next = page["next"]?.string, !events.isEmpty else { return documents }
            after = "&after=\(next)"
        }
    }

    /// Returns the collector's ledger entries for an installation's writers.
    package func writerLedgers(of installation: String) throws -> [CollectedWriterLedger] {
        let ledger = try get("/v1/ledger?installation=\(installation)")
        guard let writers = ledger["writers"]?.array else { throw TestSupportError("the ledger contains no writers") }
        return try writers.map(CollectedWriterLedger.init)
    }
}
