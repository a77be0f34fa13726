// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayCore

@testable import TrackwayPlatform

@Suite("Device orientation")
struct OrientationTests {
    typealias Orientation = AppStateSnapshot.Orientation

    @Test(
        arguments: [
            (Vector3(x: 0, y: 0, z: -1), .faceUp), (Vector3(x: 0, y: 0, z: 1), .faceDown),
            (Vector3(x: 0, y: -1, z: 0), .portrait), (Vector3(x: 0, y: 1, z: 0), .portraitUpsideDown),
            (Vector3(x: -1, y: 0, z: 0), .landscapeLeft), (Vector3(x: 1, y: 0, z: 0), .landscapeRight),
        ] as [(Vector3, Orientation)]
    )
    func `the axis closest to gravity determines the orientation`(_ gravity: Vector3, _ expected: Orientation) {
        #expect(Orientation(gravity: gravity) == expected)
        // Slightly stronger and weaker, within sensor error.
        for factor in [0.81, 1.19] {
            #expect(
                Orientation(gravity: Vector3(x: gravity.x * factor, y: gravity.y * factor, z: gravity.z * factor))
                    == expected
            )
        }
    }

    @Test(arguments: [(29.0, true), (31.0, false), (45.0, false)])
    func `the orientation is known up to 30 degrees of tilt`(_ degrees: Double, _ isClear: Bool) {
        let angle = degrees * .pi / 180
        let tilted = Vector3(x: sin(angle), y: -cos(angle), z: 0)
        #expect(Orientation(gravity: tilted) == (isClear ? .portrait : nil))
    }

    @Test(arguments: [
        Vector3(x: 0, y: -0.79, z: 0), Vector3(x: 0, y: -1.21, z: 0), Vector3(x: 0, y: 0, z: 0),
        Vector3(x: .nan, y: -1, z: 0), Vector3(x: .infinity, y: 0, z: 0),
    ])
    func `the orientation is unknown while the device moves or falls`(_ gravity: Vector3) {
        #expect(Orientation(gravity: gravity) == nil)
    }
}
