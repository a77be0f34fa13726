// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// In which debug mode each event of a batch was recorded: where it goes depends on that, and not on the mode of the day on
/// which it travels. What was recorded to be looked at never reaches the reports.
struct SensorsAnalyticsModes {
    /// The first event's mode.
    let first: SensorsAnalyticsDebugMode
    /// How many events from the first on go into one request.
    let count: Int

    /// Reads the modes from the contexts of a batch.
    ///
    /// - Parameters:
    ///   - batch: The batch.
    ///   - destination: Whose mode.
    ///   - usual: The mode of events that were recorded before modes were noted.
    /// - Complexity: O(events + bytes of the contexts).
    init(_ batch: EventBatch, of destination: DestinationID, usual: SensorsAnalyticsDebugMode) {
        var modes: [UInt32: SensorsAnalyticsDebugMode] = [:]
        func mode(_ record: EventBatch.Record) -> SensorsAnalyticsDebugMode {
            if let known = modes[record.context] { return known }
            let read = Self.mode(record.context, of: batch, destination) ?? usual
            modes[record.context] = read
            return read
        }
        guard let record = batch.records.first else {
            first = usual
            count = 0
            return
        }
        let first = mode(record)
        self.first = first
        // Those that are looked at are looked at one by one.
        count = first == .off ? batch.records.prefix { mode($0) == .off }.count : 1
    }

    private static func mode(
        _ generation: UInt32,
        of batch: EventBatch,
        _ destination: DestinationID
    ) -> SensorsAnalyticsDebugMode? {
        guard let content = batch.context(generation)?.content else { return nil }
        return batch.bytes.withUnsafeBytes { bytes in
            // A context that cannot be read says nothing.
            let context = try? RecordedContext(json: UnsafeRawBufferPointer(rebasing: bytes[content]))
            return context?.modes[destination.rawValue]?.string.flatMap { SensorsAnalyticsDebugMode(rawValue: $0) }
        }
    }
}
