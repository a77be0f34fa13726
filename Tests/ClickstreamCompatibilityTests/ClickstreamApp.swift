// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ClickstreamCompatibility
internal import Testing
internal import Trackway
internal import TrackwayEvents
internal import TrackwayTesting
internal import TrackwayWire

/// One device on which the static calls, or a core of a test's own, do their work: memory for a disk, a network that
/// takes everything.
final class ClickstreamApp: Sendable {
    let network = ScriptedTransport()
    let clock = ManualClock()
    private let memory = Locked<InMemoryAnalytics?>(nil)
    private let configurations = Locked<[Configuration]>([])

    /// What the SDK was made with last.
    var configuration: Configuration? { configurations.withLock { $0.last } }
    /// How often the SDK was made.
    var starts: Int { configurations.withLock { $0.count } }
    /// The SDK that was made last.
    var analytics: Analytics? { memory.withLock { $0 }?.analytics }
    /// What it had to say.
    var diagnostics: [Diagnostic] { memory.withLock { $0 }?.diagnostics ?? [] }
    /// What it wrote to the log.
    var log: [String] { memory.withLock { $0 }?.log ?? [] }

    func open(_ configuration: Configuration) throws -> Analytics {
        // The next process of the same installation finds the same disk.
        let storage = memory.withLock { $0 }?.storageAfterKill()
        memory.withLock { $0 = nil }
        let made = try InMemoryAnalytics(configuration, storage: storage, clock: clock, transport: network)
        configurations.withLock { $0.append(configuration) }
        memory.withLock { $0 = made }
        return made.analytics
    }

    /// A core of the test's own.
    func core(file: String? = nil) -> ClickstreamCore {
        ClickstreamCore(file: { file.map { Array($0.utf8) } }, opening: { try self.open($0) })
    }

    /// Every event that reached the back-end, in order.
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

    /// The events with a name that reached the back-end.
    func sent(_ name: String) async throws -> [JSONValue] {
        try await sent().filter { $0["event_type"]?.string == name }
    }
}

extension JSONValue {
    /// The name of a sent event.
    var name: String { self["event_type"]?.string ?? "" }

    /// An attribute of a sent event.
    func attribute(_ name: String) -> JSONValue? { self["attributes"]?[name] }

    /// An attribute of a sent event's user.
    func user(_ name: String) -> JSONValue? { self["user"]?[name]?["value"] }
}
