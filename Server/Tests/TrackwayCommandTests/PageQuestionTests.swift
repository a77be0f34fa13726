// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorWeb
internal import Testing
internal import TrackwayEvents

@testable internal import TrackwayCommand

@Suite("The page and a real collector")
struct PageQuestionTests {
    /// What the scripts ask, without what follows the path. The live stream never ends, the client data report is a table,
    /// what a link opens takes its secret, and a visitor an installation: they have tests of their own.
    private static let questions: Set<String> = Set(
        CollectorPage.assets.flatMap { asset in
            String(decoding: asset.body, as: UTF8.self).matches(of: /[`"](\/v1\/[a-z]+)/).map { String($0.1) }
        }
    ).subtracting(["/v1/live", "/v1/reports", "/v1/shared", "/v1/visitors"])

    /// What a question cannot do without.
    private static let needed = ["/v1/funnels": [(name: "step", value: "purchase")]]

    @Test("every question the page asks is one that the collector answers")
    func answered() async throws {
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
