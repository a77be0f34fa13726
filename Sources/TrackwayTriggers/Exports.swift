// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// What triggers are told in, by name, so that an app imports `Trackway` and this room alone.
@_exported public import protocol TrackwayEvents.EventClock
@_exported public import struct TrackwayEvents.Moment
@_exported public import struct TrackwayEvents.SystemClock
