// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal

/// `POST /v1/events`: authorizes, reads, validates, and commits a batch.
///
/// The key is checked before any byte of the body is read or decompressed.
struct IntakeEndpoint: RoutedResource {
    private let dependencies: CollectorDependencies
    private let admission: Admission

    init(dependencies: CollectorDependencies) {
        self.dependencies = dependencies
        admission = Admission(limits: dependencies.configuration.limits)
    }

    func register(in routes: inout RouteTable) {
        routes.add(.post, "/v1/events", .sending, .intake) { try await post($0.request, from: $0.origin) }
    }

    /// Receives one batch.
    ///
    /// Everything that the response counts as accepted is on stable storage.
    func post(_ request: Request, from origin: RequestOrigin) async throws -> Response {
        let (grant, encoding) = try prepare(request)
        let limits = dependencies.configuration.limits
        return try await RequestBody.with(
            request,
            upTo: limits.body.wireBytes,
            under: grant,
            from: origin,
            dependencies,
            unpacked: { RequestBody.unpackedBytes($0, encoding, limits: limits) },
            { try await take($0, encoding, grant, origin) }
        )
    }

    private func take(
        _ body: ByteBuffer,
        _ encoding: ContentEncoding,
        _ grant: KeyGrant,
        _ origin: RequestOrigin
    ) async throws -> Response {
        let received = dependencies.clock.now().wall
        let verdict = body.withUnsafeReadableBytes { bytes in
            Result { () throws(AdmissionError) in
                try admission.admit(
                    bytes,
                    encoding: encoding,
                    grant: grant,
                    received: received,
                    isErasedUser: dependencies.store.hasErasedUsers
                        ? { dependencies.store.isErased(user: $0) } : nil
                )
            }
        }
        switch verdict {
        case .success(let batch):
            do throws(AdmissionError) {
                try dependencies.erasures.admit(batch.erasures, key: grant.name, from: origin.address)
            } catch {
                throw RequestFailure(error)
            }
            let response: Response
            if let sender = batch.sender, dependencies.store.isErased(sender) {
                response = try await rejectErased(batch, of: sender, grant: grant, received: received)
            } else {
                response = try await commit(batch, wireBytes: body.readableBytes, grant: grant, from: origin)
            }
            dependencies.authorization.charge(grant, events: batch.accepted + batch.rejected.count)
            return response
        case .failure(let error):
            await quarantine(body, encoding, refusedWith: error, grant: grant, received: received)
            throw RequestFailure(error)
        }
    }

    private func prepare(_ request: Request) throws(RequestFailure) -> (KeyGrant, ContentEncoding) {
        do throws(AdmissionError) {
            let grant = try dependencies.authorization.grant(header: request.headers[.authorization], for: .write)
            let encoding = try grant.withNameInErrors { () throws(AdmissionError) in
                let encoding = try ContentEncoding(header: request.headers[.contentEncoding])
                try ContentType.check(request.headers[.contentType])
                return encoding
            }
            return (grant, encoding)
        } catch {
            throw RequestFailure(error)
        }
    }

    private func commit(
        _ batch: AdmittedBatch,
        wireBytes: Int,
        grant: KeyGrant,
        from origin: RequestOrigin
    ) async throws(RequestFailure) -> Response {
        // Only events are stored with an address; requests for erasure are not.
        let hasEvents = batch.accepted + batch.rejected.count > 0 && batch.erasures == 0
        let client = hasEvents ? dependencies.configuration.clientAddresses.stored(origin.sender) : nil
        let record = IntakeRecord.adding(client: client, to: batch.record)
        do {
            let commit = try await dependencies.intake.commit(kind: .intake, record: record, route: batch.route)
            dependencies.statistics.withLock { $0.recordCommit(batch, wireBytes: wireBytes, key: grant.name) }
            return acknowledgment(accepted: batch.accepted, rejected: batch.rejected, warnings: batch.warnings, commit)
        } catch {
            throw RequestFailure(error)
        }
    }

    /// Responds to a batch from an erased installation.
    ///
    /// The response rejects all events of the batch. Only the number of these events is stored.
    private func rejectErased(
        _ batch: AdmittedBatch,
        of sender: InstallationID,
        grant: KeyGrant,
        received: Timestamp
    ) async throws(RequestFailure) -> Response {
        let count = batch.accepted + batch.rejected.count
        let record = ErasureRecord(received: received, key: grant.name, installation: sender, events: count)
        do {
            let commit = try await dependencies.intake.commit(
                kind: .erasedEvents,
                record: record.bytes,
                route: batch.route
            )
            let rejected = (0..<count).map { RejectedEvent.erased(sender, index: $0) }
            dependencies.statistics.withLock { $0.recordRejections(rejected, key: grant.name) }
            return acknowledgment(accepted: 0, rejected: rejected, commit)
        } catch {
            throw RequestFailure(error)
        }
    }

    private func acknowledgment(
        accepted: Int,
        rejected: [RejectedEvent],
        warnings: [AdmissionWarning] = [],
        _ commit: Commit
    ) -> Response {
        let acknowledgment = CollectorAcknowledgment(
            accepted: accepted,
            rejected: rejected.map { event in
                CollectorAcknowledgment.Rejected(
                    index: event.index,
                    id: event.id?.description,
                    code: event.code,
                    field: event.field.isEmpty ? nil : event.field,
                    message: event.message
                )
            },
            position: commit.position.description,
            durability: commit.durability.rawValue,
            warnings: warnings.map { warning in
                CollectorAcknowledgment.Warning(
                    index: warning.index,
                    events: warning.events,
                    code: warning.code,
                    field: warning.field,
                    message: warning.message
                )
            }
        )
        return JSONResponse.make(.ok, ByteBuffer(bytes: acknowledgment.json()))
    }

    /// Stores a rejected body from a sender with a known key, for inspection.
    ///
    /// Applies only to bodies that admission rejected as a whole.
    private func quarantine(
        _ body: ByteBuffer,
        _ encoding: ContentEncoding,
        refusedWith error: AdmissionError,
        grant: KeyGrant,
        received: Timestamp
    ) async {
        // The sender receives the reason for the rejection in either case. The intake counts a copy that could not be
        // stored, and the verdict stays the same.
        _ = await Quarantine(dependencies: dependencies).store(
            body.readableBytesView,
            refusedWith: error,
            grant: grant,
            received: received,
            limit: dependencies.configuration.limits.quarantineBytes,
            encoding: encoding
        )
    }
}
