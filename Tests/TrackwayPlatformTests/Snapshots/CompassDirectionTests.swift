// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayCore

@testable import TrackwayPlatform

@Suite("Compass direction")
struct CompassDirectionTests {
    /// Returns the measurements of a device that points in a direction and is tilted.
    ///
    /// Pitch raises its top, roll its left side.
    static func measured(
        _ direction: Double,
        pitch: Double,
        roll: Double,
        dip: Double = 60
    ) -> (field: Vector3, gravity: Vector3) {
        func field(_ east: Double, _ north: Double, _ up: Double) -> Vector3 {
            let d = direction * .pi / 180
            let p = pitch * .pi / 180
            let r = roll * .pi / 180
            // Rotate around up, then around the device's x axis, then around its y axis.
            let x = east * cos(d) - north * sin(d)
            let y = east * sin(d) + north * cos(d)
            let y2 = y * cos(p) + up * sin(p)
            let z2 = -y * sin(p) + up * cos(p)
            return Vector3(x: x * cos(r) - z2 * sin(r), y: y2, z: x * sin(r) + z2 * cos(r))
        }
        let dip = dip * .pi / 180
        return (field(0, 48 * cos(dip), -48 * sin(dip)), field(0, 0, -1))
    }

    @Test(arguments: [0.0, 45, 90, 135, 180, 225, 270, 315])
    func `the horizontal field of a flat device determines the direction`(_ direction: Double) throws {
        let field = Self.measured(direction, pitch: 0, roll: 0).field
        let found = try #require(CompassDirection.degrees(field: field, gravity: nil))
        #expect(abs(found - direction) < 1e-6)
    }

    @Test
    func `east is clockwise from north`() {
        // The top points east, so north is to the left.
        #expect(CompassDirection.degrees(field: Vector3(x: -20, y: 0, z: -40), gravity: nil) == 90)
    }

    @Test(arguments: [0.0, 33, 90, 181, 275, 359])
    func `a tilt does not change the direction`(_ direction: Double) throws {
        for pitch in stride(from: -80.0, through: 80, by: 20) {
            for roll in stride(from: -160.0, through: 160, by: 40) {
                let (field, gravity) = Self.measured(direction, pitch: pitch, roll: roll)
                let found = try #require(CompassDirection.degrees(field: field, gravity: gravity))
                let error = abs(found - direction).truncatingRemainder(dividingBy: 360)
                #expect(min(error, 360 - error) < 1e-6, "pitch \(pitch), roll \(roll)")
            }
        }
    }

    @Test
    func `without tilt compensation, the direction of a tilted device is wrong`() throws {
        let (field, _) = Self.measured(90, pitch: 40, roll: 0)
        let wrong = try #require(CompassDirection.degrees(field: field, gravity: nil))
        #expect(abs(wrong - 90) > 5)
    }

    @Test(arguments: [(0.49, false), (0.5, true), (1.5, true), (1.51, false)])
    func `a device counts as still between 0.5 and 1.5 times gravity`(_ strength: Double, _ isStill: Bool) {
        let degrees = CompassDirection.degrees(
            field: Vector3(x: 0, y: 20, z: 0),
            gravity: Vector3(x: 0, y: 0, z: -strength)
        )
        #expect((degrees != nil) == isStill)
    }

    @Test
    func `the direction is unknown if the device falls or its top or the field is vertical`() {
        let level = Vector3(x: 0, y: 20, z: 0)
        let down = Vector3(x: 0, y: 0, z: -1)
        #expect(CompassDirection.degrees(field: level, gravity: Vector3(x: 0, y: 0, z: -0.1)) == nil)
        #expect(CompassDirection.degrees(field: level, gravity: Vector3(x: 0, y: 0, z: -3)) == nil)
        #expect(CompassDirection.degrees(field: Vector3(x: 20, y: 0, z: 0), gravity: Vector3(x: 0, y: -1, z: 0)) == nil)
        #expect(CompassDirection.degrees(field: Vector3(x: 0, y: 0, z: -48), gravity: down) == nil)
        #expect(CompassDirection.degrees(field: Vector3(x: 0, y: 0, z: 0), gravity: down) == nil)
        #expect(CompassDirection.degrees(field: Vector3(x: .infinity, y: 0, z: 0), gravity: down) == nil)
        #expect(CompassDirection.degrees(field: Vector3(x: .nan, y: 0, z: 0), gravity: nil) == nil)
    }
}
