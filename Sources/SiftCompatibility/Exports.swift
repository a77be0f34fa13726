// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The types that this module's API uses, so that an app needs to import only this module.
@_exported public import struct CSiftCompatibility.SiftQueueConfig
@_exported public import class Trackway.Analytics
@_exported public import struct Trackway.Configuration
@_exported public import struct Trackway.SnapshotOptions
@_exported public import protocol TrackwayBehavior.DevicePropertiesSource
@_exported public import struct TrackwayBehavior.SnapshotSources
@_exported public import struct TrackwayDestinations.SiftDestination
@_exported public import struct TrackwayEvents.AppStateSnapshot
@_exported public import enum TrackwayEvents.AttributeValue
@_exported public import struct TrackwayEvents.Attributes
@_exported public import struct TrackwayEvents.DeviceMotion
@_exported public import struct TrackwayEvents.DeviceProperties
@_exported public import struct TrackwayEvents.Diagnostic
@_exported public import struct TrackwayEvents.Heading
@_exported public import struct TrackwayEvents.Location
@_exported public import struct TrackwayEvents.SensorReading
@_exported public import struct TrackwayEvents.Timestamp
@_exported public import struct TrackwayEvents.Vector3
