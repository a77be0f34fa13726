// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension EventBatch {
    /// One event of the batch.
    public struct Record: Sendable, Hashable {
        /// Its sequence number in the writer's journal.
        public var sequence: UInt64
        /// The generation of the context it was recorded in.
        public var context: UInt32
        /// Where its canonical JSON lies in ``EventBatch/bytes``.
        public var payload: Range<Int>

        /// An event's place.
        public init(sequence: UInt64, context: UInt32, payload: Range<Int>) {
            self.sequence = sequence
            self.context = context
            self.payload = payload
        }
    }

    /// Facts that hold for many events: device, app, user.
    public struct Context: Sendable, Hashable {
        /// Which context of the writer this is; it grows by one with every change.
        public var generation: UInt32
        /// Where its JSON object lies in ``EventBatch/bytes``.
        public var content: Range<Int>

        /// A context's place.
        public init(generation: UInt32, content: Range<Int>) {
            self.generation = generation
            self.content = content
        }
    }
}
