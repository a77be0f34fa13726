// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Re-exports what an app needs from the lower modules, so that it only has to import `Trackway`.

// Behavior: snapshots and their sources.
@_exported public import protocol TrackwayBehavior.AppStateSource
// Behavior: settings and inputs.
@_exported public import struct TrackwayBehavior.CaptureOptions
@_exported public import struct TrackwayBehavior.CollectionPolicy
@_exported public import enum TrackwayBehavior.ConsentScope
@_exported public import protocol TrackwayBehavior.DevicePropertiesSource
@_exported public import protocol TrackwayBehavior.HeadingSource
@_exported public import enum TrackwayBehavior.LifeCycleChange
@_exported public import protocol TrackwayBehavior.LocationSource
@_exported public import enum TrackwayBehavior.MotionMeans
@_exported public import enum TrackwayBehavior.MotionReading
@_exported public import protocol TrackwayBehavior.MotionSource
@_exported public import struct TrackwayBehavior.QueuePolicy
@_exported public import struct TrackwayBehavior.SnapshotPolicy
@_exported public import struct TrackwayBehavior.SnapshotSources
@_exported public import enum TrackwayBehavior.TimerUnit
// Delivery: settings and reports.
@_exported public import struct TrackwayDelivery.AttemptLimit
@_exported public import struct TrackwayDelivery.DeliveryConditions
@_exported public import struct TrackwayDelivery.DeliveryPolicy
@_exported public import struct TrackwayDelivery.DestinationRule
@_exported public import struct TrackwayDelivery.DestinationRules
@_exported public import struct TrackwayDelivery.FlushReport
@_exported public import struct TrackwayDelivery.RetrySchedule
// Events and values.
@_exported public import struct TrackwayEvents.AppStateSnapshot
@_exported public import protocol TrackwayEvents.AttributeConvertible
@_exported public import enum TrackwayEvents.AttributeValue
@_exported public import struct TrackwayEvents.Attributes
@_exported public import enum TrackwayEvents.Consent
@_exported public import struct TrackwayEvents.ConsentCategory
@_exported public import struct TrackwayEvents.DestinationID
@_exported public import struct TrackwayEvents.DeviceMotion
@_exported public import struct TrackwayEvents.DeviceProperties
@_exported public import protocol TrackwayEvents.DevicePropertyValue
@_exported public import struct TrackwayEvents.Diagnostic
@_exported public import struct TrackwayEvents.DropReason
@_exported public import struct TrackwayEvents.Event
@_exported public import struct TrackwayEvents.EventBatch
@_exported public import struct TrackwayEvents.EventID
@_exported public import struct TrackwayEvents.EventLimits
@_exported public import struct TrackwayEvents.Heading
@_exported public import struct TrackwayEvents.InstallationID
@_exported public import struct TrackwayEvents.Item
@_exported public import struct TrackwayEvents.Ledger
@_exported public import struct TrackwayEvents.Location
@_exported public import struct TrackwayEvents.MonotonicTime
@_exported public import struct TrackwayEvents.RecordedEvent
@_exported public import struct TrackwayEvents.SensorReading
@_exported public import struct TrackwayEvents.Timestamp
@_exported public import protocol TrackwayEvents.TypedEvent
@_exported public import protocol TrackwayEvents.UniqueID
@_exported public import struct TrackwayEvents.Vector3
@_exported public import struct TrackwayEvents.WriterID
// Encryption at rest.
@_exported public import struct TrackwayJournal.Encryption
@_exported public import struct TrackwayJournal.EncryptionKey
// Custom destinations and transports.
@_exported public import enum TrackwayPlatform.SystemTransport
@_exported public import struct TrackwayWire.BatchLimits
@_exported public import struct TrackwayWire.CollectorDestination
@_exported public import struct TrackwayWire.CollectorDurability
@_exported public import protocol TrackwayWire.Destination
@_exported public import struct TrackwayWire.Rejection
@_exported public import protocol TrackwayWire.Transport
@_exported public import struct TrackwayWire.TransportError
@_exported public import enum TrackwayWire.Verdict
@_exported public import struct TrackwayWire.WireEncodingError
@_exported public import struct TrackwayWire.WireHeaders
@_exported public import struct TrackwayWire.WireRequest
@_exported public import struct TrackwayWire.WireResponse
