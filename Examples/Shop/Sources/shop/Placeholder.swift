// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

@main struct Placeholder { static func main() {} }
