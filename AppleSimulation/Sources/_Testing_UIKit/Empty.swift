// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// With a module named UIKit, `import Testing` makes the compiler look for this module, which defines how UIKit types
// are attached to test reports.
