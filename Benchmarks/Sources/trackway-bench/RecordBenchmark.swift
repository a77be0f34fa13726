// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import CCounters
import Foundation
import Trackway
import TrackwayCore
import TrackwayJournal

/// Time, allocations and bytes per `record`, with baselines from the same run.
struct RecordBenchmark {
    let count: Int

    func run() throws {
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        let analytics = try scratch.analytics()
        for index in 0..<20_000 { analytics.record(Workload.name, Workload.attributes(index)) }

        let before = ccounters_allocations()
        for index in 0..<10_000 { analytics.record(Workload.name, Workload.attributes(index)) }
        let allocations = Double(ccounters_allocations() - before) / 10_000
        let beforeLiteral = ccounters_allocations()
        var checksum = 0
        for index in 0..<10_000 { checksum += Workload.attributes(index).count }
        let literal = Double(ccounters_allocations() - beforeLiteral) / 10_000
        print(
            "allocations per record: \(allocations) (the attribute literal alone: \(literal), \(checksum / 10_000) attributes)"
        )

        let bytesBefore = try size(of: scratch.url)
        let recorded = analytics.ledger().recorded
        let single = Measurement.of(count) { analytics.record(Workload.name, Workload.attributes($0)) }
        print("record, 1 thread: \(single.summary)")
        let added = analytics.ledger().recorded - recorded
        print("journal bytes per event: \(Double(try size(of: scratch.url) - bytesBefore) / Double(added))")

        print("record, 4 threads: \(try threads(4, analytics).summary)")
        let rates = try [1, 4].map { try rate(threads: $0, analytics) }
        print("events per second recorded: 1 thread \(rates[0]), 4 threads \(rates[1])")

        let literalOnly = Measurement.of(count) { checksum &+= Workload.attributes($0).count }
        print("baseline, the attribute literal alone: \(literalOnly.summary) (\(checksum & 1))")
        try baselines(scratch)
    }

    /// Measures a straightforward implementation with the same guarantee: encode, then one write(2) under a lock.
    private func baselines(_ scratch: ScratchFolder) throws {
        let file = ccounters_open(scratch.url.appending(path: "write.log").path)
        guard file >= 0 else { throw BenchError("cannot write to \(scratch.url.path)") }
        defer { ccounters_close(file) }
        let lock = Locked(())
        let ids = EventIDGenerator()
        let clock = SystemClock()
        let encoderBaseline = Measurement.of(count) { index in
            let moment = clock.now()
            JSONWriter.withThreadBuffer { writer in
                EventEncoder.encode(
                    id: ids.next(at: moment.wall),
                    name: Workload.name,
                    moment: moment,
                    attributes: Workload.attributes(index),
                    items: [],
                    limits: EventLimits(),
                    into: &writer,
                    report: { _ in }
                )
                let bytes = writer.bytes
                _ = lock.withLock { _ in ccounters_write(file, bytes.baseAddress, bytes.count) }
            }
        }
        print("baseline, the same encoder and write(2) under a lock: \(encoderBaseline.summary)")
        let encoder = JSONEncoder()
        let foundationBaseline = Measurement.of(count / 10) { index in
            do {
                let data = try encoder.encode(FoundationEvent(index))
                data.withUnsafeBytes { bytes in
                    _ = lock.withLock { _ in ccounters_write(file, bytes.baseAddress, bytes.count) }
                }
            } catch {
                print("baseline failed: \(error)")
            }
        }
        print("baseline, Foundation's JSONEncoder and write(2) under a lock: \(foundationBaseline.summary)")
    }

    private func threads(_ number: Int, _ analytics: Analytics) throws -> Measurement {
        let share = count / number
        let all = Locked<[UInt64]>([])
        DispatchQueue.concurrentPerform(iterations: number) { thread in
            var durations = [UInt64](repeating: 0, count: share)
            for index in 0..<share {
                let start = ccounters_nanoseconds()
                analytics.record(Workload.name, Workload.attributes(thread + index))
                durations[index] = ccounters_nanoseconds() - start
            }
            let finished = durations
            all.withLock { $0.append(contentsOf: finished) }
        }
        return Measurement(all.withLock { $0 })
    }

    private func rate(threads number: Int, _ analytics: Analytics) throws -> Int {
        let share = count / number
        let start = ccounters_nanoseconds()
        DispatchQueue.concurrentPerform(iterations: number) { thread in
            for index in 0..<share { analytics.record(Workload.name, Workload.attributes(thread + index)) }
        }
        return Int(Double(share * number) / (Double(ccounters_nanoseconds() - start) / 1e9))
    }

    private func size(of folder: URL) throws -> Int {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.fileSizeKey])
        var total = 0
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "segment" else { continue }
            total += try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
        }
        return total
    }
}

/// The same event for Foundation's encoder.
private struct FoundationEvent: Encodable {
    var id = UUID().uuidString
    var name = Workload.name
    var time = Date().timeIntervalSince1970
    var category = "shoes"
    var currency = "EUR"
    var price: Double
    var discounted: Bool
    var position: Int
    var screen_name = "product detail"
    var product_sku = "SKU-2026-AUTUMN-000417"
    var search_term = "waterproof walking boots size 42"
    var campaign_source = "newsletter-week-47"
    var visible_ratio: Double

    init(_ index: Int) {
        price = Double(index % 9973) / 100 + 0.99
        discounted = index % 3 == 0
        position = index % 40
        visible_ratio = Double(index % 97) / 97
    }
}
