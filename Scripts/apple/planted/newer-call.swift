// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors
// ios simulator tvos watchos macos: is only available in

import Foundation

func size() -> Int {
    SynchronizedTimes().count
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 2, *)
struct SynchronizedTimes {
    var count = 0
}
