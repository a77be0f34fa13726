// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClickstreamCompatibility
internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayTesting

/// A device for the static calls or for a test's own core.
///
/// Its storage is in memory, and its network accepts everything.
final class ClickstreamApp: Sendable {
    let network = ScriptedTransport()
    let clock = ManualClock()
    private let memory = Locked<InMemoryAnalytics?>(nil)
    private let configurations = Locked<[Configuration]>([])

    /// The configuration of the most recently created SDK.
    var configuration: Configuration? { configurations.withLock { $0.last } }
    /// The number of created SDKs.
    var starts: Int { configurations.withLock { $0.count } }
    /// The most recently created SDK.
    var analytics: Analytics? { memory.withLock { $0 }?.analytics }
    /// The SDK's diagnostics.
    var diagnostics: [Diagnostic] { memory.withLock { $0 }?.diagnostics ?? [] }
    /// The SDK's log lines.
    var log: [String] { memory.withLock { $0 }?.log ?? [] }

    func open(_ configuration: Configuration) throws -> Analytics {
        // The next process of the same installation uses the same disk.
        let storage = memory.withLock { $0 }?.storageAfterKill()
        memory.withLock { $0 = nil }
        let memoryAnalytics = try InMemoryAnalytics(configuration, storage: storage, clock: clock, transport: network)
        configurations.withLock { $0.append(configuration) }
        memory.withLock { $0 = memoryAnalytics }
        return memoryAnalytics.analytics
    }

    /// Returns a core for a test.
    func core(file: String? = nil) -> ClickstreamCore {
        ClickstreamCore(readFile: { file.map { Array($0.utf8) } }, makeAnalytics: { try self.open($0) })
    }

    /// Returns all events that reached the back end, in order.
    func sent() async throws -> [JSONValue] {
        guard let analytics else { return [] }
        _ = await analytics.flush()
        return try network.requests.flatMap { request in
            var body = request.body
            if request.url.contains("compression=gzip") {
                body = try Gzip.inflate(try #require(Base64.decode(body)))
            }
            return try #require(try JSONValue.parse(body).array)
        }
    }

    /// Returns the events with this name that reached the back end.
    func sent(_ name: String) async throws -> [JSONValue] {
        try await sent().filter { $0["event_type"]?.string == name }
    }
}

extension JSONValue {
    /// The name of a sent event.
    var name: String { self["event_type"]?.string ?? "" }

    /// Returns an attribute of a sent event.
    func attribute(_ name: String) -> JSONValue? { self["attributes"]?[name] }

    /// Returns an attribute of a sent event's user.
    func user(_ name: String) -> JSONValue? { self["user"]?[name]?["value"] }
}
