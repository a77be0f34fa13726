// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A request's body did not arrive in time.
struct SlowRequestError: Error {}
