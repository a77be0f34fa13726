// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("Sample data")
struct SampleTests {
    private static let end = Timestamp(milliseconds: 1_795_219_200_000)

    private static func days(_ shop: SampleShop) async throws -> [[SampleShop.Batch]] {
        var days: [[SampleShop.Batch]] = []
        try await shop.forEachDay { _, batches in days.append(batches) }
        return days
    }

    @Test
    func `the same seed, days and end produce the same bytes, and a different seed produces different ones`()
        async throws
    {
        let shop = SampleShop(days: 4, visitors: 3, seed: 7, end: Self.end)
        let first = try await Self.days(shop).map { $0.map(\.body) }
        #expect(first == (try await Self.days(shop).map { $0.map(\.body) }))
        let other = SampleShop(days: 4, visitors: 3, seed: 8, end: Self.end)
        #expect(first != (try await Self.days(other).map { $0.map(\.body) }))
    }

    @Test(arguments: 1...3)
    func `every event is within its day, and a writer's numbers have no gaps except reported ones`(_ seed: UInt64)
        async throws
    {
        let shop = SampleShop(days: 12, visitors: 20, seed: seed, end: Self.end)
        var recorded: [String: Int64] = [:]
        var ids: Set<String> = []
        var events = 0
        for (day, batches) in try await Self.days(shop).enumerated() {
            let start = Self.end.milliseconds - Int64(12 - day) * 86_400_000
            for batch in batches {
                let lines = try batch.body.split(separator: 10).map { try JSONValue.parse(Array($0)) }
                let header = try #require(lines.first?["batch"])
                let writer = try #require(header["writer"]?.string)
                let first = try #require(header["first"]?.integer)
                let last = try #require(header["last"]?.integer)
                let dropped = header["dropped"]?.array?.first?.array?.compactMap(\.integer)
                #expect((dropped?.first ?? first) == recorded[writer, default: 0] + 1)
                recorded[writer] = last
                let told = lines.dropFirst().filter { $0["context"] == nil }
                #expect(Int64(told.count) == last - first + 1)
                for event in told {
                    let time = try #require(event["time"]?.integer)
                    #expect(time >= start && time < start + 86_400_000)
                    #expect(ids.insert(try #require(event["id"]?.string)).inserted)
                }
                events += told.count
            }
        }
        #expect(events > 1_000)
    }

    @Test
    func `accepted, rejected and dropped events are counted separately`() throws {
        var sent = SampleUpload.Summary()
        let answer = try JSONValue.parse(Array(#"{"accepted":95,"rejected":[{"i":1},{"i":7}]}"#.utf8))
        sent.add(answer, recorded: 100)
        sent.add(try JSONValue.parse(Array(#"{"accepted":1000,"rejected":[]}"#.utf8)), recorded: 1_000)
        #expect(sent.batches == 2 && sent.events == 1_095 && sent.rejected == 2 && sent.dropped == 3)
        #expect(sent.sentence(days: 30).hasPrefix("Sent 1,095 events of 30 days in 2 batches."))
    }

    @Test
    func `in the sample, payments fail more often in the faulty version, and some events are rejected`() async throws {
        let shop = SampleShop(days: 20, visitors: 40, seed: 1, end: Self.end)
        var bought: [String: Int] = [:]
        var failed: [String: Int] = [:]
        var refused = 0
        for batch in try await Self.days(shop).joined() {
            var version = ""
            for line in try batch.body.split(separator: 10).map({ try JSONValue.parse(Array($0)) }) {
                version = line["context"]?["app"]?["version"]?.string ?? version
                switch line["name"]?.string {
                case "purchase": bought[version, default: 0] += 1
                case "payment_failed": failed[version, default: 0] += 1
                case let name? where name.utf8.count > 128: refused += 1
                default: break
                }
            }
        }
        #expect(Set(bought.keys) == ["2.1.0", "2.2.0", "2.3.0", "2.3.1"])
        #expect(failed["2.3.0", default: 0] * 2 > bought["2.3.0", default: 0])
        #expect(failed["2.2.0", default: 0] * 5 < bought["2.2.0", default: 0])
        #expect(refused > 0)
    }
}
