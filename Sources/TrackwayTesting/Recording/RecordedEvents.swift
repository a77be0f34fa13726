// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents
public import TrackwayJournal

/// Reads what an installation has recorded, from its storage, without changing anything.
public enum RecordedEvents {
    /// Every intact event in a folder, in the order of recording within each writer, writers by the order of their ids.
    ///
    /// - Throws: `JournalError` when there is no journal, or when it cannot be read.
    /// - Complexity: O(size of the journal).
    public static func read(
        in folder: String,
        of storage: any JournalStorage = DiskStorage()
    ) throws(JournalError) -> [RecordedEvent] {
        let inspector = JournalInspector(folder: folder, storage: storage)
        var events: [RecordedEvent] = []
        for writer in try inspector.inspect().writers {
            var contexts: [UInt32: JSONValue] = [:]
            try inspector.records(of: writer.id) { record, payload, route in
                if record.kind == .context {
                    // A context that is no JSON would be our own mistake, and the missing context shows it.
                    contexts[record.context] = try? JSONValue.parse(payload)
                } else if record.kind == .event {
                    // An event that cannot be read is missing from the answer, which every assertion on it notices.
                    guard let event = try? Event(json: payload) else { return true }
                    let context = contexts[record.context] ?? .null
                    events.append(
                        RecordedEvent(
                            event: event,
                            context: context,
                            sequence: record.sequence,
                            writer: writer.id,
                            route: route
                        )
                    )
                }
                return true
            }
        }
        return events
    }
}
