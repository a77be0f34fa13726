// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Trackway
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayDestinations

/// A snapshot of this machine, taken by the SDK as in an app.
struct DeviceSnapshot: Sendable {
    /// The events as recorded by the SDK, each a JSON object.
    var events: [JSONValue]
    /// The uncompressed body of the Sift request that carries the events.
    var siftBody: [UInt8]

    /// The maximum duration of a snapshot.
    ///
    /// The SDK waits 5.1 s for sensors, and 2 s for slow sources.
    static let timeout = Duration.seconds(15)

    /// Takes a snapshot with the SDK.
    ///
    /// Records into a folder that is removed afterward, and sends nothing.
    ///
    /// - Parameters:
    ///   - sources: The sources of the snapshot.
    ///   - appID: The id of the app that takes the snapshot.
    ///   - folder: The folder to record into.
    ///   - console: The console for diagnostics.
    ///   - timeout: The maximum duration.
    static func take(
        from sources: SnapshotSources,
        appID: String,
        folder: URL,
        console: Console,
        timeout: Duration = Self.timeout
    ) async throws(CommandFailure) -> DeviceSnapshot {
        // If the removal fails, the folder contains only this snapshot, and the system clears it.
        defer { try? FileManager.default.removeItem(at: folder) }
        let requests = RequestCatcher()
        let analytics = try start(sources, appID: appID, folder: folder, requests: requests, console: console)
        // The app becoming active triggers a snapshot.
        analytics.lifecycleChanged(to: .didBecomeActive)
        let caught = await requests.wait(for: [NativeFormat.address, Self.siftAddress], timeout: timeout)
        await analytics.shutdown(timeout: .zero)
        guard let native = caught[NativeFormat.address], let sift = caught[Self.siftAddress] else {
            throw CommandFailure(.internalFailure, "no snapshot was taken within \(timeout)")
        }
        do {
            let events = try native.split(separator: UInt8(ascii: "\n")).map { try JSONValue.parse(Array($0)) }
            return DeviceSnapshot(events: events, siftBody: try Gzip.inflate(sift))
        } catch {
            throw CommandFailure(.internalFailure, "the snapshot cannot be read: \(error)")
        }
    }

    private static func start(
        _ sources: SnapshotSources,
        appID: String,
        folder: URL,
        requests: RequestCatcher,
        console: Console
    ) throws(CommandFailure) -> Analytics {
        var configuration = Configuration(
            appID: appID,
            destinations: [
                DestinationConfiguration(NativeFormat()),
                .sift(accountID: "device", beaconKey: "device", serverURLFormat: "http://sift.invalid/%@"),
            ],
            consent: .granted
        )
        configuration.storage.folder = folder
        configuration.delivery.transport = requests
        configuration.lifecycle.isObserved = false
        configuration.capture = []
        configuration.snapshots = SnapshotOptions(sources: sources, allowsMotion: true)
        // Send both events of a snapshot in one request, or only one event if the sources have no device properties.
        configuration.delivery.policy.flushEvents = 2
        configuration.delivery.policy.flushInterval = .seconds(8)
        configuration.onDiagnostic = { console.note(console.messageStyle.faint("— \($0)")) }
        do {
            return try Analytics(configuration)
        } catch {
            throw CommandFailure(
                .cannotCreate,
                "\(error)",
                remedy: "make the temporary folder writable, or set TMPDIR to another one"
            )
        }
    }

    private static let siftAddress = "http://sift.invalid/device"
}

/// A destination that receives events as recorded, one JSON object per line.
private struct NativeFormat: Destination {
    /// An address at which no server exists.
    static let address = "http://native.invalid/"

    let id: DestinationID = "native"

    func request(for batch: EventBatch, sentAt: Timestamp) throws(WireEncodingError) -> WireRequest {
        let lines = batch.records.map { batch.bytes[$0.payload] }
        return WireRequest(url: Self.address, body: Array(lines.joined(separator: [UInt8(ascii: "\n")])))
    }

    func verdict(on response: WireResponse, for batch: EventBatch) -> Verdict { .accepted }
}

/// A transport that collects requests and responds to each with success.
private struct RequestCatcher: Transport {
    private let caught = AsyncStream.makeStream(of: WireRequest.self)

    func send(_ request: WireRequest, timeout: Duration) async throws(TransportError) -> WireResponse {
        caught.continuation.yield(request)
        return WireResponse(status: 200, url: request.url)
    }

    /// Returns the body of the first request to each address.
    ///
    /// Addresses that receive no request before the timeout are missing.
    func wait(for addresses: Set<String>, timeout: Duration) async -> [String: [UInt8]] {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                // The sleep throws only if it is canceled because all requests have arrived; finishing the stream is
                // then harmless.
                try? await ContinuousClock().sleep(for: timeout)
                caught.continuation.finish()
            }
            var bodies: [String: [UInt8]] = [:]
            for await request in caught.stream where bodies[request.url] == nil {
                bodies[request.url] = request.body
                if addresses.isSubset(of: bodies.keys) { break }
            }
            group.cancelAll()
            return bodies
        }
    }
}
