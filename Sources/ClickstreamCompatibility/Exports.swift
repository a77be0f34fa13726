// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// What the compatibility module's calls take, by name, so that an app imports this module alone.
@_exported public import class Trackway.Analytics
@_exported public import struct Trackway.Configuration
