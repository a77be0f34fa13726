// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import TrackwayCore

/// Random queries about a ``QueryStream``.
struct RandomQueries {
    var random: SeededNumberGenerator

    /// Typical conditions and unusual ones.
    static let conditions = [
        "total>=3", "total<4.5", "total≠2", "total=*", "total≠*", "total>-1.25", "total<=0", "total=2.0",
        "currency=EUR",
        "currency≠*", "currency>c3", "currency<=c3", "currency≥c3", "tier=gold", "tier≠silver", "tier=*", "odd=1",
        "odd:=1",
        "odd=1.0", "odd≠1", "odd=true", "odd≠false", "odd=0", "odd=-0", "odd>=0", "odd<0", "odd>9007199254740992",
        "odd<=9007199254740993", "odd<9223372036854775808", "odd>=9223372036854775807", "odd=9223372036854775808",
        "odd>1e299", "odd=*", "odd≠*", #"odd="""#, #"odd="é""#, #"odd="e\u0301""#, "odd:=it's", #"odd="\u0000""#,
        #"odd>"\u0000""#,
        #"odd="a\\'; DROP TABLE events; --""#, "odd:=null", "odd>9", #"odd>"9""#, #"odd<="10""#, "odd:=😀",
        #""context.x"=0"#,
        #""context.x":=1"#, "context.app.version:=2", "context.app.version=2", "context.app.version=*",
        "context.app.version≠*", #"context.app.version<"1.9""#, "context.app.deep.a.b>=1", "context.app.deep=*",
        "context.app.deep.a=1", "context.global.tier=gold", "context.user.id:=u1", "context.nothing=*",
        "context.nothing≠1",
        "big>9223372036854775400", "run=7", "currency~C1", "currency!~eur", "tier=[gold,silver]",
        #"odd≠[1,true,"é"]"#, #"odd~"'; drop""#, #"odd!~["\\","'"]"#, #"odd~["1",é,u]"#, "total>=3 or currency~e",
        #"context.app.version=[1,"2"] or odd=1 or tier≠*"#, "context.app.version!~1 or odd:=null or run=7",
    ]

    static let fields = [
        "currency", "odd", "tier", "total", "big", "context.app.version", "context.app.deep", "context.user.id",
        #""context.x""#,
        "nothing",
    ]

    /// A zone whose clocks change twice within the stream's days.
    static let zone = ZoneOffsets(
        name: "Test/Zone",
        first: 3_600,
        changes: [
            .init(at: Timestamp(milliseconds: QueryStream.start + 100_000_000), seconds: 7_200),
            .init(at: Timestamp(milliseconds: QueryStream.start + 300_000_000), seconds: 5_400),
        ]
    )

    mutating func filter(fieldsOfPeople: Bool = true) throws -> QueryFilter {
        var filter = QueryFilter()
        if random.oneIn(2) {
            filter.names = (0..<random.number(1...3)).map { _ in
                QueryStream.names.randomElement(using: &random) ?? "n1"
            }
            // A query names each event once.
            filter.names = Array(Set(filter.names)).sorted()
            if random.oneIn(6) { filter.names = ["nobody's \\' name"] }
        }
        if fieldsOfPeople, random.oneIn(7) {
            filter.user = ["u1", "u2", "U1", "it's", "", "nobody"].randomElement(using: &random)
        }
        if fieldsOfPeople, random.oneIn(7) {
            filter.installation = SentBatch.installation(UInt64(random.number(1...7)))
        }
        for _ in 0..<(random.oneIn(2) ? 0 : random.number(1...2)) {
            let text = Self.conditions.randomElement(using: &random) ?? "total=*"
            filter.conditions.append(try QueryCondition(text, parameter: "where"))
        }
        if random.oneIn(9) {
            let text = "\(QueryStream.text(QueryStream.hostile))≤1"
            filter.conditions.append(try QueryCondition(text, parameter: "where"))
        }
        return filter
    }

