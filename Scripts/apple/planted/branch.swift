// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// ios simulator tvos watchos macos visionos: cannot convert value of type 'String' to specified type 'Int'

#if os(iOS) || os(tvOS) || os(watchOS) || os(macOS) || os(visionOS)
let number: Int = "no"
#endif
