// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import SparkChamberCompatibility

/// An object that the detector treats as a view.
final class View: NSObject, SparkElement {}

/// Uses SparkChamber's calls.
@main
struct LinkedSparkChamber {
    @MainActor
    static func main() {
        let view = View()
        view.sparkEvents = [SparkEvent(trigger: .didAppear) { print($0) }]
        print(SparkDetector.trackDisplay(forViews: [view]))
    }
}
