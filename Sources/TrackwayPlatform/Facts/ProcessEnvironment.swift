// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

#if canImport(Darwin)
internal import Foundation
#else
internal import CTrackway
#endif

/// The process's environment, read at the edge and handed on as a value.
package enum ProcessEnvironment {
    /// The value of one variable; nil when there is none of this name.
    package static func value(of name: String) -> String? {
        #if canImport(Darwin)
        ProcessInfo.processInfo.environment[name]
        #else
        ctrackway_environment(name).map { String(cString: $0) }
        #endif
    }

    /// The values of these variables, as far as there are any: pairs, because a process that starts may not have had a dictionary of
    /// texts yet, and the first one costs it a fifth of a millisecond.
    package static func values(of names: [String]) -> [(name: String, value: String)] {
        names.compactMap { name in value(of: name).map { (name, $0) } }
    }

    /// All variables; of a name that is there twice, the first. O(n) in their number.
    package static func current() -> [String: String] {
        #if canImport(Darwin)
        ProcessInfo.processInfo.environment
        #else
        var variables: [String: String] = [:]
        withUnsafeMutablePointer(to: &variables) { variables in
            ctrackway_list_environment(variables) { variables, entry in
                guard let entry, let variables = variables?.assumingMemoryBound(to: [String: String].self) else {
                    return
                }
                let text = String(cString: entry)
                guard let equals = text.firstIndex(of: "=") else { return }
                let name = String(text[..<equals])
                if variables.pointee[name] == nil {
                    variables.pointee[name] = String(text[text.index(after: equals)...])
                }
            }
        }
        return variables
        #endif
    }
}
