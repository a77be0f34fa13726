// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayDestinations
internal import TrackwayEvents
internal import TrackwayTesting
internal import TrackwayWire

@testable internal import SAPUsageCompatibility

/// A back end for usage reports with scripted responses.
///
/// It stores each report ID once.
final class UploadBackEnd: Transport {
    /// The outcome of a request.
    enum Answer: Sendable, Hashable {
        case accept
        /// The report is stored, and the response is lost.
        case loseAnswer
        case status(Int)
        /// The request does not reach the back end.
        case offline
    }

    /// An event of a report, with its session.
    struct Arrival: Sendable, Hashable {
        let session: String
        let key: String
        let json: String
        let value: String?
    }

    private struct State: Sendable {
        var answer: @Sendable (WireRequest, Int) -> Answer
        var requests = 0
        var reports: [String: [Arrival]] = [:]
        var order: [String] = []
        var repeated = 0
        var history: [String] = []
    }

    private let state: Locked<State>

    /// Creates a back end.
    ///
    /// - Parameter answer: Called with each request and its number, starting at 1.
    init(_ answer: @escaping @Sendable (WireRequest, Int) -> Answer = { _, _ in .accept }) {
        state = Locked(State(answer: answer))
    }

    /// Changes the responses.
    func change(_ answer: @escaping @Sendable (WireRequest, Int) -> Answer) {
        state.withLock { $0.answer = answer }
    }

    /// The number of requests.
    var requests: Int { state.withLock { $0.requests } }
    /// The number of requests whose report was already stored.
    var repeated: Int { state.withLock { $0.repeated } }
    /// The stored events of each report, in the order of arrival.
    var reports: [[Arrival]] { state.withLock { state in state.order.compactMap { state.reports[$0] } } }
    /// The stored events.
    var arrivals: [Arrival] { reports.flatMap { $0 } }
    /// The keys of the stored events, by session.
    ///
    /// Sessions are in the order of their first events.
    var sessions: [[String]] {
        var places: [String: Int] = [:]
        var sessions: [[String]] = []
        for arrival in arrivals {
            if places[arrival.session] == nil {
                places[arrival.session] = sessions.count
                sessions.append([])
            }
            sessions[places[arrival.session] ?? 0].append(arrival.key)
        }
        return sessions
    }

    func send(_ request: WireRequest, timeout: Duration) async throws(TransportError) -> WireResponse {
        let (answer, number) = state.withLock { state in
            state.requests += 1
            return (state.answer, state.requests)
        }
        let found = answer(request, number)
        state.withLock { $0.history.append("\(number) \(found): \(Self.summary(of: request))") }
        switch found {
        case .accept:
            store(request)
            return WireResponse(status: 201, body: Array(#"{"report":"x"}"#.utf8))
        case .loseAnswer:
            store(request)
            throw TransportError(.timedOut, "the answer was lost")
        case .status(let status): return WireResponse(status: status)
        case .offline: throw TransportError(.offline, "no network")
        }
    }

    /// A line for each request, for the output of a failed test.
    var history: [String] { state.withLock { $0.history } }

    /// Adds a line to the history.
    func note(_ line: String) { state.withLock { $0.history.append(line) } }

    private static func summary(of request: WireRequest) -> String {
        guard let report = try? JSONValue.parse(request.body) else { return request.method }
        let sessions = (report["sessions"]?.array ?? []).map { session in
            let events = session["events"]?.array ?? []
            let ends = [events.first, events.last].map { $0?["value"]?.string ?? $0?["key"]?.string ?? "" }
            return "\(session["sessionInfo"]?["sessionId"]?.string?.suffix(4) ?? "") \(events.count) \(ends)"
        }
        return "\(report["report"]?.string?.suffix(4) ?? "") \(sessions)"
    }

    private func store(_ request: WireRequest) {
        guard let report = try? JSONValue.parse(request.body), let id = report["report"]?.string else { return }
        let events = (report["sessions"]?.array ?? []).flatMap { session in
            (session["events"]?.array ?? []).map { event in
                Arrival(
                    session: session["sessionInfo"]?["sessionId"]?.string ?? "",
                    key: event["key"]?.string ?? "",
                    json: String(decoding: event.json(), as: UTF8.self),
                    value: event["value"]?.string
                )
            }
        }
        state.withLock { state in
            guard state.reports[id] == nil else {
                state.repeated += 1
                return
            }
            state.reports[id] = events
            state.order.append(id)
        }
    }
}

extension UsageApp {
    /// A user of the device.
    static let person = UUID(uuid: (0xE9, 0xB5, 0x1D, 0x0C, 0x50, 0xB0, 0x4F, 0x27, 0x9D, 0x62, 0, 1, 2, 3, 4, 5))

    /// Configures a store, with data collection and the user's consent.
    @discardableResult
    func permitted(_ store: (any UsageStoring)? = nil) throws -> any UsageStoring {
        let store = try store ?? self.store(of: Self.person)
        usage.configure(with: store)
        usage.enableDataCollection()
        usage.consentForUser(Self.person, given: true)
        return store
    }

    /// Uploads the default target's records.
    @discardableResult
    func upload(
        to backEnd: UploadBackEnd,
        as application: String = "shop",
        unattributed: (any UsageSnapshotting)? = nil
    ) async -> SAPcpmsUsageUploader.UploadError? {
        let upload = SAPcpmsUpload(
            to: SAPMobileServicesDestination(backendURL: "https://tenant.test", applicationID: application),
            by: SAPURLSession(transport: backEnd),
            of: "default",
            from: usage.core
        )
        let kept = unattributed.map { Kept(object: $0) }
        return await withCheckedContinuation { continuation in
            upload.begin(kept?.object) { continuation.resume(returning: $0 as? SAPcpmsUsageUploader.UploadError) }
        }
    }

    /// Returns a session start.
    func start(_ application: String = "shop") -> UsageRecord {
        environment.sessionStart(application: application, version: nil)
    }

    /// All files on the disk.
    var files: [String] {
        var paths = [environment.folder.path]
        var files: [String] = []
        while let path = paths.popLast() {
            // A path without entries is a file or an empty folder.
            let names = (try? memory.storage.names(in: path)) ?? []
            paths += names.map { path + "/" + $0 }
            if names.isEmpty { files.append(path) }
        }
        return files.sorted()
    }

    /// Returns the files that contain a text.
    func files(holding text: String) -> [String] {
        files.filter { path in
            // An empty folder has no contents.
            let bytes = (try? memory.storage.contents(of: path)) ?? []
            return Data(bytes).range(of: Data(text.utf8)) != nil
        }
    }

    /// The number of segments in the stores' logs.
    var segments: Int { files.count { $0.hasSuffix(".segment") } }
}
