// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal

extension PendingEvents {
    /// An asynchronous sequence of a snapshot's events in batches.
    ///
    /// Reading needs constant memory. Each iteration starts at the first event.
    public struct Batches: AsyncSequence, Sendable {
        let snapshot: JournalSnapshot
        let limits: BatchLimits

        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(reader: CopyOnWrite(snapshot.makeReader(events: limits.events, bytes: limits.bytes)))
        }

        /// An iterator that reads one batch per call from the files.
        public struct AsyncIterator: AsyncIteratorProtocol {
            var reader: CopyOnWrite<SnapshotReader>

            /// Returns the next batch; nil after the last batch or an error.
            ///
            /// Does not suspend, so that code without `async` can call it, too. Between two calls the app may record
            /// events, create other snapshots and remove this one.
            ///
            /// - Throws: ``TrackwayError`` with ``TrackwayError/Code/snapshotOutdated`` if events of the snapshot were
            ///   removed, dropped or erased since it was created, ``TrackwayError/Code/snapshotEnded`` if its
            ///   ``Analytics`` was released, or ``TrackwayError/Code/storageUnavailable``.
            /// - Complexity: O(bytes recorded between the batches).
            public mutating func next() throws(TrackwayError) -> EventBatch? {
                do throws(JournalError) {
                    return try reader.value.next()
                } catch {
                    throw TrackwayError(error)
                }
            }
        }
    }

    /// An asynchronous sequence of a snapshot's events.
    ///
    /// Reading needs constant memory. Each iteration starts at the first event.
    public struct Events: AsyncSequence, Sendable {
        let batches: Batches
        let reporter: DiagnosticReporter

        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(
                batches: batches.makeAsyncIterator(),
                destinationID: batches.snapshot.destination,
                reporter: reporter
            )
        }

        /// An iterator that reads events from the files, one batch at a time.
        public struct AsyncIterator: AsyncIteratorProtocol {
            var batches: Batches.AsyncIterator
            let destinationID: DestinationID
            let reporter: DiagnosticReporter
            /// The batch whose events are being returned.
            private var batch: EventBatch?
            private var contexts: [UInt32: JSONValue] = [:]
            private var nextIndex = 0

            init(batches: Batches.AsyncIterator, destinationID: DestinationID, reporter: DiagnosticReporter) {
                self.batches = batches
                self.destinationID = destinationID
                self.reporter = reporter
            }

            /// Returns the next event; nil after the last event or an error.
            ///
            /// Does not suspend, so that code without `async` can call it, too. An event that cannot be decoded is
            /// skipped and reported as a `Diagnostic`.
            ///
            /// - Throws: The same errors as ``Batches/AsyncIterator/next()``.
            /// - Complexity: O(bytes of the event), plus those of a batch for its first event.
            public mutating func next() throws(TrackwayError) -> RecordedEvent? {
                while true {
                    if let batch, nextIndex < batch.records.count {
                        let record = batch.records[nextIndex]
                        nextIndex += 1
                        if let event = decode(record, of: batch) { return event }
                    } else if let batch = try batches.next() {
                        begin(batch)
                    } else {
                        batch = nil
                        return nil
                    }
                }
            }

            private mutating func begin(_ batch: EventBatch) {
                self.batch = batch
                nextIndex = 0
                contexts = [:]
                for context in batch.contexts {
                    // Only a bug in the SDK could write a context that is not JSON; the missing context then reveals
                    // the bug.
                    contexts[context.generation] = try? JSONValue.parse(Array(batch.bytes[context.content]))
                }
            }

            private func decode(_ record: EventBatch.Record, of batch: EventBatch) -> RecordedEvent? {
                let event: Event
                do throws(JSONError) {
                    event = try Event(json: Array(batch.bytes[record.payload]))
                } catch {
                    reporter.report(.eventNotReadable(record.sequence, of: destinationID, error))
                    return nil
                }
                return RecordedEvent(
                    event: event,
                    context: contexts[record.context] ?? .null,
                    sequence: record.sequence,
                    writer: batch.writer
                )
            }
        }
    }
}

extension Diagnostic {
    fileprivate static func eventNotReadable(
        _ sequence: UInt64,
        of id: DestinationID,
        _ error: JSONError
    ) -> Diagnostic {
        Diagnostic(
            code: .eventNotReadable,
            field: "\(id)",
            value: "event \(sequence): \(error)",
            message: "Event \(sequence) of \"\(id)\" was skipped because it cannot be decoded (\(error)). "
                + "Removing the snapshot also removes this event.",
            recoverySuggestion: "Read it with batches(of:) to get its bytes."
        )
    }
}
