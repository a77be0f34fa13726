// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import Foundation
internal import GRDB
internal import TrackwayEvents

/// Reading which screens were shown and in which order.
enum ScreenRows {
    static func flow(_ query: ScreenQuery, _ db: Database) throws -> ScreenFlow {
        var conditions: [String] = []
        var arguments: [String: (any DatabaseValueConvertible)?] = ["limit": max(0, query.limit)]
        if let id = query.installation {
            conditions.append("installation = (SELECT number FROM installations WHERE id = :installation)")
            arguments["installation"] = id.blob
        }
        if let from = query.from {
            conditions.append("time >= :from")
            arguments["from"] = from.milliseconds
        }
        // The order within a session is that of time, whatever order the batches came in.
        let shown = """
            WITH shown AS (
                SELECT installation, session, name, engagement,
                lag(name) OVER path AS before, lead(name) OVER path AS after
                FROM screens\(conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
                WINDOW path AS (PARTITION BY installation, session ORDER BY time, position)
            )
            """
        let screens = try Row.fetchAll(
            db,
            sql: """
                \(shown) SELECT name, count(*), sum(before IS NULL), sum(after IS NULL), sum(engagement),
                count(DISTINCT installation) FROM shown GROUP BY name ORDER BY 2 DESC, name LIMIT :limit
                """,
            arguments: StatementArguments(arguments)
        )
        let steps = try Row.fetchAll(
            db,
            sql: """
                \(shown) SELECT before, name, count(*) FROM shown WHERE before IS NOT NULL
                GROUP BY before, name ORDER BY 3 DESC, before, name LIMIT :limit
                """,
            arguments: StatementArguments(arguments)
        )
        return ScreenFlow(
            screens: screens.map { row in
                ScreenFlow.Totals(
                    name: row[0],
                    views: UInt64(clamping: row[1] as Int64),
                    entrances: UInt64(clamping: row[2] as Int64),
                    exits: UInt64(clamping: row[3] as Int64),
                    engagement: row[4],
                    installations: UInt64(clamping: row[5] as Int64)
                )
            },
            steps: steps.map { row in
                ScreenFlow.Step(from: row[0], to: row[1], count: UInt64(clamping: row[2] as Int64))
            }
        )
    }
}
