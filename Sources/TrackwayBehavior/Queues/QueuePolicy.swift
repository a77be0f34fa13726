// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// When a named queue takes events, and when it is worth an upload.
public struct QueuePolicy: Sendable, Hashable, Codable {
    /// An event like the one before it is taken only after this time; without any, always.
    public var acceptSameEventAfter: Duration
    /// With more events than this the queue is ready. Below none, the number does not matter.
    public var uploadWhenMoreThan: Int
    /// With any event, and more time than this since the last upload, the queue is ready. Without any, time does not matter.
    public var uploadWhenOlderThan: Duration

    /// A policy of these parts; by default every event is taken, and is worth an upload.
    public init(
        acceptSameEventAfter: Duration = .zero,
        uploadWhenMoreThan: Int = 0,
        uploadWhenOlderThan: Duration = .zero
    ) {
        self.acceptSameEventAfter = acceptSameEventAfter
        self.uploadWhenMoreThan = uploadWhenMoreThan
        self.uploadWhenOlderThan = uploadWhenOlderThan
    }
}
