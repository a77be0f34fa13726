// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import HTTPTypes
internal import Hummingbird
internal import TrackwayEvents
internal import TrackwayJournal
internal import TrackwayWire

/// `DELETE /v1/installations/{id}`: an operator erases an installation.
struct ErasureEndpoint: RoutedResource {
    let dependencies: CollectorDependencies

    func register(in routes: inout RouteTable) {
        routes.add(.delete, "/v1/installations/{installation}", .sending) {
            try await erase($0.request, $0["installation"])
        }
    }

    /// Erases an installation, known or not. The answer means that the order is on stable storage; the index carries it out
    /// when it gets there, and every index that is made anew from the log does too.
    ///
    /// It takes a key that may both write and read, wherever the request comes from: such a key is an operator's, one that
    /// may only write is in every copy of an app.
    func erase(_ request: Request, _ text: String) async throws(RequestFailure) -> Response {
        let grant = try dependencies.operatorGrant(request, to: "erase")
        guard let installation = InstallationID(text) else {
            throw RequestFailure.malformed("installation", "“\(text.prefix(64))” is not an installation's id.")
        }
        let record = ErasureRecord(received: dependencies.clock.now().wall, key: grant.name, installation: installation)
        do {
            let commit = try await dependencies.intake.commit(
                kind: .erasure,
                record: record.bytes,
                route: IntakeRoute(installation: installation)
            )
            return Answer.json { writer in
                writer.beginObject()
                writer.member("installation", installation)
                writer.member("position", commit.position.description)
                writer.member("durability", commit.durability.rawValue)
                writer.endObject()
            }
        } catch {
            throw RequestFailure(error)
        }
    }
}
