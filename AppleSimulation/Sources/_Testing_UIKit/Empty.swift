// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// `import Testing` beside a module named UIKit makes the compiler look for this one, which says how UIKit's types are attached to a
// test's report.
