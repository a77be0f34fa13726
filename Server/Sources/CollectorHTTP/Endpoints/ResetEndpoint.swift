// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import TrackwayCore
internal import TrackwayJournal

/// `POST /v1/reset`: discards all data of an ephemeral collector.
///
/// This lets the next test start without data.
struct ResetEndpoint: RoutedResource {
    let dependencies: CollectorDependencies
    /// The maximum time to wait for the index to discard its contents.
    private static let longestWait = Duration.seconds(30)

    func register(in routes: inout RouteTable) {
        routes.add(.post, "/v1/reset", .sending) { try await reset($0.request, authorization: $0.authorization) }
    }

    /// Discards all data, and responds once no query can read the data.
    ///
    /// A batch that is received concurrently is, as a whole, either discarded or kept. Streams and waits remain open
    /// and continue with later arrivals.
    func reset(_ request: Request, authorization: ReadAuthorization) async throws -> Response {
        guard dependencies.configuration.isEphemeral else {
            throw RequestFailure.notFound(
                "Only a collector that was started with --ephemeral can be reset; this one keeps its data."
            )
        }
        let grant = try dependencies.operatorGrant(request, to: "reset")
        let record = ResetRecord(received: dependencies.clock.now().wall, key: grant.name)
        let position = try await commit(record)
        try await IndexFollower(
            store: dependencies.store,
            interval: Self.longestWait,
            authorization: authorization,
            authorizationCheckInterval: dependencies.configuration.authorizationCheckInterval
        ).follow(until: EventPosition(position))
        guard dependencies.store.beginning >= EventPosition(position) else {
            throw RequestFailure(
                status: .serviceUnavailable,
                code: .indexBehind,
                message:
                    """
                    The index has not been reset yet, but will be. \
                    \(dependencies.store.failureReason ?? "It must read a backlog first.")
                    """,
                retryAfter: .seconds(1)
            )
        }
        dependencies.quarantine.withLock {
            $0 = QuarantineQuota(bytesPerDay: dependencies.configuration.limits.quarantineBytesPerDay)
        }
        do {
            try dependencies.erasureQueue?.removeAll()
            try dependencies.intake.removeSegments(before: position)
        } catch {
            // The segments still take up space but are not read again; the next reset tries again to delete them.
        }
        return JSONResponse.make { writer in
            writer.beginObject()
            writer.member("position", position.description)
            writer.endObject()
        }
    }

    private func commit(_ record: ResetRecord) async throws(RequestFailure) -> LogPosition {
        do {
            return try await dependencies.intake.commit(kind: .reset, record: record.bytes, route: .unrouted).position
        } catch {
            throw RequestFailure(error)
        }
    }
}

extension CollectorDependencies {
    /// Returns the grant of an operator's key, which may both write and read.
    ///
    /// Such a key is required for changing stored data: a write-only key is in every copy of an app.
    ///
    /// - Parameter verb: The action to name in the error message.
    func operatorGrant(_ request: Request, to verb: String) throws(RequestFailure) -> KeyGrant {
        do throws(AdmissionError) {
            let grant = try authorization.grant(header: request.headers[.authorization], for: .read)
            guard grant.scopes.contains(.write) else {
                throw AdmissionError(
                    .forbidden,
                    code: .keyForbidden,
                    field: "authorization",
                    message:
                        "The key “\(grant.name)” is not allowed to \(verb); use a key that may read and write."
                )
            }
            return grant
        } catch {
            throw RequestFailure(error)
        }
    }
}

extension EventPosition {
    /// Creates an index position from a position of the intake log.
    init(_ position: LogPosition) {
        self.init(segment: position.segment, offset: position.offset)
    }
}
