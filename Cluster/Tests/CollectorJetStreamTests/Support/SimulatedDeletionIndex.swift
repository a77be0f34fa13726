// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

@testable internal import CollectorJetStream

/// The stream that lists the deleted records of a simulated one.
struct SimulatedDeletionIndex: Sendable {
    /// How the servers of the list respond.
    enum Availability: Sendable, Hashable {
        /// Copies and leader answer.
        case complete
        /// Copies answer but are still empty; the leader has everything.
        case lagging
        /// No answer is sent.
        case unresponsive
        /// There is neither a leader nor a copy.
        case leaderless
        /// The stream is missing.
        case missing
    }

    /// The creation time of the stream whose records are listed.
    static let created = "2026-11-26T13:00:00Z"

    var availability = Availability.missing
    /// The last entry of each subject.
    var entries: [String: [UInt8]] = [:]
    /// Requested deletions, with the number of listed records at that time.
    var deleted: [(sequence: Int, listed: Int)] = []
    /// The number of requests to copies.
    var requestsToCopies = 0
    /// The error that deletions receive; nil for success.
    var deletionError: String?

    /// Lists records, as records of one installation with one event each.
    mutating func list(_ sequences: some Sequence<Int>, of created: String = Self.created) {
        if availability == .missing { availability = .complete }
        for sequence in sequences {
            let record = DeletedRecordEntry(
                sequence: UInt64(sequence),
                installation: InstallationID(high: 1, low: 2),
                events: 1
            )
            entries["erased.0.\(sequence)"] = record.json(of: created)
        }
    }

    /// Answers a request about the list, or a deletion; nil for any other request.
    mutating func answer(_ subject: String, _ body: [UInt8]) -> Result<NATSMessage, NATSRequestFailure>? {
        if subject.hasPrefix("$JS.API.STREAM.MSG.DELETE.") {
            let sequence = Int(String(decoding: body, as: UTF8.self).filter(\.isNumber)) ?? 0
            deleted.append((sequence, entries.count))
            return .success(SimulatedEngine.message(deletionError ?? #"{"success":true}"#))
        }
        guard subject.hasSuffix(".ERASED_0") || subject.hasPrefix("erased.") else { return nil }
        switch availability {
        case .unresponsive: return .failure(.unanswered(connection: 1))
        case .leaderless: return .success(SimulatedEngine.status(503))
        case .missing where subject.hasPrefix("$JS.API.STREAM.CREATE."): availability = .complete
        case .missing:
            let error = #"{"error":{"code":404,"err_code":10059,"description":"stream not found"}}"#
            return .success(
                subject.hasPrefix("$JS.API.STREAM.") ? SimulatedEngine.message(error) : SimulatedEngine.status(503)
            )
        case .complete, .lagging: break
        }
        if subject.hasPrefix("erased.") {
            entries[subject] = body
            return .success(SimulatedEngine.message(#"{"stream":"ERASED_0","seq":\#(entries.count)}"#))
        }
        if subject.hasPrefix("$JS.API.STREAM.INFO.") || subject.hasPrefix("$JS.API.STREAM.CREATE.") {
            let others = entries["erased.0.progress"] == nil ? "" : #""erased.0.progress":1"#
            return .success(
                SimulatedEngine.message(
                    #"{"config":{"name":"ERASED_0","storage":"file","num_replicas":3,"discard":"new","allow_direct":true,"#
                        + #""max_msgs_per_subject":1,"duplicate_window":120000000000,"subjects":["erased.0.*"]},"state":"#
                        + #"{"messages":\#(entries.count),"subjects":{\#(others)}},"cluster":{"leader":"n0","replicas":"#
                        + #"[{"name":"n1","active":1},{"name":"n2","active":1}]}}"#
                )
            )
        }
        let subjects = (try? JSONValue.parse(body))?["last_by_subj"]?.string ?? ""
        let isCopy = subject.hasPrefix("$JS.API.DIRECT.")
        guard let entry = entries[subjects], !isCopy || availability == .complete else {
            let error = #"{"error":{"code":404,"err_code":10037,"description":"no message found"}}"#
            return .success(isCopy ? SimulatedEngine.status(404) : SimulatedEngine.message(error))
        }
        return .success(SimulatedEngine.message(isCopy ? String(decoding: entry, as: UTF8.self) : #"{"message":{}}"#))
    }

    /// Returns the answers of a server that has a copy of the list; nil for other requests.
    mutating func deliver(_ subject: String, _ body: [UInt8]) -> Result<[NATSMessage], NATSRequestFailure>? {
        guard subject == "$JS.API.DIRECT.GET.ERASED_0" else { return nil }
        requestsToCopies += 1
        switch availability {
        case .unresponsive: return .failure(.unanswered(connection: 1))
        case .leaderless, .missing: return .success([SimulatedEngine.status(503)])
        case .lagging: return .success([SimulatedEngine.status(404)])
        case .complete: break
        }
        let subjects = (try? JSONValue.parse(body))?["multi_last"]?.array?.compactMap(\.string) ?? []
        let found = subjects.compactMap { entries[$0] }
        guard !found.isEmpty, subjects.count <= 1_024 else {
            return .success([SimulatedEngine.status(found.isEmpty ? 404 : 413)])
        }
        return .success(
            found.map { SimulatedEngine.message(String(decoding: $0, as: UTF8.self)) } + [SimulatedEngine.status(204)]
        )
    }
}
