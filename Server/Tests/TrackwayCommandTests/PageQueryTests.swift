// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorDashboard
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("The page and a real collector")
struct PageQueryTests {
    /// The paths that the scripts request, without the rest of each URL.
    ///
    /// Excluded, because they have separate tests: the live stream, which never ends; the client data report, which is
    /// a table; shared boards, which need the link's secret; and visitors and installations, which need an
    /// installation's id.
    private static let questions: Set<String> = Set(
        CollectorPage.assets.flatMap { asset in
            String(decoding: asset.body, as: UTF8.self).matches(of: /[`"](\/v1\/[a-z]+)/).map { String($0.1) }
        }
    ).subtracting(["/v1/installations", "/v1/live", "/v1/reports", "/v1/shared", "/v1/visitors"])

    /// The parameters that a path requires.
    private static let needed = ["/v1/funnels": [(name: "step", value: "purchase")]]

    @Test
    func `the collector answers every query that the page sends`() async throws {
        let questions = Self.questions
        #expect(questions.isSuperset(of: ["/v1/events", "/v1/sessions", "/v1/devices"]))
        try await RunningCollector.withFolder { folder in
            try await RunningCollector.with(folder: folder) { address in
                let client = CollectorClient(address)
                for question in questions.sorted() {
                    let answer = try await client.get(question, query: Self.needed[question] ?? [])
                    #expect(answer.object != nil, "\(question)")
                }
            }
        }
    }
}
