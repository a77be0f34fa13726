// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What the collector answers to a batch it has taken: the body of a 200.
public struct CollectorAnswer: Sendable, Hashable {
    /// One event it will never take.
    public struct Rejected: Sendable, Hashable {
        /// The event's place among the events of the body, from 0.
        public var index: Int
        /// The event's id, if it had a readable one.
        public var id: String?
        /// What is wrong with it, such as `name_too_long`.
        public var code: String
        /// The field at fault.
        public var field: String?
        /// A sentence for humans.
        public var message: String?

        /// Makes a rejection.
        public init(
            index: Int,
            id: String? = nil,
            code: String,
            field: String? = nil,
            message: String? = nil
        ) {
            self.index = index
            self.id = id
            self.code = code
            self.field = field
            self.message = message
        }
    }

    /// How many events of the body are the collector's now, those it had before included. Together with `rejected` these
    /// are all events of the body.
    public var accepted: Int
    /// The events it will never take.
    public var rejected: [Rejected]
    /// Where the batch ends in the collector's log, such as `3.88213`; `GET /v1/wait` takes it.
    public var position: String?
    /// How safe the events are: `disk` when they survive power loss.
    public var durability: String

    /// Makes an answer.
    public init(accepted: Int, rejected: [Rejected] = [], position: String? = nil, durability: String = "disk") {
        self.accepted = accepted
        self.rejected = rejected
        self.position = position
        self.durability = durability
    }
}
