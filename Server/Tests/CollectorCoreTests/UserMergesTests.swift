// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore

@Suite("Merged users")
struct UserMergesTests {
    /// A row of the truth table in Documentation/Identity.md.
    ///
    /// Statements are written as `a>b` for an app's merge, `!a>b` for an operator's, and `!a` for a withdrawal, each one
    /// second after the one before.
    struct Row: Sendable, CustomTestStringConvertible {
        let statements: String
        let outcomes: String
        /// The people of the users a, b, c and d.
        let people: String

        var testDescription: String { statements }

        init(_ statements: String, _ outcomes: String, _ people: String) {
            (self.statements, self.outcomes, self.people) = (statements, outcomes, people)
        }

        var parsed: [MergeStatement] {
            statements.split(separator: " ").enumerated().map { index, text in
                let isOperators = text.hasPrefix("!")
                let ids = text.drop { $0 == "!" }.split(separator: ">", omittingEmptySubsequences: false)
                return MergeStatement(
                    String(ids[0]),
                    into: ids.count > 1 ? String(ids[1]) : nil,
                    at: Int64(index) * 1_000,
                    by: isOperators ? .operator : .app
                )
            }
        }
    }

    static let rows = [
        Row("", "", "a b c d"),
        Row("a>b", "merged", "b b c d"),
        Row("a>b b>c", "merged merged", "c c c d"),
        Row("b>c a>b", "merged merged", "c c c d"),
        Row("a>c b>c", "merged merged", "c c c d"),
        Row("a>b a>b", "merged repeated", "b b c d"),
        Row("a>b a>c", "merged conflict", "b b c d"),
        Row("a>b b>a", "merged cycle", "b b c d"),
        Row("a>b b>c c>a", "merged merged cycle", "c c c d"),
        Row("a>b c>d b>c d>a", "merged merged merged cycle", "d d d d"),
        Row("a>b !a", "undone undoes", "a b c d"),
        Row("a>b !a !a>c", "undone undoes merged", "c b c d"),
        Row("a>b !a a>c", "undone undoes overruled", "a b c d"),
        Row("a>b !a !a>c a>c", "undone undoes merged overruled", "c b c d"),
        Row("a>b a>b !a", "undone undone undoes", "a b c d"),
        Row("a>b a>c !a", "undone undone undoes", "a b c d"),
        Row("a>b b>a !a b>a", "undone merged undoes repeated", "a a c d"),
        Row("a>b b>c !a", "undone merged undoes", "a c c d"),
        Row("!a", "nothing", "a b c d"),
        Row("!a a>b", "undoes overruled", "a b c d"),
        Row("!a !a !a>b", "nothing nothing merged", "b b c d"),
        // Statements of operators come first, whatever time an app states.
        Row("a>b !a>c", "conflict merged", "c b c d"),
        Row("a>b b>a !a>b", "repeated cycle merged", "b b c d"),
        Row("b>a !a>b", "cycle merged", "b b c d"),
        Row("!a>b a>b", "merged repeated", "b b c d"),
        Row("!a>b a>c", "merged conflict", "b b c d"),
        Row("!a>b !a>c !b>a", "merged conflict cycle", "b b c d"),
        Row("!a>b !a !b>a", "undone undoes merged", "a a c d"),
        Row("b>d !a>b", "merged merged", "d d c d"),
        Row("a>a", "invalid", "a b c d"),
        Row("a>null a>b", "invalid merged", "b b c d"),
        Row("Guest>b", "invalid", "a b c d"),
        Row("a> >b", "invalid invalid", "a b c d"),
    ]

    @Test(arguments: rows)
    func `the people are those of the truth table, in every order of arrival`(_ row: Row) {
        let statements = row.parsed
        let wanted = row.outcomes.split(separator: " ").map { MergeStatement.Outcome(rawValue: String($0)) }
        for order in Self.permutations(Array(statements.indices)) {
            let merges = UserMerges(order.map { statements[$0] })
            #expect(merges.outcomes.map(Optional.some) == order.map { wanted[$0] }, "\(order)")
            #expect(["a", "b", "c", "d"].map(merges.root).joined(separator: " ") == row.people, "\(order)")
        }
    }

    @Test
    func `statements of one millisecond have an order of their own`() {
        let statements = [
            MergeStatement("a", into: "c", at: 5, by: .operator), MergeStatement("a", into: "b", at: 5, by: .operator),
            MergeStatement("b", into: "a", at: 5, by: .operator), MergeStatement("c", into: "a", at: 5, by: .operator),
            MergeStatement("c", into: nil, at: 5, by: .operator),
        ]
        for order in Self.permutations(Array(statements.indices)) {
            let merges = UserMerges(order.map { statements[$0] })
            #expect(["a", "b", "c"].map(merges.root) == ["b", "b", "c"], "\(order)")
        }
    }

