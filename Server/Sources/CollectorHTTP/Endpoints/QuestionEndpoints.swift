// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Hummingbird
internal import TrackwayEvents

/// The endpoints that answer questions about many events at once.
struct QuestionEndpoints: Sendable {
    private let dependencies: CollectorDependencies
    private let zones: ZoneDirectory
    /// Fewer than the index has readers: while long questions are answered, short ones need not wait for them.
    private let slots = FollowerSlots(limit: 3)

    init(dependencies: CollectorDependencies, zones: @escaping ZoneDirectory) {
        self.dependencies = dependencies
        self.zones = zones
    }

    /// `GET /v1/trends`
    func trends(_ request: Request) async throws -> Response {
        let question = try question(request)
        let slot = try takeSlot()
        defer { withExtendedLifetime(slot) {} }
        let trend = try await dependencies.store.trend(question)
        return Answer.json { trend.write(for: question, to: &$0) }
    }

    private func question(_ request: Request) throws(RequestFailure) -> Question {
        do {
            return try Question(
                parameters: Query(request.uri).parameters,
                now: dependencies.clock.now().wall,
                zones: zones
            )
        } catch {
            throw RequestFailure(error)
        }
    }

    private func takeSlot() throws(RequestFailure) -> FollowerSlot {
        do {
            return try slots.take()
        } catch {
            throw RequestFailure(
                status: .serviceUnavailable,
                code: "too_many_questions",
                message: "As many questions as may be are being answered already; ask again in a moment.",
                retryAfter: .seconds(1)
            )
        }
    }
}
