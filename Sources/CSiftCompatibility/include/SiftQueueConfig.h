// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// The rules of a queue, as a structure that C, Objective-C and Swift share. Swift's `SiftQueueConfig` is this
// structure.

#ifndef SIFT_QUEUE_CONFIG_H
#define SIFT_QUEUE_CONFIG_H

/// When a queue accepts an event, and when it triggers an upload.
///
/// A member that is zero, the default, means: every event is accepted; every event triggers an upload; time is ignored.
typedef struct {
    /// The minimum time between two similar events, in seconds (`NSTimeInterval`).
    ///
    /// An event that is basically the same as the last appended one is accepted only after this time. Zero or less
    /// accepts every event.
    double acceptSameEventAfter;
    /// With more events than this, the queue triggers an upload (`NSInteger`).
    ///
    /// Below zero, the number of events is ignored.
    long uploadWhenMoreThan;
    /// The maximum time between uploads, in seconds (`NSTimeInterval`).
    ///
    /// With at least one event, and more time than this since the last upload, the queue triggers an upload. Zero or
    /// less: time is ignored.
    double uploadWhenOlderThan;
} SiftQueueConfig;

#endif
