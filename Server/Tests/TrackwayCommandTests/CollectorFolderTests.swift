// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing

@testable internal import TrackwayCommand

@Suite("The collector's folder")
struct CollectorFolderTests {
    @Test(
        arguments: [
            ("/data", ["TRACKWAY_DATA": "/other", "HOME": "/h"], "/data"),
            ("~/data", ["HOME": "/h"], "/h/data"),
            (nil, ["TRACKWAY_DATA": "/other", "XDG_DATA_HOME": "/x", "HOME": "/h"], "/other"),
            (nil, ["TRACKWAY_DATA": "", "XDG_DATA_HOME": "/x", "HOME": "/h"], "/x/trackway/collector"),
            (nil, ["XDG_DATA_HOME": "relative", "HOME": "/h"], "/h/.local/share/trackway/collector"),
        ] as [(String?, [String: String], String)]
    )
    func `an option overrides the environment, which overrides the system's defaults`(
        option: String?,
        environment: [String: String],
        path: String
    ) {
        #expect(CollectorFolder(option: option, environment: environment).path == path)
    }
}
