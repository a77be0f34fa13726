// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The types that this module's API uses, so that an app needs to import only this module.
@_exported public import class Trackway.Analytics
@_exported public import struct Trackway.Configuration
@_exported public import struct TrackwayMigration.MigrationResult