    mutating func span() -> (from: Timestamp, to: Timestamp) {
        // Often exactly at an event's time, and sometimes the whole stream.
        if random.oneIn(4) {
            return (
                Timestamp(milliseconds: QueryStream.start - 1),
                Timestamp(milliseconds: QueryStream.start + QueryStream.length + 1)
            )
        }
        let step = QueryStream.length / 400
        let from = QueryStream.start + Int64(random.number(0...380)) * step + Int64(random.number(-1...1))
        return (Timestamp(milliseconds: from), Timestamp(milliseconds: from + Int64(random.number(1...300)) * step))
    }

    mutating func time(_ intervals: [QueryInterval] = QueryInterval.allCases, limit: Int) -> QueryTimeRange {
        while true {
            let (from, to) = span()
            let time = QueryTimeRange(
                from: from,
                to: to,
                interval: intervals.randomElement(using: &random) ?? .day,
                in: Self.zone,
                comparing: random.oneIn(3)
            )
            if let time, time.count <= limit { return time }
        }
    }

    mutating func grouping() throws -> TrendQuery.Grouping? {
        guard random.oneIn(2) else { return nil }
        let field = Self.fields.randomElement(using: &random) ?? "odd"
        let top = random.number(1...10)
        return TrendQuery.Grouping(
            by: try QueryField(field, parameter: "by"),
            top: top,
            readsValuesAsTexts: top.isMultiple(of: 2)
        )
    }

    mutating func trend() throws -> TrendQuery {
        let total = QueryField.attribute("total")
        let odd = QueryField.attribute("odd")
        let measures: [TrendQuery.Measure] = [
            .events, .users, .installations, .sum(total), .average(total), .p95(total), .p95(odd),
            .sum(.attribute("big")),
            .p95(.context(["app", "version"])),
        ]
        let measure = measures.randomElement(using: &random) ?? .events
        return TrendQuery(
            try filter(),
            in: time(limit: 1_000),
            measure: measure,
            grouping: try grouping(),
            readsTextsAsNumbers: measure.field != nil && random.oneIn(2)
        )
    }

    mutating func funnel() throws -> FunnelQuery {
        let (from, to) = span()
        let steps = random.number(1...4)
        return FunnelQuery(
            steps: try (0..<steps).map { _ in
                var step = try filter(fieldsOfPeople: false)
                if step.names.isEmpty { step.names = [QueryStream.names.randomElement(using: &random) ?? "n1"] }
                return step
            },
            from: from,
            to: to,
            window: Int64(random.number(0...72)) * 3_600_000,
            grouping: try grouping(),
            lastStep: random.oneIn(2) ? random.number(1...steps) : nil
        )
    }

    mutating func retention() throws -> RetentionQuery {
        RetentionQuery(
            first: random.oneIn(3) ? QueryFilter() : try filter(),
            returning: random.oneIn(3) ? QueryFilter() : try filter(),
            in: time([.hour, .day, .week], limit: QueryLimits.cohorts),
            cohort: random.oneIn(2) ? .first : .each
        )
    }

    mutating func activity() throws -> ActivityQuery {
        ActivityQuery(
            random.oneIn(3) ? QueryFilter() : try filter(),
            in: time([.hour, .day, .week], limit: 1_000)
        )
    }

    mutating func paths() -> PathQuery {
        let (from, to) = span()
        let anchors: [PathQuery.Anchor] = [
            .beginning, .start("Home"), .end("Cart"), .start("n1"), .end("名"), .start("nobody"),
        ]
        return PathQuery(
            of: random.oneIn(2) ? .screens : .events,
            anchor: anchors.randomElement(using: &random) ?? .beginning,
            steps: random.number(2...10),
            top: random.number(1...20),
            from: from,
            to: to,
            installation: random.oneIn(4) ? SentBatch.installation(UInt64(random.number(1...7))) : nil
        )
    }
}
