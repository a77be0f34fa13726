// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayDestinations
internal import TrackwayTesting

@testable internal import SAPUsageCompatibility

/// A back end for usage reports with scripted responses.
///
/// It stores each report ID once.
final class UploadBackEnd: Transport {
    /// The outcome of a request.
    enum Response: Sendable, Hashable {
        case accept
        /// The report is stored, and the response is lost.
        case loseResponse
        case status(Int)
        /// The request does not reach the back end.
        case offline
    }

    /// An event of a report, with its session.
    struct StoredEvent: Sendable, Hashable {
        let session: String
        let key: String
        let json: String
        let value: String?
    }

    private struct State: Sendable {
        var respond: @Sendable (WireRequest, Int) -> Response
        var requests = 0
        var reports: [String: [StoredEvent]] = [:]
        var order: [String] = []
        var repeatedRequests = 0
        var history: [String] = []
    }

    private let state: Locked<State>

    /// Creates a back end.
    ///
    /// - Parameter respond: Called with each request and its number, starting at 1.
    init(_ respond: @escaping @Sendable (WireRequest, Int) -> Response = { _, _ in .accept }) {
        state = Locked(State(respond: respond))
    }

    /// Changes the responses.
    func setResponse(_ respond: @escaping @Sendable (WireRequest, Int) -> Response) {
        state.withLock { $0.respond = respond }
    }

    /// The number of requests.
    var requests: Int { state.withLock { $0.requests } }
    /// The number of requests whose report was already stored.
    var repeatedRequests: Int { state.withLock { $0.repeatedRequests } }
    /// The stored events of each report, in the order of arrival.
    var reports: [[StoredEvent]] { state.withLock { state in state.order.compactMap { state.reports[$0] } } }
    /// The stored events.
    var storedEvents: [StoredEvent] { reports.flatMap { $0 } }
    /// The keys of the stored events, by session.
    ///
    /// Sessions are in the order of their first events.
    var sessions: [[String]] {
        var indexes: [String: Int] = [:]
        var sessions: [[String]] = []
        for event in storedEvents {
            if indexes[event.session] == nil {
                indexes[event.session] = sessions.count
                sessions.append([])
            }
            sessions[indexes[event.session] ?? 0].append(event.key)
        }
        return sessions
    }

    func send(_ request: WireRequest, timeout: Duration) async throws(TransportError) -> WireResponse {
        let (respond, number) = state.withLock { state in
            state.requests += 1
            return (state.respond, state.requests)
        }
        let response = respond(request, number)
        state.withLock { $0.history.append("\(number) \(response): \(Self.summary(of: request))") }
        switch response {
        case .accept:
            store(request)
            return WireResponse(status: 201, body: Array(#"{"report":"x"}"#.utf8))
        case .loseResponse:
            store(request)
            throw TransportError(.timedOut, "the response was lost")
        case .status(let status): return WireResponse(status: status)
        case .offline: throw TransportError(.offline, "no network")
        }
    }

    /// A line for each request, for the output of a failed test.
    var history: [String] { state.withLock { $0.history } }

    /// Adds a line to the history.
    func addToHistory(_ line: String) { state.withLock { $0.history.append(line) } }

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
                StoredEvent(
                    session: session["sessionInfo"]?["sessionId"]?.string ?? "",
                    key: event["key"]?.string ?? "",
                    json: String(decoding: event.json(), as: UTF8.self),
                    value: event["value"]?.string
                )
            }
        }
        state.withLock { state in
            guard state.reports[id] == nil else {
                state.repeatedRequests += 1
                return
            }
            state.reports[id] = events
            state.order.append(id)
        }
    }
}

extension UsageApp {
    /// A user of the device.
    static let userID = UUID(uuid: (0xE9, 0xB5, 0x1D, 0x0C, 0x50, 0xB0, 0x4F, 0x27, 0x9D, 0x62, 0, 1, 2, 3, 4, 5))

    /// Configures a store, with data collection and the user's consent.
    @discardableResult
    func configureWithConsent(_ store: (any UsageStoring)? = nil) throws -> any UsageStoring {
        let store = try store ?? self.store(of: Self.userID)
        usage.configure(with: store)
        usage.enableDataCollection()
        usage.consentForUser(Self.userID, given: true)
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
        let unattributedBox = unattributed.map { UncheckedSendableBox(object: $0) }
        return await withCheckedContinuation { continuation in
            upload.begin(unattributedBox?.object) {
                continuation.resume(returning: $0 as? SAPcpmsUsageUploader.UploadError)
            }
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
    func files(containing text: String) -> [String] {
        files.filter { path in
            // An empty folder has no contents.
            let bytes = (try? memory.storage.contents(of: path)) ?? []
            return Data(bytes).range(of: Data(text.utf8)) != nil
        }
    }

    /// The number of segments in the stores' logs.
    var segments: Int { files.count { $0.hasSuffix(".segment") } }
}
