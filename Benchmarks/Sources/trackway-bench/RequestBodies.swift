// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import TrackwayCore
import TrackwayDestinationKit

/// Request bodies of 100 events each, as the SDK sends them, for a load generator.
struct RequestBodies {
    let count: Int
    let folder: String
    /// Whether events have about 1.4 kB with a lot of random content, like those of SDKs that repeat the device and
    /// user in every event.
    var isLarge = false

    func run() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let ids = EventIDGenerator()
        let clock = SystemClock()
        let installation = InstallationID.generate(at: clock.now().wall)
        let writer = WriterID.generate(at: clock.now().wall)
        let destination = CollectorDestination(url: "http://127.0.0.1", writeKey: "bench")
        for number in 0..<count {
            var bytes = Array("{\"app\":{\"id\":\"bench\"}}".utf8)
            let context = 0..<bytes.count
            var records: [EventBatch.Record] = []
            let first = UInt64(number * 100 + 1)
            for index in 0..<100 {
                let moment = clock.now()
                var writer = JSONWriter()
                EventEncoder.encode(
                    id: ids.next(at: moment.wall),
                    name: Workload.name,
                    moment: moment,
                    attributes: isLarge
                        ? Workload.largeAttributes(number * 100 + index) : Workload.attributes(number * 100 + index),
                    items: [],
                    limits: EventLimits(),
                    into: &writer,
                    report: { _ in }
                )
                let start = bytes.count
                bytes.append(contentsOf: writer.bytes)
                records.append(.init(sequence: first + UInt64(index), context: 1, payload: start..<bytes.count))
            }
            let batch = EventBatch(
                installation: installation,
                writer: writer,
                first: first,
                last: first + 99,
                recorded: UInt64(count * 100),
                records: records,
                contexts: [.init(generation: 1, content: context)],
                bytes: bytes
            )
            let request = try destination.request(for: batch, sentAt: clock.now().wall)
            try Data(request.body).write(to: URL(filePath: "\(folder)/\(number).gz"))
        }
        print("wrote \(count) bodies of 100 events to \(folder)")
    }
}
