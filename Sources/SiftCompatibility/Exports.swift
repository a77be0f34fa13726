// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The types that this module's API uses, so that an app needs to import only this module.
@_exported public import struct CSiftCompatibility.SiftQueueConfig
@_exported public import class Trackway.Analytics
@_exported public import struct Trackway.Configuration
@_exported public import struct Trackway.SnapshotOptions
@_exported public import struct TrackwayCore.AppStateSnapshot
@_exported public import enum TrackwayCore.AttributeValue
@_exported public import struct TrackwayCore.Attributes
@_exported public import struct TrackwayCore.DeviceMotion
@_exported public import struct TrackwayCore.DeviceProperties
@_exported public import struct TrackwayCore.Diagnostic
@_exported public import struct TrackwayCore.Heading
@_exported public import struct TrackwayCore.Location
@_exported public import struct TrackwayCore.SensorReading
@_exported public import struct TrackwayCore.Timestamp
@_exported public import struct TrackwayCore.Vector3
@_exported public import struct TrackwayDestinations.SiftDestination
@_exported public import protocol TrackwayLifecycle.DevicePropertiesSource
@_exported public import struct TrackwayLifecycle.SnapshotSources
@_exported public import struct TrackwayMigration.MigrationResult
