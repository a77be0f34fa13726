// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// A method's type encoding in the Objective-C runtime.
///
/// A method with an unexpected type is not exchanged.
enum MethodEncoding {
    /// Returns whether a method's encoding has one of the given shapes.
    ///
    /// - Parameters:
    ///   - encoding: The runtime's encoding, such as `v20@0:8B16`.
    ///   - shapes: The accepted encodings without sizes and offsets, such as `v@:B`.
    static func matches(_ encoding: String, _ shapes: [String]) -> Bool {
        shapes.contains(shape(of: encoding))
    }

    /// Returns an encoding without sizes, offsets, class names, and passing qualifiers.
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
