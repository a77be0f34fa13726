// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HTTPTypes
internal import Hummingbird
internal import TrackwayEvents
internal import TrackwayJournal

/// `POST /v1/reset`: a collector for tests forgets everything, so that the next test begins with nothing.
struct ResetEndpoint: RoutedResource {
    let dependencies: CollectorDependencies
    /// How long the index may take to forget.
    private static let longestWait = Duration.seconds(30)

    func register(in routes: inout RouteTable) {
        routes.add(.post, "/v1/reset", .sending) { try await reset($0.request, pass: $0.pass) }
    }

    /// Forgets, and answers once that is so: no later question sees anything from before. A batch that is being taken
    /// meanwhile counts as before or as after, whole. Streams and waits stay open, and go on with what comes afterwards.
    func reset(_ request: Request, pass: ReadPass) async throws -> Response {
        guard dependencies.configuration.isEphemeral else {
            throw RequestFailure.notFound(
                "Only a collector that was started with --ephemeral can be reset; this one keeps what it has taken."
            )
        }
        let grant = try dependencies.operatorGrant(request, to: "reset")
        let record = ResetRecord(received: dependencies.clock.now().wall, key: grant.name)
        let position = try await commit(record)
        try await IndexFollower(
            store: dependencies.store,
            interval: Self.longestWait,
            pass: pass,
            passInterval: dependencies.configuration.passInterval
        ).follow(until: EventPosition(position))
        guard dependencies.store.beginning >= EventPosition(position) else {
            throw RequestFailure(
                status: .serviceUnavailable,
                code: "index_behind",
                message:
                    "The index has not forgotten yet, and will. \(dependencies.store.trouble ?? "It has much to read first.")",
                retryAfter: .seconds(1)
            )
        }
        dependencies.quarantine.withLock {
            $0 = QuarantineQuota(bytesPerDay: dependencies.configuration.limits.quarantineBytesPerDay)
        }
        do {
            try dependencies.intake.removeSegments(before: position)
        } catch {
            // They take space and are not read again; the next reset tries once more.
        }
        return Answer.json { writer in
            writer.beginObject()
            writer.member("position", position.description)
            writer.endObject()
        }
    }

    private func commit(_ record: ResetRecord) async throws(RequestFailure) -> LogPosition {
        do {
            return try await dependencies.intake.commit(kind: .reset, record: record.bytes, route: .none).position
        } catch {
            throw RequestFailure(error)
        }
    }
}

extension CollectorDependencies {
    /// The grant of whoever may change what is kept: a key that may both write and read. Such a key is an operator's, one that
    /// may only write is in every copy of an app.
    ///
    /// - Parameter verb: What it is needed for, for the error.
    func operatorGrant(_ request: Request, to verb: String) throws(RequestFailure) -> KeyGrant {
        do throws(AdmissionError) {
            let grant = try authorization.grant(header: request.headers[.authorization], for: .read)
            guard grant.scopes.contains(.write) else {
                throw AdmissionError(
                    .forbidden,
                    code: "key_forbidden",
                    field: "authorization",
                    message:
                        "The key “\(grant.name)” does not allow to \(verb); that takes one that may read and write."
                )
            }
            return grant
        } catch {
            throw RequestFailure(error)
        }
    }
}

extension EventPosition {
    /// The place of the intake log, as readers of the index know it.
    init(_ position: LogPosition) {
        self.init(segment: position.segment, offset: position.offset)
    }
}
