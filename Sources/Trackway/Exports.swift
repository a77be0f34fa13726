// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Re-exports what an app needs from the lower modules, so that the app needs to import only `Trackway`.

// Events and values.
@_exported public import struct TrackwayCore.AppStateSnapshot
@_exported public import protocol TrackwayCore.AttributeConvertible
@_exported public import enum TrackwayCore.AttributeValue
@_exported public import struct TrackwayCore.Attributes
@_exported public import enum TrackwayCore.Consent
@_exported public import struct TrackwayCore.ConsentCategory
@_exported public import enum TrackwayCore.ContextField
@_exported public import struct TrackwayCore.DestinationID
@_exported public import struct TrackwayCore.DeviceMotion
@_exported public import struct TrackwayCore.DeviceProperties
@_exported public import protocol TrackwayCore.DevicePropertyValue
@_exported public import struct TrackwayCore.Diagnostic
@_exported public import struct TrackwayCore.DropReason
@_exported public import struct TrackwayCore.Event
@_exported public import struct TrackwayCore.EventBatch
@_exported public import struct TrackwayCore.EventID
@_exported public import struct TrackwayCore.EventLimits
@_exported public import struct TrackwayCore.Heading
@_exported public import struct TrackwayCore.InstallationID
@_exported public import struct TrackwayCore.Item
@_exported public import struct TrackwayCore.Ledger
@_exported public import struct TrackwayCore.Location
@_exported public import struct TrackwayCore.MonotonicTime
@_exported public import struct TrackwayCore.RecordedEvent
@_exported public import struct TrackwayCore.SensorReading
@_exported public import struct TrackwayCore.Timestamp
@_exported public import protocol TrackwayCore.TypedEvent
@_exported public import protocol TrackwayCore.UniqueID
@_exported public import struct TrackwayCore.Vector3
@_exported public import struct TrackwayCore.WriterID
// Delivery: settings and reports.
@_exported public import struct TrackwayDelivery.AttemptLimit
@_exported public import struct TrackwayDelivery.DeliveryConditions
@_exported public import struct TrackwayDelivery.DeliveryPolicy
@_exported public import struct TrackwayDelivery.DestinationRule
@_exported public import struct TrackwayDelivery.DestinationRules
@_exported public import struct TrackwayDelivery.FlushReport
@_exported public import struct TrackwayDelivery.RetrySchedule
@_exported public import struct TrackwayDestinationKit.BatchLimits
@_exported public import struct TrackwayDestinationKit.CollectorDestination
@_exported public import struct TrackwayDestinationKit.CollectorDurability
@_exported public import protocol TrackwayDestinationKit.Destination
@_exported public import struct TrackwayDestinationKit.Rejection
@_exported public import protocol TrackwayDestinationKit.Transport
@_exported public import struct TrackwayDestinationKit.TransportError
@_exported public import enum TrackwayDestinationKit.Verdict
@_exported public import struct TrackwayDestinationKit.WireEncodingError
@_exported public import struct TrackwayDestinationKit.WireHeaders
@_exported public import struct TrackwayDestinationKit.WireRequest
@_exported public import struct TrackwayDestinationKit.WireResponse
// Encryption at rest.
@_exported public import struct TrackwayJournal.Encryption
@_exported public import struct TrackwayJournal.EncryptionKey
// Lifecycle: snapshots and their sources.
@_exported public import protocol TrackwayLifecycle.AppStateSource
// Lifecycle: settings and inputs.
@_exported public import struct TrackwayLifecycle.CaptureOptions
@_exported public import struct TrackwayLifecycle.CollectionPolicy
@_exported public import struct TrackwayLifecycle.ConsentRecord
@_exported public import enum TrackwayLifecycle.ConsentScope
@_exported public import protocol TrackwayLifecycle.DevicePropertiesSource
@_exported public import protocol TrackwayLifecycle.HeadingSource
@_exported public import enum TrackwayLifecycle.LifecycleChange
@_exported public import protocol TrackwayLifecycle.LocationSource
@_exported public import enum TrackwayLifecycle.MotionReading
@_exported public import enum TrackwayLifecycle.MotionSamplingMode
@_exported public import protocol TrackwayLifecycle.MotionSource
@_exported public import struct TrackwayLifecycle.QueuePolicy
@_exported public import struct TrackwayLifecycle.SnapshotPolicy
@_exported public import struct TrackwayLifecycle.SnapshotSources
@_exported public import enum TrackwayLifecycle.TimerUnit
// Custom destinations and transports.
@_exported public import enum TrackwayPlatform.SystemTransport
