// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Trackway

extension Configuration {
    /// Changes the settings of the destination with the given id.
    mutating func set(_ id: DestinationID, _ change: (inout DestinationConfiguration) -> Void) {
        for index in destinations.indices where destinations[index].id == id { change(&destinations[index]) }
    }
}
