// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What a method takes and gives back, in the runtime's notation. A method that does not look as expected is left alone.
enum MethodEncoding {
    /// Whether a method has one of these shapes.
    ///
    /// - Parameters:
    ///   - encoding: As the runtime gives it: `v20@0:8B16`.
    ///   - shapes: Without sizes and places: `v@:B`.
    static func matches(_ encoding: String, _ shapes: [String]) -> Bool {
        shapes.contains(shape(of: encoding))
    }

    /// The encoding without sizes and places, without the names of classes, and without what only says how things are passed.
    static func shape(of encoding: String) -> String {
        var shape = ""
        var isQuoted = false
        for character in encoding {
            if character == "\"" {
                isQuoted.toggle()
            } else if !isQuoted, !character.isNumber, !"rnNoORV".contains(character) {
                shape.append(character)
            }
        }
        return shape
    }
}
