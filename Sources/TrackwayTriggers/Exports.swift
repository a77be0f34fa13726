// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

@_exported public import struct TrackwayCore.DualTimestamp
// Re-exported types of the trigger API, so that an app needs to import only `Trackway` and this module.
@_exported public import protocol TrackwayCore.EventClock
@_exported public import struct TrackwayCore.SystemClock