    struct Request: Sendable, CustomTestStringConvertible {
        let known: String
        let user: String
        let target: String
        let outcome: MergeStatement.Outcome

        var testDescription: String { "\(known): \(user)>\(target)" }
    }

    @Test(arguments: [
        Request(known: "", user: "a", target: "b", outcome: .merged),
        Request(known: "a>b", user: "a", target: "b", outcome: .repeated),
        Request(known: "a>b", user: "a", target: "c", outcome: .conflict),
        Request(known: "a>b b>c", user: "c", target: "a", outcome: .cycle),
        Request(known: "a>b !a", user: "a", target: "c", outcome: .merged),
        Request(known: "!a>b", user: "b", target: "a", outcome: .cycle),
        Request(known: "", user: "a", target: "a", outcome: .invalid),
        Request(known: "", user: "null", target: "a", outcome: .invalid),
    ])
    func `an operator cannot contradict merges in force`(_ request: Request) {
        let merges = UserMerges(Row(request.known, "", "").parsed)
        #expect(merges.outcome(ofMerging: request.user, into: request.target) == request.outcome)
    }

    @Test
    func `an app's statement of any time changes nothing about a user of whom operators decided`() {
        let decisions = [
            [MergeStatement("a", into: "b", at: 100, by: .operator)],
            [MergeStatement("a", into: nil, at: 100, by: .operator)],
            [
                MergeStatement("a", into: "b", at: 100, by: .operator),
                MergeStatement("a", into: nil, at: 200, by: .operator),
                MergeStatement("a", into: "c", at: 300, by: .operator),
            ],
        ]
        for decision in decisions {
            let expected = UserMerges(decision).root(of: "a")
            for time in [.min, 0, 100, 250, 300, .max] as [Int64] {
                for target in ["b", "c", "x"] {
                    let merges = UserMerges(decision + [MergeStatement("a", into: target, at: time, by: .app)])
                    #expect(merges.root(of: "a") == expected, "\(decision) \(time) \(target)")
                }
            }
        }
    }

    @Test
    func `ids are compared byte by byte`() {
        // The same text for a reader, in two Unicode forms.
        let merges = UserMerges([MergeStatement("\u{e9}", into: "e\u{301}", at: 1, by: .app)])
        #expect(merges.outcomes == [.merged] && Array(merges.root(of: "\u{e9}").utf8) == Array("e\u{301}".utf8))
    }

    @Test(arguments: [4_096, 4_097])
    func `an id longer than 4,096 bytes merges nothing`(_ length: Int) {
        let merges = UserMerges([MergeStatement(String(repeating: "x", count: length), into: "b", at: 1, by: .app)])
        #expect(merges.outcomes == [length > 4_096 ? .invalid : .merged])
    }

    @Test
    func `a chain of 20,000 users ends at the last one`() {
        let merges = UserMerges(
            (0..<20_000).map { MergeStatement("u\($0)", into: "u\($0 + 1)", at: 20_000 - $0, by: .app) }
        )
        #expect(merges.outcomes.allSatisfy { $0 == .merged } && merges.root(of: "u0") == "u20000")
    }

    @Test(arguments: [1, 2, 3])
    func `an operator's record is read as it was written, and a redacted one has no ids`(_ form: Int) throws {
        let record = UserMergeRecord(
            received: Timestamp(milliseconds: 7),
            time: Timestamp(milliseconds: form == 3 ? 9 : 7),
            key: "support",
            user: "old \"☃\"",
            target: form == 2 ? nil : "new"
        )
        #expect(try record.bytes.withUnsafeBytes { try UserMergeRecord(payload: $0) } == record)
        #expect(record.statement?.time == (form == 3 ? 9 : 7))
        let redacted = record.redacted(count: record.bytes.count)
        #expect(redacted.count == record.bytes.count)
        let read = try redacted.withUnsafeBytes { try UserMergeRecord(payload: $0) }
        #expect(read.statement == nil && read.key == "support" && read.target == nil)
    }

    /// Returns all orders of a list.
    private static func permutations(_ list: [Int]) -> [[Int]] {
        guard let first = list.first else { return [[]] }
        return permutations(Array(list.dropFirst())).flatMap { rest in
            (0...rest.count).map { place in Array(rest[..<place]) + [first] + Array(rest[place...]) }
        }
    }
}
