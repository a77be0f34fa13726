// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
//
// The rules of a queue, as a structure that C, Objective-C and Swift share. Swift's `SiftQueueConfig` is this one.

#ifndef SIFT_QUEUE_CONFIG_H
#define SIFT_QUEUE_CONFIG_H

/// When a queue takes an event, and when it is worth an upload.
///
/// A member that is zero, as all are unless they are named, means: every event is taken; every event is worth an upload;
/// time does not matter.
typedef struct {
    /// An event that is basically the same as the last one appended is taken only after this time, in seconds
    /// (`NSTimeInterval`); zero or less takes every event.
    double acceptSameEventAfter;
    /// With more events than this the queue is worth an upload (`NSInteger`); below zero their number does not matter.
    long uploadWhenMoreThan;
    /// With any event, and more time than this since the last upload, the queue is worth one; in seconds
    /// (`NSTimeInterval`). Zero or less: time does not matter.
    double uploadWhenOlderThan;
} SiftQueueConfig;

#endif
