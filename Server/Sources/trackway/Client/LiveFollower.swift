// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Follows the live stream over as many connections as it takes.
struct LiveFollower {
    /// The collector.
    let address: CollectorAddress
    /// The filter, and how much of the past to show first.
    let query: [(name: String, value: String)]
    /// Where a lost connection is mentioned.
    let console: Console

    /// The wait before the first new try; it doubles up to ``longestWait``.
    private static let shortestWait = Duration.milliseconds(500)
    private static let longestWait = Duration.seconds(10)

    /// Hands each event's JSON to `body` until that returns false.
    ///
    /// - Throws: ``CommandFailure`` when the very first connection fails, or the collector refuses a later one.
    mutating func run(_ body: ([UInt8]) -> Bool) async throws {
        var stream = ServerSentEvents()
        var wait = Self.shortestWait
        var hasConnected = false
        while true {
            // Whatever ended the connection may have ended it in the middle of a message.
            stream.disconnect()
            do {
                // Resuming goes by id; `last` would show the past again.
                let query = stream.lastID == nil ? query : query.filter { $0.name != "last" }
                for try await happening in try LiveStream.open(address, query: query, lastID: stream.lastID) {
                    guard case .bytes(let bytes) = happening else {
                        if hasConnected { console.note(console.messageStyle.faint("— connected again")) }
                        hasConnected = true
                        wait = Self.shortestWait
                        continue
                    }
                    for event in stream.feed(bytes) {
                        if event.kind == "skipped" {
                            console.note(console.messageStyle.faint("— too fast to follow: some events were skipped"))
                        } else if !body(event.data) {
                            return
                        }
                    }
                }
            } catch let failure as CommandFailure where hasConnected && failure.isWorthRetrying {
                console.note(console.messageStyle.faint("— \(failure.message)"))
            }
            console.note(console.messageStyle.faint("— connection closed, trying again"))
            try await Task.sleep(for: wait)
            wait = min(wait * 2, Self.longestWait)
        }
    }
}

extension CommandFailure {
    /// Whether the same question may be answered later.
    fileprivate var isWorthRetrying: Bool { status == .unavailable || status == .temporary }
}
