// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if os(Linux)
package import TrackwayEvents

/// Turns what a sensor reads along its own axes into the axes of the device it is built into.
package struct MountMatrix: Sendable, Hashable {
    private let rows: [[Double]]

    /// A sensor that is built in straight.
    package static let straight = MountMatrix(rows: [[1, 0, 0], [0, 1, 0], [0, 0, 1]])

    private init(rows: [[Double]]) {
        self.rows = rows
    }

    /// Reads a matrix as the kernel writes it: "0, -1, 0; 1, 0, 0; 0, 0, 1", row by row.
    ///
    /// - Returns: `nil` when the text is no matrix, or one that turns nothing: rows of unequal length, or flat.
    package init?(_ text: String) {
        let rows = text.split(separator: ";", omittingEmptySubsequences: false).map { row in
            row.split(separator: ",", omittingEmptySubsequences: false).map { cell in
                Double(cell.filter { !$0.isWhitespace })
            }
        }
        guard rows.count == 3, rows.allSatisfy({ $0.count == 3 }) else { return nil }
        let numbers = rows.map { $0.compactMap { $0 } }
        guard numbers.allSatisfy({ $0.count == 3 && $0.allSatisfy { abs($0) <= 2 } }) else { return nil }
        self.init(rows: numbers)
        guard abs(determinant) > 0.5 else { return nil }
    }

    /// A reading in the device's axes.
    package func turned(_ reading: Vector3) -> Vector3 {
        func part(_ row: [Double]) -> Double { row[0] * reading.x + row[1] * reading.y + row[2] * reading.z }
        return Vector3(x: part(rows[0]), y: part(rows[1]), z: part(rows[2]))
    }

    /// 1 or -1 for a turn, with or without a mirror.
    private var determinant: Double {
        rows[0][0] * (rows[1][1] * rows[2][2] - rows[1][2] * rows[2][1])
            - rows[0][1] * (rows[1][0] * rows[2][2] - rows[1][2] * rows[2][0])
            + rows[0][2] * (rows[1][0] * rows[2][1] - rows[1][1] * rows[2][0])
    }
}
#endif
