// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

@_exported public import struct Foundation.Date
// The types that this module's API uses, so that an app needs to import only this module.
@_exported public import class Foundation.NSNull
@_exported public import struct Foundation.URL
@_exported public import struct Foundation.UUID
@_exported public import struct Trackway.Configuration
@_exported public import struct Trackway.InterceptedEvent
@_exported public import struct Trackway.Interceptor
@_exported public import struct Trackway.TrackwayError
@_exported public import enum TrackwayBehavior.LifeCycleChange
@_exported public import struct TrackwayDelivery.DestinationRule
@_exported public import struct TrackwayDelivery.DestinationRules
@_exported public import struct TrackwayEvents.DestinationID
@_exported public import struct TrackwayEvents.Diagnostic
@_exported public import struct TrackwayEvents.DropReason
@_exported public import protocol TrackwayWire.Transport
@_exported public import struct TrackwayWire.TransportError
@_exported public import struct TrackwayWire.WireHeaders
@_exported public import struct TrackwayWire.WireRequest
@_exported public import struct TrackwayWire.WireResponse
