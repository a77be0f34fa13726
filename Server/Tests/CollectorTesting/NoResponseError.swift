// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The connection ended without a response.
public struct NoResponseError: Error {
    public init() {}
}
