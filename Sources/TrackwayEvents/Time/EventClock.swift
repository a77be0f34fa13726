// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Tells what time it is. Handed in wherever time matters, so that tests can hold it still.
public protocol EventClock: Sendable {
    /// The present moment. Any thread; cheap enough to be called for every event.
    func now() -> Moment
}
