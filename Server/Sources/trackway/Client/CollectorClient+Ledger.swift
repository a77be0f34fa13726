// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension CollectorClient {
    /// The collector's ledger once the index has caught up: what was just delivered is in the intake log, and may be a moment
    /// away from the index that answers.
    ///
    /// - Parameter installation: only this one; nil for all.
    /// - Returns: the answer as it came, all pages as one, and as it is read.
    func settledLedger(installation: String? = nil) async throws(CommandFailure) -> (JSONValue, CollectorLedger) {
        let query = installation.map { [(name: "installation", value: $0)] } ?? []
        let answer = try await get("/v1/ledger", query: query + [("limit", "1")])
        guard let end = answer["end"]?.string, var indexed = answer["indexed"]?.string else {
            return (answer, CollectorLedger(answer))
        }
        while true {
            let wait = try await get("/v1/wait", query: [("position", end), ("timeout", "1")])
            // An index that stands still has read all there is: a segment that was just begun holds nothing yet.
            guard wait["done"]?.boolean != true, let reached = wait["indexed"]?.string, reached != indexed else {
                break
            }
            indexed = reached
        }
        let settled = try await wholeLedger(query)
        return (settled, CollectorLedger(settled))
    }

    /// All pages as one answer.
    private func wholeLedger(_ query: [(name: String, value: String)]) async throws(CommandFailure) -> JSONValue {
        let first = try await get("/v1/ledger", query: query)
        guard var answer = first.object else { return first }
        var writers = first["writers"]?.array ?? []
        var next = first["next"]?.string
        while let after = next {
            let page = try await get("/v1/ledger", query: query + [("after", after)])
            writers += page["writers"]?.array ?? []
            next = page["next"]?.string
        }
        answer.members.removeAll { $0.key == "next" }
        for index in answer.members.indices where answer.members[index].key == "writers" {
            answer.members[index].value = .array(writers)
        }
        return .object(answer)
    }
}
