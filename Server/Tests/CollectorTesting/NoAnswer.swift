// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The connection ended without an answer.
package struct NoAnswer: Error {
    package init() {}
}
