// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import HTTPTypes
internal import Hummingbird
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal

/// `DELETE /v1/installations/{id}`: erases an installation for an operator.
struct ErasureEndpoint: RoutedResource {
    let dependencies: CollectorDependencies

    func register(in routes: inout RouteTable) {
        routes.add(.delete, "/v1/installations/{installation}", .sending) {
            try await erase($0.request, $0["installation"])
        }
    }

    /// Erases a known or unknown installation.
    ///
    /// The response means that the deletion request is on stable storage. The index executes the request when it
    /// reaches the request's position in the log; so does every index that is rebuilt from the log.
    ///
    /// The request requires a key with both write and read scope, regardless of its origin: only operators have such
    /// keys, while a write-only key is in every copy of an app.
    func erase(_ request: Request, _ text: String) async throws(RequestFailure) -> Response {
        let grant = try dependencies.operatorGrant(request, to: "erase")
        guard let installation = InstallationID(text) else {
            throw RequestFailure.malformed("installation", "“\(text.prefix(64))” is not an installation id.")
        }
        let record = ErasureRecord(received: dependencies.clock.now().wall, key: grant.name, installation: installation)
        do {
            let commit =
                if let register = dependencies.erasureRegister {
                    try await register.requestErasure(record, dependencies.intake)
                } else {
                    try await dependencies.intake.commit(
                        kind: .erasure,
                        record: record.bytes,
                        route: IntakeRoute(installation: installation)
                    )
                }
            return JSONResponse.make { writer in
                writer.beginObject()
                writer.member("installation", installation)
                if let register = dependencies.erasureRegister {
                    writer.member("erasure", ErasurePlan(DeletionRequest(record), key: register.key).id)
                }
                writer.member("position", commit.position.description)
                writer.member("durability", commit.durability.rawValue)
                writer.endObject()
            }
        } catch {
            throw RequestFailure(error)
        }
    }
}
