// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
internal import TrackwayWire

extension Configuration {
    /// Finds what cannot work, before anything touches the disk.
    func check() throws(TrackwayError) {
        try checkAppID()
        try checkDestinations()
        if maximumJournalBytes < Self.leastJournalBytes {
            throw TrackwayError(
                .invalidLimit,
                "maximumJournalBytes is \(maximumJournalBytes); it must be at least \(Self.leastJournalBytes), or "
                    + "events would be dropped before they could be sent"
            )
        }
        if maximumJournalAge <= .zero {
            throw TrackwayError(
                .invalidLimit,
                "maximumJournalAge is \(maximumJournalAge); it must be longer than nothing, or every event would "
                    + "expire at once"
            )
        }
    }

    /// Less would not hold one event of the largest size and the segment that follows it.
    static let leastJournalBytes = 262_144
    static let longestAppID = 256

    private func checkAppID() throws(TrackwayError) {
        if (1...Self.longestAppID).contains(appID.utf8.count) { return }
        throw TrackwayError(
            .invalidAppID,
            appID.isEmpty
                ? "the app id is empty; give one that no other app on the device uses, for example its bundle identifier"
                : "the app id has \(appID.utf8.count) bytes; use at most \(Self.longestAppID)"
        )
    }

    private func checkDestinations() throws(TrackwayError) {
        if destinations.isEmpty {
            throw TrackwayError(
                .noDestinations,
                "no destination is configured, so no event could ever arrive; add one, for example "
                    + ".collector(URL(string: \"http://127.0.0.1:8787\")!, writeKey: \"dev\")"
            )
        }
        var seen: Set<DestinationID> = []
        for destination in destinations where !seen.insert(destination.id).inserted {
            throw TrackwayError(
                .duplicateDestination,
                "two destinations have the id \"\(destination.id)\"; give one of them another, for example "
                    + ".collector(url, writeKey: key, id: \"second\")"
            )
        }
        for id in consentCategories.keys.sorted() where !seen.contains(id) {
            throw TrackwayError(
                .unknownDestination,
                "consentCategories names \"\(id)\", but no destination has this id; the ids are "
                    + seen.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
            )
        }
        for id in deliveryExceptions.keys.sorted() where !seen.contains(id) {
            throw TrackwayError(
                .unknownDestination,
                "deliveryExceptions names \"\(id)\", but no destination has this id; the ids are "
                    + seen.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
            )
        }
    }
}
