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
@_exported public import struct TrackwayCore.DestinationID
@_exported public import struct TrackwayCore.Diagnostic
@_exported public import struct TrackwayCore.DropReason
@_exported public import struct TrackwayDelivery.DestinationRule
@_exported public import struct TrackwayDelivery.DestinationRules
@_exported public import protocol TrackwayDestinationKit.Transport
@_exported public import struct TrackwayDestinationKit.TransportError
@_exported public import struct TrackwayDestinationKit.WireHeaders
@_exported public import struct TrackwayDestinationKit.WireRequest
@_exported public import struct TrackwayDestinationKit.WireResponse
@_exported public import enum TrackwayLifecycle.LifecycleChange
