// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Re-exported types of this module's API, so that an app needs to import only this module.
@_exported public import struct Foundation.Date
@_exported public import class Foundation.NSArray
@_exported public import class Foundation.NSObject
@_exported public import class Foundation.NSSet
@_exported public import struct Foundation.UUID
@_exported public import protocol TrackwayCore.EventClock
@_exported public import struct TrackwayCore.SystemClock
@_exported public import protocol TrackwayTriggers.TriggerElement
@_exported public import class TrackwayTriggers.TriggerEvent
@_exported public import struct TrackwayTriggers.TriggerReport
@_exported public import protocol TrackwayTriggers.TriggerTouch
@_exported public import class TrackwayTriggers.TriggerTrace
@_exported public import struct TrackwayTriggers.TriggerTraceRecording
