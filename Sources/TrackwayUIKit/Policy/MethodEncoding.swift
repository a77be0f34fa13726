// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A method's type encoding in the Objective-C runtime.
///
/// A method of unexpected type is not exchanged.
enum MethodEncoding {
    /// Whether a method's encoding has one of the given shapes.
    ///
    /// - Parameters:
    ///   - encoding: The runtime's encoding: `v20@0:8B16`.
    ///   - shapes: Encodings without sizes and offsets: `v@:B`.
    static func matches(_ encoding: String, _ shapes: [String]) -> Bool {
        shapes.contains(shape(of: encoding))
    }

    /// Removes sizes, offsets, class names, and passing qualifiers from an encoding.
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
